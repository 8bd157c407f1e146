"""The rule-based answer: spans quoted from the articles that were found, each with its source, or
an honest no.

Nothing is said that an article does not say. What is decided here is only whether the best article
answers the question, and which of its spans to quote. The signals for the first are weak ones
(measured on public questions by tests/bench): how much of the question's weight the article's name
and chunk cover, its score per unit of that weight, and its lead over the second.
"""

import re
from collections.abc import Sequence

from backend.app.domain.chat import Answer, Source
from backend.app.domain.knowledge import Chunk, Hit, SearchResult
from backend.app.services.knowledge.chunking import Block, blocks, chunks

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
_MAX_QUOTE_CHARACTERS = 1400

NOTHING_FOUND = "I found no article in the knowledge base that answers this."
NEAR_MISSES = "These come closest, but may not answer it:"
ALSO_FITS = "Another article may fit as well:"


#: A number in brackets, or code, in which it stays what it is.
_NUMBER_OR_CODE = re.compile(r"```.*?```|`[^`]*`|\[(\d+)\]", re.DOTALL)


def _without_numbers(quoted: str) -> str:
    """``quoted`` with its own bracketed numbers escaped, so that they are not taken for sources."""
    return _NUMBER_OR_CODE.sub(lambda found: f"\\[{found[1]}\\]" if found[1] else found[0], quoted)


class _Quoting:
    """Collects quoted spans and numbers their sources."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.sources: list[Source] = []

    def say(self, text: str) -> None:
        """Add a sentence of our own, which claims nothing about the matter."""
        self.parts.append(text)

    def quote(self, hit: Hit, span: Block) -> None:
        """Add a span word for word, with its number behind it."""
        number = self._cite(hit, span)
        quoted = hit.body[span.start : span.end]
        # Behind a code block or a table the number needs a paragraph of its own, or it would become
        # part of it.
        gap = "\n\n" if quoted.endswith(("```", "~~~", "|")) else " "
        self.parts.append(f"{_without_numbers(quoted)}{gap}[{number}]")

    def name(self, hit: Hit, span: Block) -> None:
        """Add an article's title, with its number behind it."""
        self.parts.append(f"- {hit.title} [{self._cite(hit, span)}]")

    def _cite(self, hit: Hit, span: Block) -> int:
        number = len(self.sources) + 1
        self.sources.append(
            Source(
                number=number,
                article_id=hit.article_id,
                title=hit.title,
                heading=span.heading,
                quote=hit.body[span.start : span.end],
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


def _opening(hit: Hit) -> Block | None:
    return next(iter(blocks(hit.body)), None)


def _best_chunk(hit: Hit) -> Chunk:
    """The chunk that fits best; when that is the opening, which is quoted anyway, the one behind
    it.
    """
    parts = chunks(hit.body)
    if len(parts) > 1 and hit.chunk.start == parts[0].start and not parts[0].heading:
        return parts[1]
    return hit.chunk


def _quotable(hit: Hit, chunk: Chunk) -> Block:
    """The chunk, cut between blocks where it is too long to quote."""
    inside = [block for block in blocks(hit.body) if chunk.start <= block.start < chunk.end]
    end = chunk.start
    for block in inside:
        if end > chunk.start and block.end - chunk.start > _MAX_QUOTE_CHARACTERS:
            break
        end = min(block.end, chunk.start + _MAX_QUOTE_CHARACTERS)
    return Block(chunk.heading, chunk.start, max(end, chunk.start))


def _resolved(result: SearchResult) -> Answer:
    best, rest = result.hits[0], result.hits[1:]
    quoting = _Quoting()
    opening, span = _opening(best), _quotable(best, _best_chunk(best))
    if opening is not None and opening.start < span.start:
        quoting.quote(best, opening)
        if span.heading:
            quoting.say(f"**{span.heading}**")
    quoting.quote(best, span)
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


def compose(result: SearchResult) -> Answer:
    """The answer that a search's result allows."""
    if result.hits and _is_answer(result):
        return _resolved(result)
    return _unresolved(result.hits, result)
