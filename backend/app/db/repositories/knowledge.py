"""The knowledge base: collections, articles, and BM25 over a postings table."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, time

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import Row
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import ArticleRow, ChunkRow, CollectionRow, PostingRow
from backend.app.db.models.knowledge import QUESTIONS_PART, TITLE_PART
from backend.app.domain.knowledge import (
    Article,
    ArticleId,
    ArticleSource,
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


def _collection(row: CollectionRow) -> Collection:
    return Collection(CollectionId(row.id), row.name, row.sample)


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


class KnowledgeRepository:
    """Reads and writes of collections, articles and their index."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def collection(self, name: str) -> Collection | None:
        """The collection of this name, unless it was removed."""
        row = await self._collection_row(name)
        return _collection(row) if row is not None and row.removed_at is None else None

    async def was_removed(self, name: str) -> bool:
        """Whether there was a collection of this name that somebody removed."""
        row = await self._collection_row(name)
        return row is not None and row.removed_at is not None

    async def _collection_row(self, name: str) -> CollectionRow | None:
        row: CollectionRow | None = await self._session.scalar(
            sa.select(CollectionRow).where(CollectionRow.name == name)
        )
        return row

    async def take_collection(self, collection: Collection) -> Collection:
        """The collection of this name, made when missing, locked against other imports."""
        statement = insert(CollectionRow).values(
            id=collection.id, name=collection.name, sample=collection.sample
        )
        taken = statement.on_conflict_do_update(
            index_elements=[CollectionRow.name], set_={"removed_at": None}
        )
        return _collection((await self._session.scalars(taken.returning(CollectionRow))).one())

    async def remove_collection(self, name: str) -> int | None:
        """Delete a collection's articles; how many, or None without such a collection."""
        found = await self.collection(name)
        if found is None:
            return None
        await self._session.execute(
            sa.update(CollectionRow)
            .where(CollectionRow.id == found.id)
            .values(removed_at=sa.func.now())
        )
        deleted = sa.delete(ArticleRow).where(ArticleRow.collection_id == found.id)
        return len((await self._session.scalars(deleted.returning(ArticleRow.number))).all())

    async def digests(self, collection_id: CollectionId) -> dict[str, bytes]:
        """Digest by key of every article of a collection."""
        query = sa.select(ArticleRow.key, ArticleRow.digest).where(
            ArticleRow.collection_id == collection_id
        )
        return {row.key: row.digest for row in await self._session.execute(query)}

    async def analyse(self, texts: Sequence[str]) -> list[Terms]:
        """What each text is found by, in PostgreSQL's English configuration."""
        counts: list[dict[str, int]] = [{} for _ in texts]
        for row in await self._session.execute(_ANALYSE, {"texts": list(texts)}):
            counts[row.position - 1][row.lexeme] = row.occurrences
        return [Terms(found) for found in counts]

    async def put_article(
        self,
        article_id: ArticleId,
        collection_id: CollectionId,
        source: ArticleSource,
        digest: bytes,
        *,
        title: Terms,
        questions: Terms,
        chunks: Sequence[tuple[Chunk, Terms]],
    ) -> None:
        """Store an article with its index, in place of the one with the same key, whose id it
        keeps.
        """
        values = {
            "title": source.title,
            "body": source.body,
            "tags": list(source.tags),
            "questions": list(source.questions),
            "digest": digest,
            "title_length": title.length,
            "body_length": questions.length + sum(terms.length for _, terms in chunks),
            "updated_on": source.updated_on,
            "imported_at": sa.func.now(),
        }
        statement = insert(ArticleRow).values(
            id=article_id, collection_id=collection_id, key=source.key, **values
        )
        upsert = statement.on_conflict_do_update(
            index_elements=[ArticleRow.collection_id, ArticleRow.key], set_=values
        ).returning(ArticleRow.number)
        number = (await self._session.execute(upsert)).scalar_one()
        await self._session.execute(
            sa.delete(PostingRow).where(PostingRow.article_number == number)
        )
        await self._session.execute(sa.delete(ChunkRow).where(ChunkRow.article_number == number))
        await self._add_chunks(number, chunks)
        parts = [(TITLE_PART, title), (QUESTIONS_PART, questions)]
        parts += [(ordinal, terms) for ordinal, (_, terms) in enumerate(chunks)]
        await self._add_postings(number, parts)

    async def _add_chunks(self, number: int, chunks: Sequence[tuple[Chunk, Terms]]) -> None:
        rows = [
            {
                "article_number": number,
                "ordinal": ordinal,
                "heading": chunk.heading,
                "start_offset": chunk.start,
                "end_offset": chunk.end,
                "length": terms.length,
            }
            for ordinal, (chunk, terms) in enumerate(chunks)
        ]
        if rows:
            await self._session.execute(sa.insert(ChunkRow), rows)

    async def _add_postings(self, number: int, parts: Sequence[tuple[int, Terms]]) -> None:
        rows = [
            {"term": term, "article_number": number, "part": part, "occurrences": occurrences}
            for part, terms in parts
            for term, occurrences in terms.counts.items()
        ]
        if rows:
            await self._session.execute(sa.insert(PostingRow), rows)

    async def delete_articles(self, collection_id: CollectionId, keys: Iterable[str]) -> None:
        """Delete the articles with these keys."""
        await self._session.execute(
            sa.delete(ArticleRow).where(
                ArticleRow.collection_id == collection_id, ArticleRow.key.in_(list(keys))
            )
        )

    async def article(self, article_id: ArticleId) -> Article | None:
        """The article with this id."""
        query = (
            sa.select(ArticleRow, CollectionRow)
            .join(CollectionRow, CollectionRow.id == ArticleRow.collection_id)
            .where(ArticleRow.id == article_id)
        )
        found = (await self._session.execute(query)).one_or_none()
        if found is None:
            return None
        row, collection = found
        updated_at = (
            datetime.combine(row.updated_on, time(), UTC) if row.updated_on else row.imported_at
        )
        return Article(
            id=ArticleId(row.id),
            collection=_collection(collection),
            title=row.title,
            body=row.body,
            tags=tuple(row.tags),
            updated_at=updated_at,
        )

    async def questions(self, *, limit: int) -> list[str]:
        """Example questions that articles say they answer, spread over the knowledge base, the same
        ones each day.
        """
        spread = sa.func.md5(
            sa.func.concat(sa.cast(ArticleRow.id, sa.Text), sa.func.current_date())
        )
        query = (
            sa.select(ArticleRow.questions[0].astext)
            .where(sa.func.jsonb_array_length(ArticleRow.questions) > 0)
            .order_by(spread)
            .limit(limit)
        )
        return list(await self._session.scalars(query))

    async def search(self, question: str, *, limit: int) -> SearchResult:
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
