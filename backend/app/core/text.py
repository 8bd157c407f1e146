"""What text may be stored and shown."""

import re
import unicodedata

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
# Control characters but tab and line feed; they have no meaning in a message and PostgreSQL refuses
# NUL.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def has_lone_surrogate(text: str) -> bool:
    """Whether ``text`` holds half a UTF-16 pair, which no UTF-8 store can hold."""
    return _LONE_SURROGATE.search(text) is not None


def clean(text: str) -> str:
    """``text`` in normal form C with one kind of line end and without control characters."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", _CONTROL.sub("", unified))


def whole_characters(text: str) -> str:
    """``text`` without halves of UTF-16 pairs."""
    return _LONE_SURROGATE.sub("", text)


def shorten(text: str, limit: int) -> str:
    """The first line of ``text`` in at most ``limit`` characters, cut at a word, with an ellipsis
    when cut.
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return cut[: cut.rfind(" ")] + "…" if " " in cut[limit // 2 :] else cut + "…"
