"""Text from outside on its way to a model: fenced, so that nothing inside can end or begin a fence.

A fence is a pair of markers. Inside it no character is left that a marker could be written with,
and what merely looks like a marker to a reader (other brackets, look-alike letters, letters with
invisible ones between them, escapes) is replaced by a word that says so. What is cut says so too.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

TOOL_OUTPUT, CONVERSATION = "tool_output", "conversation"
REMOVED = "[marker removed]"
CUT = "[cut: {left} more characters are not shown]"

#: What opens a marker, or may be read so; as it is seen, where digits have become letters.
_OPENING = r"(?:[<‹⟨〈《≪«❮❰⧼˂≺‹˱ᐸ\[{(]|&(?:lt|#o*6o|#xo*ec);?|\\uooec|\\xec|%ec)"
_BETWEEN = r"[\s/\\!?_.:-]{0,8}"
#: Letters of a word may stand apart, as in ``t o o l``.
_APART = r"[\W_]{0,3}"
_WORDS = tuple(_APART.join(word) for word in ("tooloutput", "conversation"))
_MARKER = re.compile(
    rf"{_OPENING}{_BETWEEN}(?:{'|'.join(_WORDS)})(?![^\W\d_])\s{{0,4}}(?:[>›⟩〉》≫»❯❱\]}})]|&gt;)?",
    re.IGNORECASE,
)
#: Letters that look like those of the markers' words, as Unicode lists them for spoofing.
_LOOK_ALIKES = str.maketrans(
    {
        "а": "a", "α": "a", "ɑ": "a", "с": "c", "ϲ": "c", "ᴄ": "c", "е": "e", "є": "e", "ҽ": "e",
        "ε": "e", "і": "i", "ι": "i", "ı": "i", "ɩ": "i", "ӏ": "l", "ⅼ": "l", "ǀ": "l",
        "1": "l", "п": "n", "ո": "n", "η": "n", "о": "o", "ο": "o", "σ": "o", "օ": "o",
        "ᴏ": "o", "0": "o", "ø": "o", "р": "p", "ρ": "p", "ƿ": "p", "г": "r", "ᴦ": "r", "ѕ": "s",
        "ꜱ": "s", "5": "s", "$": "s", "т": "t", "τ": "t", "ᴛ": "t", "7": "t", "υ": "u", "ս": "u",
        "ц": "u", "μ": "u", "ν": "v", "ѵ": "v", "ᴠ": "v", "3": "e", "4": "a", "@": "a",
    }
)  # fmt: skip
_ANGLES = str.maketrans({"<": "‹", ">": "›"})


class Origin(StrEnum):
    """Where a tool's result is from; a closed set."""

    KB = "kb"
    WEB = "web"
    DESK = "desk"
    GITHUB = "github"


@dataclass(frozen=True, slots=True)
class Fenced:
    """A block as a model is shown it; ``forged`` counts what looked like markers inside."""

    text: str
    forged: int = 0


def _seen(text: str) -> tuple[str, list[int]]:
    """The text as a reader sees it, and for each of its characters where it comes from."""
    seen: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for part in unicodedata.normalize("NFKD", character):
            if unicodedata.category(part) in {"Mn", "Me", "Cf"}:
                continue
            seen.append(part.translate(_LOOK_ALIKES).lower()[:1] or part)
            places.append(place)
    return "".join(seen), [*places, len(text)]


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in {"Cf", "Cc", "Co", "Cs"} and character not in "\n\t"


def disarm(text: str) -> Fenced:
    """The text without anything that is, or could be read as, one of the markers."""
    visible = "".join(one for one in text if not _is_invisible(one))
    seen, places = _seen(visible)
    kept: list[str] = []
    last = forged = 0
    for found in _MARKER.finditer(seen):
        kept += [visible[last : places[found.start()]], REMOVED]
        last = places[found.end() - 1] + 1
        forged += 1
    rest = "".join([*kept, visible[last:]])
    return Fenced("".join(map(_plain_angle, rest)), forged)


def _plain_angle(character: str) -> str:
    if character in "<>":
        return character.translate(_ANGLES)
    folded = unicodedata.normalize("NFKC", character)
    return folded.translate(_ANGLES) if folded in {"<", ">"} else character


def _fence(text: str, opening: str, closing: str, limit: int, *, keeps_end: bool) -> Fenced:
    if len(text) > limit:  # before it is looked at: a huge text costs no more than a long one
        cut = CUT.format(left=len(text) - limit)
        safe = disarm(text[-limit:] if keeps_end else text[:limit])
        body = f"{cut}\n{safe.text}" if keeps_end else f"{safe.text}\n{cut}"
    else:
        safe = disarm(text)
        body = safe.text
    return Fenced(f"{opening}\n{body}\n{closing}", safe.forged)


def fence_result(text: str, origin: Origin, *, nonce: str, limit: int) -> Fenced:
    """A tool's result in its markers, at most ``limit`` characters of it; what is cut is said."""
    opening = f'<{TOOL_OUTPUT} source="{origin.value}" id="{nonce}">'
    return _fence(text, opening, f"</{TOOL_OUTPUT}>", limit, keeps_end=False)


def fence_conversation(text: str, *, limit: int) -> Fenced:
    """What was said, in its markers: of a long one the end."""
    return _fence(text, f"<{CONVERSATION}>", f"</{CONVERSATION}>", limit, keeps_end=True)
