"""From a question to a search of GitHub that stays in one repository."""

import re

MAX_QUERY_CHARACTERS = 256
#: GitHub's search takes five operators; of a question the words that tell most are asked for.
_MAX_WORDS = 6
_WORD = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
_OPERATORS = frozenset({"and", "or", "not"})
#: Words of every question; they would only find everything.
_COMMON = frozenset(
    _WORD.findall("""
    about after also anyone are because been before but can cannot could did does doing don during
    each for from get gets getting got had has have having help here him his how into isn its just
    like may might more need needs now off only other our out over own please says see should since
    some such than that the their them then there these they this those too try trying under until
    use using very want was way were what when where which while who why will with would you your
    """)
)


def search_words(question: str) -> list[str]:
    """The words of a question that tell most, in its order: codes and numbers before long words.
    Letters and digits only, so that no word can be an operator, a qualifier or a quotation.
    """
    seen: dict[str, int] = {}
    for at, found in enumerate(_WORD.findall(question)):
        word = found.lower()
        if 2 < len(word) <= 40 and word not in _OPERATORS | _COMMON:
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
