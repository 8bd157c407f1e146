"""The knowledge base: collections of articles, cut into chunks, found by their terms."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import NewType
from uuid import UUID

ArticleId = NewType("ArticleId", UUID)
CollectionId = NewType("CollectionId", UUID)

SAMPLE_COLLECTION = "sample"
#: The longest quote of an article, in characters.
MAX_QUOTE_CHARACTERS = 1400


@dataclass(frozen=True, slots=True)
class Collection:
    """A named body of articles that is imported and removed as one. ``sample`` marks what ships
    with the product.
    """

    id: CollectionId
    name: str
    sample: bool


@dataclass(frozen=True, slots=True)
class ArticleSource:
    """An article as read from a file or line, not yet stored. ``key`` is its identity within the
    collection.
    """

    key: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    updated_on: date | None = None


@dataclass(frozen=True, slots=True)
class Article:
    """A stored article. ``body`` is Markdown; spans are code point offsets into it."""

    id: ArticleId
    collection: Collection
    title: str
    body: str
    tags: tuple[str, ...]
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of an article's body under one heading: ``body[start:end]``. Its first block (a
    paragraph, a list item) is ``body[start:first_end]``.
    """

    heading: str
    start: int
    end: int
    first_end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """What may be quoted of an article, under ``heading``: ``text`` stands in the body from
    ``start`` on.

    One that is longer than `MAX_QUOTE_CHARACTERS` comes with one character more, and no further:
    whoever cuts it sees whether a word ends there.
    """

    heading: str
    start: int
    text: str

    @property
    def end(self) -> int:
        """Where the text ends in the body."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a text is found by: each lexeme with how often it occurs, and their number in all."""

    counts: dict[str, int]

    @property
    def length(self) -> int:
        """Number of lexemes, repeats counted."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Hit:
    """An article found for a question, with what of it may be quoted: ``passage`` is its best
    chunk, ``opening`` its first block, ``following`` the second chunk when the best is the first.
    An article of nothing but headings has none.

    ``score`` is the article's BM25 (only comparable within one search). ``weights`` holds for every
    term of the question its inverse document frequency; ``matched`` those that occur in the
    article, ``in_chunk`` those that occur in the title or the chunk.
    """

    article_id: ArticleId
    title: str
    collection: Collection
    opening: Passage | None
    passage: Passage | None
    following: Passage | None
    score: float
    matched: frozenset[str]
    in_chunk: frozenset[str]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, best first, with the weight of every term that was looked for."""

    hits: tuple[Hit, ...]
    weights: dict[str, float]

    def coverage(self, terms: frozenset[str]) -> float:
        """The share of the question's weight that ``terms`` carry, from 0 to 1."""
        total = sum(self.weights.values())
        covered = sum(weight for term, weight in self.weights.items() if term in terms)
        return covered / total if total else 0.0

    def strength(self, hit: Hit) -> float:
        """The hit's score per unit of the question's weight; comparable between questions."""
        total = sum(self.weights.values())
        return hit.score / total if total else 0.0

    def lead(self) -> float:
        """How far the best hit is ahead of the second, as a share of its score; 1 when alone."""
        if len(self.hits) < 2:
            return float(bool(self.hits))
        best, second = self.hits[0].score, self.hits[1].score
        return (best - second) / best if best > 0 else 0.0


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, in numbers of articles."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
