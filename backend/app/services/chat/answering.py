"""The rule-based answer: spans quoted from the articles that were found, each with its source, or
an honest no.

Nothing is said that an article does not say. What is decided here is only whether the best article
answers the question, and which of its spans to quote. The signals for the first are weak ones
(measured on public questions by tests/bench): how much of the question's weight the article's name
and chunk cover, its score per unit of that weight, and its lead over the second.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backend.app.core.text import shorten
from backend.app.domain.chat import Answer, Source
from backend.app.domain.knowledge import (
    MAX_QUOTE_CHARACTERS,
    ArticleId,
    Hit,
    Passage,
    SearchResult,
)

#: An article counts as an answer to a short question from here on, in all four respects.
_COVERAGE = 0.4
_STRENGTH = 1.0
_LEAD = 0.15
_TERMS = 2
#: An article that covers so much of the question needs no lead.
_CLEAR_COVERAGE = 0.8
#: A long question says too much for any article to cover; there an article must stand out.
_LONG_TERMS = 12
_LONG_STRENGTH = 0.8
_LONG_LEAD = 0.25
_LONG_NEAR_STRENGTH = 0.6
#: An article must cover this much, by two terms at least, to be named as coming close.
_NEAR_COVERAGE = 0.35
#: A second article is quoted too when it fits nearly as well as the first.
_ALSO_FROM = 0.9
_MAX_NEAR = 3
#: An opening says what an article is about; more of it would push the answer out of sight.
_MAX_OPENING_CHARACTERS = 500
#: A paragraph above a line of dashes is a heading too, however long.
_MAX_HEADING_CHARACTERS = 300

NOTHING_FOUND = "I found no article in the knowledge base that answers this."
NEAR_MISSES = "These come closest, but may not answer it:"
ALSO_FITS = "Another article may fit as well:"


#: A line that opens or closes a code block, perhaps behind the marks of lists and quotations.
_FENCE = re.compile(r"^((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}|~{3,})(.*)")
#: A number in brackets, or code, in which it stays what it is.
_NUMBER_OR_CODE = re.compile(r"```.*?```|`[^`]*`|\[(\d+)\]", re.DOTALL)


def _without_numbers(quoted: str) -> str:
    """``quoted`` with its own bracketed numbers escaped, so that they are not taken for sources."""
    return _NUMBER_OR_CODE.sub(lambda found: f"\\[{found[1]}\\]" if found[1] else found[0], quoted)


def _cut(passage: Passage, limit: int) -> Passage:
    """The passage's first ``limit`` characters at most, cut at the end of a line, else of a word,
    unless that would halve it.
    """
    text = passage.text
    if len(text) <= limit:
        return passage
    line_end = text.rfind("\n", limit // 2, limit + 1)
    word_end = max(text.rfind(space, limit // 2, limit + 1) for space in " \t")
    end = next((end for end in (line_end, word_end) if end > 0), limit)
    return Passage(passage.heading, passage.start, text[:end].rstrip())


def _missing_fence(quoted: str) -> str:
    """The line that closes the code block in which ``quoted`` ends; empty when it ends in none."""
    opened = None
    is_in_list = False
    for line in quoted.split("\n"):
        found = _FENCE.match(line)
        if found is None:
            is_in_list = is_in_list or line.lstrip()[:1] in {*"-*+0123456789"}
        elif opened is None:
            is_indented_code = found[1].isspace() and len(found[1]) > 3 and not is_in_list
            if not is_indented_code and found[2][0] not in found[3]:
                opened = found
        elif found[2].startswith(opened[2]) and not found[3].strip():
            opened = None
    return f"\n{re.sub('[^ >]', ' ', opened[1])}{opened[2]}" if opened else ""


class _Quoting:
    """Collects quoted spans and numbers their sources."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.sources: list[Source] = []

    def say(self, text: str) -> None:
        """Add a sentence of our own, which claims nothing about the matter."""
        self.parts.append(text)

    def quote(self, hit: Hit, span: Passage) -> None:
        """Add a span word for word, with its number behind it. A code block that is cut is closed,
        or it would swallow what comes behind.
        """
        number = self._cite(hit, span)
        quoted = span.text + _missing_fence(span.text)
        # Behind a code block or a table the number needs a paragraph of its own, or it would become
        # part of it.
        gap = "\n\n" if quoted.endswith(("```", "~~~", "|")) else " "
        self.parts.append(f"{_without_numbers(quoted)}{gap}[{number}]")

    def quote_article(self, hit: Hit, span: Passage) -> None:
        """Add what the article is about, when that stands before ``span``, and then ``span``."""
        opening = _opening(hit)
        if opening is not None and opening.start < span.start:
            self.quote(hit, opening)
            if span.heading:
                self.say(f"**{shorten(span.heading, _MAX_HEADING_CHARACTERS)}**")
        self.quote(hit, span)

    def name(self, hit: Hit, span: Passage) -> None:
        """Add an article's title, with its number behind it."""
        self.parts.append(f"- {hit.title} [{self._cite(hit, span)}]")

    def _cite(self, hit: Hit, span: Passage) -> int:
        number = len(self.sources) + 1
        self.sources.append(
            Source(
                number=number,
                article_id=hit.article_id,
                title=hit.title,
                heading=shorten(span.heading, _MAX_HEADING_CHARACTERS),
                quote=span.text,
                start=span.start,
                end=span.end,
                collection=hit.collection.name,
                sample=hit.collection.sample,
            )
        )
        return number


