"""The query of a second search: what is asked and what became known, without the politeness."""

import re
from collections.abc import Mapping, Sequence

from backend.app.services.helpdesk.clarifying import NOT_KNOWN, is_not_known
from backend.app.services.helpdesk.pleasantries import without_pleasantries
from backend.app.services.helpdesk.signs import impact_of_answer

MAX_QUERY_CHARACTERS = 1000
_MAX_QUESTION_CHARACTERS = 700
_SEARCHED_FACTS = ("product", "error", "system", "version")
_FILLER = re.compile(
    r"\b(?:as soon as possible|asap|urgent(?:ly)?|please|kindly|just|actually|basically|really"
    r"|honestly"
    r"|to be honest|for some reason|by the way|btw|if possible|i (?:think|guess|believe)(?: that)?"
    r"|you know|any ideas?(?: (?:what|why|how))?|bitte|dringend|eigentlich|irgendwie|halt"
    r"|s'il vous pla[iî]t"
    r"|svp|por favor|urgente)\b[,.!?]?",
    re.IGNORECASE,
)


def _cut(text: str, limit: int) -> str:
    """The first ``limit`` characters of ``text`` in one line, cut at a word where there is one."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    end = line.rfind(" ", limit // 2, limit + 1)
    return line[: end if end > 0 else limit].rstrip()


def _plain(text: str) -> str:
    lines = [" ".join(line.split()) for line in without_pleasantries(text).split("\n")]
    # A headline is often said once more by the text below it.
    once = [
        line
        for line, below in zip(lines, [*lines[1:], ""], strict=True)
        if not (line and below.casefold().startswith(line.casefold()))
    ]
    stripped = " ".join(_FILLER.sub(" ", " ".join(once)).split())
    return stripped.rstrip(" ,;") or " ".join(text.split())


def _says_something(reply: str) -> bool:
    is_impact = len(reply.split()) <= 3 and impact_of_answer(reply) is not None
    return bool(reply.strip()) and not is_not_known(reply) and not is_impact


def search_query(question: str, facts: Mapping[str, str], replies: Sequence[str]) -> str:
    """What to search for after a person answered: at most 1,000 characters."""
    query = _cut(_plain(question), _MAX_QUESTION_CHARACTERS)
    added = [facts[key] for key in _SEARCHED_FACTS if facts.get(key, NOT_KNOWN) != NOT_KNOWN]
    added += [_plain(reply) for reply in replies if _says_something(reply)]
    for words in added:
        if words and words.casefold() not in query.casefold():
            query = f"{query} {words}"
    return _cut(query, MAX_QUERY_CHARACTERS)
