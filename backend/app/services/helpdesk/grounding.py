"""Whether a text says only what its material says, as far as that can be told without a model:
numbers, versions, paths, addresses and links of the one must stand in the other.
"""

import re
import unicodedata

_LIST_MARK = re.compile(r"^[ \t>]{0,8}\d{1,2}[.)](?=\s)", re.MULTILINE)
_CITATION = re.compile(r"\[\d{1,3}\]")
#: A run of characters without a space that holds a digit or what links and paths are made with.
_PIECE = re.compile(r"[^\s\"'`“”„«»()<>\[\]{}*|,;]{1,300}")
_TELLING = re.compile(
    r"\d|://|\\|@|^/|/.*/|\.(?:com|org|net|io|exe|dll|ini|conf|log|bat|ps1|sh)\b|^www\."
)
_ELSEWHERE = re.compile(r"://|\bwww\.|\w@\w|\b(?:javascript|data|mailto|file):|\]\(")
_ENDS = ".:!?…/-_"


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def invented(text: str, material: str) -> list[str]:
    """What of a text's numbers, versions, paths, addresses and links its material does not hold."""
    bare = _plain(_CITATION.sub(" ", _LIST_MARK.sub(" ", text)))
    known = _plain(material)
    pieces = {piece.strip(_ENDS) for piece in _PIECE.findall(bare)}
    return sorted(
        piece for piece in pieces if _TELLING.search(piece) and not _stands_in(piece, known)
    )


def _stands_in(piece: str, known: str) -> bool:
    """As a whole: 4 does not stand in 403."""
    return re.search(rf"(?<![^\W_]){re.escape(piece)}(?![^\W_])(?!\.\d)", known) is not None


def leads_elsewhere(text: str) -> bool:
    """Whether a text holds a link or an address; a question or a reason needs none."""
    return _ELSEWHERE.search(_plain(text)) is not None


def cited(text: str, sources: int) -> str:
    """The text citing only sources that exist, and at least one where there are any."""

    def kept(found: re.Match[str]) -> str:
        return found[0] if 1 <= int(found[0][1:-1]) <= sources else ""

    clean = _CITATION.sub(kept, text).rstrip()
    return f"{clean} [1]" if sources and not _CITATION.search(clean) else clean
