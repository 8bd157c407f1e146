"""A title for a ticket out of the person's own words."""

import re
from collections.abc import Mapping

from backend.app.domain.sessions import MAX_DRAFT_TITLE_CHARACTERS
from backend.app.services.helpdesk.pleasantries import without_pleasantries
from backend.app.services.helpdesk.signs import Kind, kind_of

UNTITLED = "Help wanted"
_SENTENCE_END = re.compile(r"(?<=[\w)\]\"'”%][\w)\]\"'”%])[.!?]+(?=\s|$)|\n+")
_LEAD_IN = re.compile(
    r"^(?:i(?:'m| am)? (?:have|having|'ve got|am having|am experiencing|experiencing|am facing"
    r"|facing|got) (?:a |an |some |the |serious |big )*(?:problem|issue|trouble|difficult(?:y"
    r"|ies))s? (?:with|in|when|where|while|about|that|:)?[,:]? ?"
    r"|i need (?:some |your )?(?:help|assistance|guidance) (?:with|on|in) |there (?:is"
    r"|seems to be) (?:a|an|some) (?:problem|issue) (?:with|in) "
    r"|(?:my|the) (?:problem|issue|question) is(?: that|:)? |(?:problem|issue|question|subject"
    r"|betreff|objet|asunto): ?|it (?:seems|appears) that )",
    re.IGNORECASE,
)  # fmt: skip
_MARKS = re.compile(r"[*`#>|~]{1,8}(?=\S)|(?<=\S)[*`|~]{1,8}|^\W+(?=\w)|^\[|\]\([^)\s]{0,300}\)")
_CUT_AT = re.compile(
    r"[,;:] | (?:-|–|—|and|but|because|so|since|which|when|while|after|und|aber|weil|et|mais|parce"
    r"|y|pero|porque) ", re.IGNORECASE)  # fmt: skip
_DANGLING = re.compile(
    r"(?:[\s,;:(\[–—-]+|\s(?:a|an|the|to|of|in|on|for|with|and|or|but|is|are|my|i|that|this|at|by"
    r"|from|as|it|when|if|der|die|das|und|mit|le|la|les|de|du|et|el|los|en|y))+$",
    re.IGNORECASE,
)
_MIN_TITLE_WORDS = 3
#: So many words at the head say enough.
_HEADLINE_WORDS = 5
_MIN_CUT_CHARACTERS = 70
_MAX_CONTEXT_CHARACTERS = 40
_SENTENCES_LOOKED_AT = 4


def _sentences(text: str) -> list[str]:
    parts, at = [], 0
    for found in _SENTENCE_END.finditer(text):
        end = found.end() if "?" in found[0] else found.start()
        parts.append(" ".join(text[at:end].split()))
        at = found.end()
    parts.append(" ".join(text[at:].split()))
    return [part for part in parts if part]


def _bare(sentence: str) -> str:
    plain = " ".join(_MARKS.sub(" ", sentence).split())
    stripped = _LEAD_IN.sub("", plain, count=1).strip()
    return stripped if len(stripped.split()) >= _MIN_TITLE_WORDS else plain


def _telling(sentences: list[str]) -> str:
    """The first of the leading sentences that says what the matter is, else the first of them."""
    bare = [_bare(without_pleasantries(part)) for part in sentences[:_SENTENCES_LOOKED_AT]]
    long_enough = [part for part in bare if len(part.split()) >= _MIN_TITLE_WORDS]
    if not long_enough:
        return max(bare, key=len, default="")
    return next((part for part in long_enough if kind_of(part) is not Kind.UNCLEAR), long_enough[0])


def _best(question: str) -> str:
    """The headline where it says enough; else the sentence that does, behind a short headline."""
    first_line, _, below = question.partition("\n")
    headline = _bare(without_pleasantries(" ".join(_sentences(first_line)[:1])))
    count = len(headline.split())
    says_enough = count >= _HEADLINE_WORDS or (
        count >= _MIN_TITLE_WORDS and kind_of(headline) is not Kind.UNCLEAR
    )
    if says_enough and (below.strip() or kind_of(headline) is not Kind.UNCLEAR):
        return headline
    if not below.strip():
        return _telling(_sentences(first_line))
    sentence = _telling(_sentences(below))
    if not sentence:
        return headline
    is_repeated = headline.casefold() in sentence.casefold()
    return sentence if count < 2 or is_repeated else f"{headline}: {sentence}"


def _cut(title: str, limit: int) -> str:
    if len(title) <= limit:
        return title
    ends = [found.start() for found in _CUT_AT.finditer(title, _MIN_CUT_CHARACTERS, limit)]
    end = ends[-1] if ends else title.rfind(" ", limit // 2, limit + 1)
    cut = title[: end if end > 0 else limit]
    if cut.count("(") > cut.count(")") and cut.rfind("(") > limit // 3:
        cut = cut[: cut.rfind("(")]
    return _DANGLING.sub("", cut)


def _context(title: str, facts: Mapping[str, str]) -> str:
    missing = [
        value
        for key in ("product", "error")
        if (value := facts.get(key, "")) and value.casefold() not in title.casefold()
        and value != "not known" and len(value) <= _MAX_CONTEXT_CHARACTERS and value != "No message"
    ]  # fmt: skip
    return f" ({', '.join(missing)})" if missing else ""


def title_of(question: str, facts: Mapping[str, str]) -> str:
    """One line of at most 120 characters that names the matter, with product and error."""
    title = _best(without_pleasantries(question)) or UNTITLED
    context = _context(title, facts)
    cut = _cut(title, MAX_DRAFT_TITLE_CHARACTERS - len(context))
    context = _context(cut, facts)
    whole = _cut(title, MAX_DRAFT_TITLE_CHARACTERS - len(context)) + context
    first = whole.split(" ", 1)[0]
    return whole[0].upper() + whole[1:] if first.islower() else whole
