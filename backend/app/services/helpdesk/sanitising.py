"""Markdown made safe to post into a tracker.

Raw HTML and comments are shown as text instead of being taken out: nothing of a person's words
vanishes, and nothing of them is hidden. Mentions, references and links to issues are broken by a
zero-width space, for an entity would be decoded before GitHub looks for them. Code keeps its
characters, but only where it is code beyond doubt: a fence in the first column or directly behind
one quotation mark, and code spans of lines in whose paragraph every backtick has its partner. Every
other fence is disarmed, so that there is one reading of where code begins and ends.
"""

import re
from collections.abc import Iterator

from backend.app.core.text import clean

_BREAK = "\u200b"
#: Characters that turn the direction of writing, and so what a line seems to say.
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_FENCE = re.compile(r"(>[ ]?|)(`{3,}(?=[^`]*$)|~{3,})")
_QUOTED = re.compile(r" {0,3}>[ ]?")
_STRAY_FENCE = re.compile(r"^([\s>]|[-*+]\s|\d{1,9}[.)]\s)*(?=```|~~~)")
_RUN = re.compile(r"`+")

_HTML = re.compile(r"<(?=[A-Za-z/!?])")
#: An entity is decoded before a reference is looked for; ours are left.
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot);)(?=#?[A-Za-z0-9]{1,32};)")
_MENTION = re.compile(r"(?<![A-Za-z0-9])@(?=[A-Za-z0-9])")
_REFERENCE = re.compile(r"#(?=\d)|(?<![A-Za-z0-9])GH-(?=\d)", re.IGNORECASE)
_TRACKER_URL = re.compile(
    r"(?<![\w.-])(?:www\.)?github\.com/"
    r"(?=[\w.-]{1,100}/[\w.-]{1,100}/(?:issues|pull|pulls|discussions|commit)/)",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!(?=\[)")
_SCHEME = re.compile(
    r"((?:\]\(|\]:)[ \t\n]{0,20}(?:&lt;)?)(javascript|vbscript|data|file|blob)(?=\\?:)",
    re.IGNORECASE,
)


def _neutralise(text: str) -> str:
    escaped = _HTML.sub("&lt;", _ENTITY.sub("&amp;", text))
    broken = _REFERENCE.sub(lambda found: found[0] + _BREAK, _MENTION.sub("@" + _BREAK, escaped))
    inert = _IMAGE.sub("!" + _BREAK, _TRACKER_URL.sub("redirect.github.com/", broken))
    return _SCHEME.sub(rf"\1\2{_BREAK}", inert)


def _code_spans(line: str) -> list[tuple[int, int]] | None:
    """Where the line's code spans stand; None when a backtick has no partner in it."""
    if "\\`" in line or ("|" in line and "`" in line):
        return None
    runs = [(found.start(), found.end()) for found in _RUN.finditer(line)]
    spans, at = [], 0
    by_length: dict[int, list[int]] = {}
    for number, (start, end) in enumerate(runs):
        by_length.setdefault(end - start, []).append(number)
    positions = dict.fromkeys(by_length, 0)
    while at < len(runs):
        start, end = runs[at]
        same = by_length[end - start]
        next_ = positions[end - start]
        while next_ < len(same) and same[next_] <= at:
            next_ += 1
        positions[end - start] = next_
        if next_ == len(same):
            return None
        spans.append((start, runs[same[next_]][1]))
        at = same[next_] + 1
    return spans


def _outside_code(line: str, spans: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts += [_neutralise(line[at:start]), line[start:end]]
        at = end
    return "".join([*parts, _neutralise(line[at:])])


def _paragraph(lines: list[str]) -> str:
    """Lines of text with no blank one between; a code span may reach over their ends."""
    spans = [_code_spans(line) for line in lines]
    if any(found is None for found in spans):
        return _neutralise("\n".join(lines))
    safe = "\n".join(
        _outside_code(line, found or []) for line, found in zip(lines, spans, strict=True)
    )
    return _SCHEME.sub(rf"\1\2{_BREAK}", safe)


def _closes(line: str, quote: str, fence: str) -> bool:
    inner = _QUOTED.sub("", line, count=1) if quote else line
    found = re.fullmatch(r" {0,3}(`{3,}|~{3,})[ \t]*", inner)
    return found is not None and found[1].startswith(fence)


def _parts(text: str) -> Iterator[str]:
    """The text's paragraphs made safe, its blank lines and code blocks as they are."""
    pending: list[str] = []
    fence: tuple[str, str] | None = None
    for line in text.split("\n"):
        if fence is not None and (not fence[0] or _QUOTED.match(line)):
            yield line
            fence = None if _closes(line, *fence) else fence
            continue
        fence = None
        if opened := _FENCE.match(line):
            if pending:
                yield _paragraph(pending)
            pending, fence = [], (opened[1], opened[2])
            yield line
        elif line.strip():
            pending.append(_STRAY_FENCE.sub(lambda found: found[0] + _BREAK, line, count=1))
        else:
            if pending:
                yield _paragraph(pending)
            pending = []
            yield line
    if pending:
        yield _paragraph(pending)
    if fence is not None:
        yield ("> " if fence[0] else "") + fence[1]


def sanitise(markdown: str) -> str:
    """``markdown`` without anything that acts: no HTML, mention, reference, image or script link.
    A code block that is left open is closed. Doing it twice changes nothing more.
    """
    return "\n".join(_parts(_DIRECTION.sub("", clean(markdown))))
