"""Lexical search: BM25 over the postings table, title and body scored apart."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Row
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models.knowledge import TITLE_PART
from backend.app.domain.knowledge import (
    ArticleId,
    Chunk,
    Collection,
    CollectionId,
    Hit,
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

_ANALYSE = sa.text(
    """
    SELECT t.position, v.lexeme, cardinality(v.positions) AS occurrences
    FROM unnest(CAST(:texts AS text[])) WITH ORDINALITY AS t(content, position),
         LATERAL unnest(to_tsvector('english', t.content)) AS v
    """
)

_SEARCH = sa.text(
    """
    WITH asked AS (
        SELECT v.lexeme AS term, cardinality(v.positions)::float8 AS asked_tf
        FROM unnest(to_tsvector('english', :question)) AS v
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
        ORDER BY weight DESC, term
        LIMIT :max_terms
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
    SELECT a.id, a.title, a.body, k.id AS collection_id, k.name, k.sample,
           c.heading, c.start_offset, c.end_offset,
           (SELECT jsonb_object_agg(term, weight) FROM weighed) AS weights,
           r.score, r.matched, coalesce(b.in_part, '{}') || coalesce(t.in_name, '{}') AS in_chunk
    FROM ranked r
         JOIN kb_articles a ON a.number = r.article_number
         JOIN kb_collections k ON k.id = a.collection_id
         LEFT JOIN best b ON b.article_number = r.article_number
         LEFT JOIN naming t ON t.article_number = r.article_number
         LEFT JOIN kb_chunks c
             ON c.article_number = r.article_number AND c.ordinal = coalesce(b.part, 0)
    ORDER BY r.score DESC, r.article_number
    """
)


def _hit(row: Row[tuple[object, ...]]) -> Hit:
    return Hit(
        article_id=ArticleId(row.id),
        title=row.title,
        body=row.body,
        collection=Collection(CollectionId(row.collection_id), row.name, row.sample),
        chunk=Chunk(row.heading or "", row.start_offset or 0, row.end_offset or 0),
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
        counts: list[dict[str, int]] = [{} for _ in texts]
        for row in await self._session.execute(_ANALYSE, {"texts": list(texts)}):
            counts[row.position - 1][row.lexeme] = row.occurrences
        return [Terms(found) for found in counts]

    async def hits(self, question: str, *, limit: int) -> SearchResult:
        """The articles whose terms fit ``question`` best; ``question`` is words apart by spaces."""
        parameters: Mapping[str, object] = {
            "question": question,
            "title_part": TITLE_PART,
            "title_weight": _TITLE_WEIGHT,
            "k1": _K1,
            "b": _B,
            "telling_share": _TELLING_SHARE,
            "limit": limit,
            "max_terms": _MAX_TERMS,
        }
        rows = (await self._session.execute(_SEARCH, parameters)).all()
        weights = rows[0].weights if rows else {}
        return SearchResult(tuple(_hit(row) for row in rows), weights)
