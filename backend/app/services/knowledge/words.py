"""From text to words apart by spaces, the form in which text is indexed and asked."""

import re

_NOT_WORD = re.compile(r"[\W_]+")
_COMPOUND = re.compile(r"\b[^\W\d_]{1,12}(?:-[^\W\d_]{1,12})+\b")
# Ends at a bracket, where the next link may begin, so that no character is looked at twice.
_LINK_TARGET = re.compile(r"\]\([^)\]\s]*\)")


def words(text: str) -> str:
    """``text`` with everything but letters and digits turned into single spaces.

    PostgreSQL's own parser keeps ``file.name`` and ``host/path`` as one token; split up front,
    their parts are found too. A compound stands apart and joined, since people write *Wi-Fi* and
    *wifi*. Addresses behind Markdown links go.
    """
    without_targets = _LINK_TARGET.sub("] ", text)
    joined = _COMPOUND.sub(lambda found: f"{found[0]} {found[0].replace('-', '')}", without_targets)
    return _NOT_WORD.sub(" ", joined).strip()