def _is_long(result: SearchResult) -> bool:
    return len(result.weights) >= _LONG_TERMS


def _is_answer(result: SearchResult) -> bool:
    best = result.hits[0]
    coverage = result.coverage(best.in_chunk)
    stands_out = (
        _is_long(result) and result.strength(best) >= _LONG_STRENGTH and result.lead() >= _LONG_LEAD
    )
    return stands_out or (
        len(best.in_chunk) >= min(_TERMS, len(result.weights))
        and coverage >= _COVERAGE
        and result.strength(best) >= _STRENGTH
        and (result.lead() >= _LEAD or coverage >= _CLEAR_COVERAGE)
    )


def _opening(hit: Hit) -> Passage | None:
    return _cut(hit.opening, _MAX_OPENING_CHARACTERS) if hit.opening else None


def _best_passage(hit: Hit) -> Passage | None:
    """The passage that fits best; when that is the opening, which is quoted anyway, the one behind
    it.
    """
    found = hit.passage
    if hit.following is not None and found is not None and not found.heading:
        found = hit.following
    return _cut(found, MAX_QUOTE_CHARACTERS) if found else None


def _resolved(result: SearchResult, span: Passage) -> Answer:
    best, rest = result.hits[0], result.hits[1:]
    quoting = _Quoting()
    quoting.quote_article(best, span)
    also = next((hit for hit in rest if hit.score >= _ALSO_FROM * best.score), None)
    if (
        also is not None
        and result.coverage(also.in_chunk) >= _COVERAGE
        and (lead := _opening(also))
    ):
        quoting.say(f"{ALSO_FITS} **{also.title}**")
        quoting.quote(also, lead)
    return Answer("\n\n".join(quoting.parts), True, tuple(quoting.sources))


def _comes_near(hit: Hit, result: SearchResult) -> bool:
    is_strong = _is_long(result) and result.strength(hit) >= _LONG_NEAR_STRENGTH
    covers = result.coverage(hit.matched) >= _NEAR_COVERAGE
    return len(hit.matched) >= _TERMS and (is_strong or covers)


def _unresolved(hits: Sequence[Hit], result: SearchResult) -> Answer:
    near = [(hit, lead) for hit in hits if _comes_near(hit, result) and (lead := _opening(hit))]
    if not near:
        return Answer(NOTHING_FOUND, False)
    quoting = _Quoting()
    for hit, lead in near[:_MAX_NEAR]:
        quoting.name(hit, lead)
    listed = "\n".join(quoting.parts)
    return Answer(f"{NOTHING_FOUND} {NEAR_MISSES}\n\n{listed}", False, tuple(quoting.sources))


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An article that comes near, quoted: ``content`` is Markdown in which ``[n]`` names a source.
    ``coverage`` is its share of what was asked, from 0 to 1.
    """

    article_id: ArticleId
    title: str
    content: str
    sources: tuple[Source, ...]
    coverage: float


def suggestions(result: SearchResult, *, limit: int) -> list[Suggestion]:
    """The articles that come near enough to be worth trying, best first."""
    found = []
    for hit in result.hits:
        span = _best_passage(hit)
        if span is None or not _comes_near(hit, result):
            continue
        quoting = _Quoting()
        quoting.quote_article(hit, span)
        found.append(
            Suggestion(
                hit.article_id,
                hit.title,
                "\n\n".join(quoting.parts),
                tuple(quoting.sources),
                result.coverage(hit.matched),
            )
        )
    return found[:limit]


def compose(result: SearchResult) -> Answer:
    """The answer that a search's result allows."""
    if result.hits and _is_answer(result) and (span := _best_passage(result.hits[0])):
        return _resolved(result, span)
    return _unresolved(result.hits, result)
