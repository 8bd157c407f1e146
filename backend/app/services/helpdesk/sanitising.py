"""Markdown made safe to post into a tracker.

It is taken apart and written anew with everything that acts turned into text; then a second,
independent renderer looks whether anything acts nevertheless, and if so the whole text is shown as
code. Nothing of a person's words is hidden: HTML is shown as it was written. A text that would take
a parser long is shown as code without being parsed; that is told by counting, before.
"""

import re

from backend.app.core.text import clean
from backend.app.services.helpdesk.markdown_check import is_inert
from backend.app.services.helpdesk.markdown_rebuild import blocks_of, rebuild

#: Characters that turn the direction of writing, and so what a line seems to say.
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BLANK = re.compile(r"\n[ \t>]*(?=\n)")
_BACKTICKS = re.compile(r"`+")
_MARKERS = re.compile(r"^(?:[ \t]{0,40}(?:>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))*")
_MAX_CHARACTERS = 16_000
_MAX_NESTING = 24
#: Steps that a parser's searches may take in the worst case; a person's text takes far fewer.
_MAX_STEPS = 3_000_000
_MAX_CELLS = 20_000
_MAX_ITEMS = 400  # the writer looks at all of a list's items for each of them
_MOST_ROUNDS = 4


def parsing_steps(markdown: str) -> int:
    """How many characters a parser may look at again, at worst, because of signs that open
    something: each is looked for its partner to the end of its paragraph.
    """
    steps = 0
    for paragraph in _BLANK.split(markdown):
        openers = sum(map(paragraph.count, "[<@&*_~")) + paragraph.count("www.")
        steps += openers * len(paragraph)
    return steps


def is_quickly_parsed(markdown: str) -> bool:
    """Whether ``markdown`` is of a size and shape that is parsed in no time."""
    if len(markdown) > _MAX_CHARACTERS or parsing_steps(markdown) > _MAX_STEPS:
        return False
    lines = markdown.split("\n")
    if max(line.count("|") for line in lines) * len(lines) > _MAX_CELLS:
        return False
    markers = [_markers(line) for line in lines]
    if sum(bool(marker.strip("> \t")) for marker in markers) > _MAX_ITEMS:
        return False
    return all(_nesting(*pair) <= _MAX_NESTING for pair in zip(lines, markers, strict=True))


def _markers(line: str) -> str:
    """The signs of quotations and lists that ``line`` begins with."""
    found = _MARKERS.match(line)
    return found[0] if found else ""


def _nesting(line: str, markers: str) -> int:
    indentation = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
    return len(markers.split()) + markers.count(">") + min(indentation, 200) // 4


def as_code(text: str) -> str:
    """``text`` as one block of code, whatever it holds."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.strip(chr(10))}\n{fence}"


def _is_code(text: str) -> bool:
    """Whether ``text`` is what `as_code` makes."""
    fence, _, rest = text.partition("\n")
    code = rest.removesuffix(f"\n{fence}")
    is_fence = len(fence) >= 3 and not fence.strip("`")
    return is_fence and code != rest and fence not in code


def sanitise(markdown: str) -> str:
    """``markdown`` without anything that acts: no HTML, mention, reference, image or script link.
    A code block that is left open is closed. Doing it twice changes nothing more.
    """
    text = _DIRECTION.sub("", clean(markdown))
    if not text.strip():
        return ""
    if _is_code(text):
        return text
    if is_quickly_parsed(text):
        whole = _settled(text)
        if whole is not None:
            return whole
        # What stands in the way is one block, mostly: the others stay as they are.
        parts = [block for block in blocks_of(text) if block.strip()]
        made = _settled("\n\n".join(_settled(part) or as_code(part) for part in parts))
        if made is not None:
            return made
    return as_code(text)


def _settled(markdown: str) -> str | None:
    """``markdown`` rebuilt until it stays the same; None when it does not, or acts even so."""
    made = markdown
    for _ in range(_MOST_ROUNDS):
        before, made = made, rebuild(made)
        if made == before:
            return made if is_inert(made) else None
    return None
