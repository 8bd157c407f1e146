"""Lexical search: BM25 over the postings table, title and body scored apart."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Row
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.core.errors import Unavailable
from backend.app.db.models.knowledge import TITLE_PART
from backend.app.domain.knowledge import (
    MAX_QUOTE_CHARACTERS,
    ArticleId,
    Collection,
    CollectionId,
    Hit,
    Passage,
    SearchResult,
    Terms,
)

#: BM25's usual constants (Robertson and Zaragoza 2009); the title's weight was chosen on the dev
#: half of public data (tests/bench/test_retrieval.py).
_K1 = 1.2
_B = 0.75
_TITLE_WEIGHT = 1.0
#: What a chunk must hold of the question's weight, title apart, to be told from the article's other
#: chunks by it; below that its order in the article decides.
_TELLING_SHARE = 0.2
#: A question's rarest terms carry it; beyond this many the rest only costs time.
_MAX_TERMS = 60
#: Postings that are counted of a term to tell whether it is rare; counting all would cost what
#: leaving the common ones out is to save.
_COUNTED_POSTINGS = 2000
#: A ``tsvector`` holds a megabyte of words and positions, and a character has up to four bytes.
_ANALYSED_CHARACTERS = 100_000
#: PostgreSQL's code for a statement that was cancelled, here by its time limit.
_CANCELLED = "57014"


class SearchTooSlow(Unavailable):
    """Searching the knowledge base takes too long right now; try again shortly."""

    retry_after = timedelta(seconds=5)


_ANALYSE = sa.text(
    """
    SELECT t.position, v.lexeme, cardinality(v.positions) AS occurrences
    FROM unnest(CAST(:texts AS text[])) WITH ORDINALITY AS t(content, position),
         LATERAL unnest(to_tsvector('english', t.content)) AS v
    """
)

_LIMIT_TIME = sa.text("SELECT set_config('statement_timeout', :milliseconds, true)")

_SEARCH = sa.text(
    """
    WITH said AS MATERIALIZED (
        SELECT v.lexeme AS term, cardinality(v.positions)::float8 AS asked_tf
        FROM unnest(to_tsvector('english', :question)) AS v
    ), asked AS MATERIALIZED (
        SELECT term, asked_tf
        FROM said CROSS JOIN LATERAL (
            SELECT count(DISTINCT article_number) AS articles
            FROM (
                SELECT article_number FROM kb_postings p
                WHERE p.term = said.term AND (SELECT count(*) FROM said) > :max_terms
                LIMIT :counted_postings
            ) AS counted
        ) AS rarity
        ORDER BY articles, term
        LIMIT :max_terms
    ), corpus AS (
        -- cast, or the driver would take a constant beside a whole number for a whole number
        SELECT CAST(:k1 AS float8) AS k1, CAST(:b AS float8) AS b,
               CAST(:title_weight AS float8) AS title_weight, count(*)::float8 AS n,
               greatest(avg(title_length), 1)::float8 AS title_mean,
               greatest(avg(body_length), 1)::float8 AS body_mean
        FROM kb_articles
    ), found AS MATERIALIZED (
        SELECT p.term, p.article_number,
               coalesce(sum(p.occurrences) FILTER (WHERE p.part = :title_part), 0)::float8
                   AS title_tf,
               coalesce(sum(p.occurrences) FILTER (WHERE p.part <> :title_part), 0)::float8
                   AS body_tf
        FROM kb_postings p JOIN asked USING (term)
        GROUP BY p.term, p.article_number
    ), frequency AS (
        SELECT term, count(*) AS any_df, count(*) FILTER (WHERE title_tf > 0) AS title_df,
               count(*) FILTER (WHERE body_tf > 0) AS body_df
        FROM found GROUP BY term
    ), weighed AS MATERIALIZED (
        SELECT asked.term, asked.asked_tf,
               ln(1 + (n - coalesce(any_df, 0) + 0.5) / (coalesce(any_df, 0) + 0.5)) AS weight,
               ln(1 + (n - coalesce(title_df, 0) + 0.5) / (coalesce(title_df, 0) + 0.5))
                   AS title_idf,
               ln(1 + (n - coalesce(body_df, 0) + 0.5) / (coalesce(body_df, 0) + 0.5)) AS body_idf
        FROM asked CROSS JOIN corpus LEFT JOIN frequency USING (term)
    ), ranked AS MATERIALIZED (
        SELECT found.article_number, array_agg(found.term) AS matched,
               sum(asked_tf * (
                   title_weight * title_idf * title_tf * (k1 + 1)
                       / (title_tf + k1 * (1 - b + b * a.title_length / title_mean))
                   + body_idf * body_tf * (k1 + 1)
                       / (body_tf + k1 * (1 - b + b * a.body_length / body_mean))
               )) AS score
        FROM found JOIN weighed USING (term)
             JOIN kb_articles a ON a.number = found.article_number CROSS JOIN corpus
        GROUP BY found.article_number
        ORDER BY score DESC, found.article_number
        LIMIT :limit
    ), named AS MATERIALIZED (
        SELECT p.article_number, p.term
        FROM ranked JOIN kb_postings p USING (article_number) JOIN weighed USING (term)
        WHERE p.part < 0
        GROUP BY p.article_number, p.term
    ), titled AS (
        SELECT p.article_number, p.term
        FROM ranked JOIN kb_postings p USING (article_number) JOIN weighed USING (term)
        WHERE p.part = :title_part
    ), parts AS (
        SELECT p.article_number, p.part, array_agg(p.term) AS in_part,
               sum(weighed.weight * p.occurrences
                   / (p.occurrences + k1 * (1 - b + b * c.length / 100.0))) AS part_score
        FROM ranked JOIN kb_postings p USING (article_number) JOIN weighed USING (term)
             JOIN kb_chunks c ON c.article_number = p.article_number AND c.ordinal = p.part
             CROSS JOIN corpus
        WHERE NOT EXISTS (
            SELECT FROM titled t WHERE t.article_number = p.article_number AND t.term = p.term
        )
        GROUP BY p.article_number, p.part
        HAVING sum(weighed.weight) >= :telling_share * (SELECT sum(weight) FROM weighed)
    ), best AS (
        SELECT DISTINCT ON (article_number) article_number, part, in_part
        FROM parts ORDER BY article_number, part_score DESC, part
    ), naming AS (
        SELECT article_number, array_agg(term) AS in_name FROM named GROUP BY article_number
    )
    SELECT a.id, a.title, k.id AS collection_id, k.name, k.sample,
           o.heading AS opening_heading, o.start_offset AS opening_start,
           substr(a.body, o.start_offset + 1, least(o.first_end_offset - o.start_offset, :longest))
               AS opening_text,
           c.heading AS passage_heading, c.start_offset AS passage_start,
           substr(a.body, c.start_offset + 1, least(c.end_offset - c.start_offset, :longest))
               AS passage_text,
           f.heading AS following_heading, f.start_offset AS following_start,
           substr(a.body, f.start_offset + 1, least(f.end_offset - f.start_offset, :longest))
               AS following_text,
           (SELECT jsonb_object_agg(term, weight) FROM weighed) AS weights,
           r.score, r.matched, coalesce(b.in_part, '{}') || coalesce(t.in_name, '{}') AS in_chunk
    FROM ranked r
         JOIN kb_articles a ON a.number = r.article_number
         JOIN kb_collections k ON k.id = a.collection_id
         LEFT JOIN best b ON b.article_number = r.article_number
         LEFT JOIN naming t ON t.article_number = r.article_number
         LEFT JOIN kb_chunks o ON o.article_number = r.article_number AND o.ordinal = 0
         LEFT JOIN kb_chunks c
             ON c.article_number = r.article_number AND c.ordinal = coalesce(b.part, 0)
         LEFT JOIN kb_chunks f
             ON f.article_number = r.article_number AND f.ordinal = 1 AND c.ordinal = 0
    ORDER BY r.score DESC, r.article_number
    """
)


def _pieces(text: str) -> Iterator[str]:
    """``text`` in pieces that PostgreSQL analyses whatever they hold, cut between words."""
    start = 0
    while len(text) - start > _ANALYSED_CHARACTERS:
        end = text.rfind(" ", start, start + _ANALYSED_CHARACTERS)
        end = end if end > start else start + _ANALYSED_CHARACTERS
        yield text[start:end]
        start = end
    yield text[start:]


def _passage(heading: str | None, start: int | None, text: str | None) -> Passage | None:
    if heading is None or start is None or text is None:
        return None
    return Passage(heading, start, text)


def _hit(row: Row[tuple[object, ...]]) -> Hit:
    return Hit(
        article_id=ArticleId(row.id),
        title=row.title,
        collection=Collection(CollectionId(row.collection_id), row.name, row.sample),
        opening=_passage(row.opening_heading, row.opening_start, row.opening_text),
        passage=_passage(row.passage_heading, row.passage_start, row.passage_text),
        following=_passage(row.following_heading, row.following_start, row.following_text),
        score=row.score,
        matched=frozenset(row.matched),
        in_chunk=frozenset(row.in_chunk),
    )


class SearchRepository:
    """What texts are found by, and what is found for a question."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def analyse(self, texts: Sequence[str]) -> list[Terms]:
        """What each text is found by, in PostgreSQL's English configuration."""
        pieces = [(number, piece) for number, text in enumerate(texts) for piece in _pieces(text)]
        counts: list[Counter[str]] = [Counter() for _ in texts]
        for row in await self._session.execute(_ANALYSE, {"texts": [piece for _, piece in pieces]}):
            number, _ = pieces[row.position - 1]
            counts[number][row.lexeme] += row.occurrences
        return [Terms(dict(found)) for found in counts]

    async def hits(self, question: str, *, limit: int, within_seconds: float) -> SearchResult:
        """The articles whose terms fit ``question`` best; ``question`` is words apart by spaces.

        Raises:
            SearchTooSlow: the time is over; the transaction is lost.
        """
        parameters: Mapping[str, object] = {
            "question": question,
            "title_part": TITLE_PART,
            "title_weight": _TITLE_WEIGHT,
            "k1": _K1,
            "b": _B,
            "telling_share": _TELLING_SHARE,
            "limit": limit,
            "max_terms": _MAX_TERMS,
            "counted_postings": _COUNTED_POSTINGS,
            # one more: see Passage
            "longest": MAX_QUOTE_CHARACTERS + 1,
        }
        await self._session.execute(
            _LIMIT_TIME, {"milliseconds": str(max(1, round(within_seconds * 1000)))}
        )
        try:
            rows = (await self._session.execute(_SEARCH, parameters)).all()
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == _CANCELLED:
                raise SearchTooSlow from error
            raise
        weights = rows[0].weights if rows else {}
        return SearchResult(tuple(_hit(row) for row in rows), weights)
