"""From a question to a search of GitHub that stays in one repository."""

import re

MAX_QUERY_CHARACTERS = 256
#: GitHub's search takes five operators; of a question the words that tell most are asked for.
_MAX_WORDS = 6
_WORD = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
_OPERATORS = frozenset({"and", "or", "not"})


def search_words(question: str) -> list[str]:
    """The words of a question that tell most, in its order: codes and numbers before long words.
    Letters and digits only, so that no word can be an operator, a qualifier or a quotation.
    """
    seen: dict[str, int] = {}
    for at, found in enumerate(_WORD.findall(question)):
        word = found.lower()
        if len(word) > 2 and len(word) <= 40 and word not in _OPERATORS:
            seen.setdefault(word, at)
    ranked = sorted(seen, key=lambda word: (not any(c.isdigit() for c in word), -len(word)))
    return sorted(ranked[:_MAX_WORDS], key=seen.__getitem__)


def search_query(question: str, repo: str) -> str:
    """GitHub's search for any of the question's words, in one repository; "" without a word."""
    scope = f"repo:{repo} is:issue"
    words = search_words(question)
    while words:
        query = f"{scope} ({' OR '.join(words)})"
        if len(query) <= MAX_QUERY_CHARACTERS:
            return query
        words.remove(max(words, key=len))
    return ""
