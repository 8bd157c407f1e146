"""The rule-based answer: spans quoted from the articles that were found, each with its source, or
an honest no.

Nothing is said that an article does not say. What is decided here is only whether the best article
answers the question, and which of its spans to quote; both by how much of the question's weight
(inverse document frequency) they cover, the best single signal measured for this
(tests/bench/test_retrieval.py).
"""

from collections.abc import Sequence

from backend.app.domain.chat import Answer, Source
from backend.app.domain.knowledge import Hit, SearchResult
from backend.app.services.knowledge.chunking import Block, blocks

#: Share of the question's weight that title and chunk of the best article must cover to count as an
#: answer.
_ANSWERS_FROM = 0.5
#: Share that an article must cover to be named as coming close.
_NEAR_FROM = 0.3
#: A second article is quoted too when it fits nearly as well as the first.
_ALSO_FROM = 0.9
_MAX_NEAR = 3
_MAX_QUOTE_CHARACTERS = 1400

NOTHING_FOUND = "I found no article in the knowledge base that answers this."
NEAR_MISSES = "These come closest, but may not answer it:"
ALSO_FITS = "Another article may fit as well:"


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
        self.parts.append(f"{quoted}{gap}[{number}]")

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


def _opening(hit: Hit) -> Block | None:
    return next(iter(blocks(hit.body)), None)


def _best_span(hit: Hit) -> Block:
    """The hit's chunk, cut between blocks where it is too long to quote."""
    inside = [block for block in blocks(hit.body) if hit.chunk.start <= block.start < hit.chunk.end]
    end = hit.chunk.start
    for block in inside:
        if end > hit.chunk.start and block.end - hit.chunk.start > _MAX_QUOTE_CHARACTERS:
            break
        end = min(block.end, hit.chunk.start + _MAX_QUOTE_CHARACTERS)
    return Block(hit.chunk.heading, hit.chunk.start, end or hit.chunk.end)


def _resolved(hits: Sequence[Hit], result: SearchResult) -> Answer:
    best, rest = hits[0], hits[1:]
    quoting = _Quoting()
    opening, span = _opening(best), _best_span(best)
    if opening is not None and opening.start < span.start:
        quoting.quote(best, opening)
        if span.heading:
            quoting.say(f"**{span.heading}**")
    quoting.quote(best, span)
    also = next((hit for hit in rest if hit.score >= _ALSO_FROM * best.score), None)
    if (
        also is not None
        and result.coverage(also.in_chunk) >= _ANSWERS_FROM
        and (lead := _opening(also))
    ):
        quoting.say(f"{ALSO_FITS} **{also.title}**")
        quoting.quote(also, lead)
    return Answer("\n\n".join(quoting.parts), True, tuple(quoting.sources))


def _unresolved(hits: Sequence[Hit], result: SearchResult) -> Answer:
    near = [
        (hit, lead)
        for hit in hits
        if result.coverage(hit.matched) >= _NEAR_FROM and (lead := _opening(hit))
    ]
    if not near:
        return Answer(NOTHING_FOUND, False)
    quoting = _Quoting()
    for hit, lead in near[:_MAX_NEAR]:
        quoting.name(hit, lead)
    listed = "\n".join(quoting.parts)
    return Answer(f"{NOTHING_FOUND} {NEAR_MISSES}\n\n{listed}", False, tuple(quoting.sources))


def compose(result: SearchResult) -> Answer:
    """The answer that a search's result allows."""
    hits = result.hits
    if hits and result.coverage(hits[0].in_chunk) >= _ANSWERS_FROM:
        return _resolved(hits, result)
    return _unresolved(hits, result)
