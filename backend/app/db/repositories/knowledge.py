"""The knowledge base: collections, articles, and what they are found by."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.core.errors import Conflict
from backend.app.db.models import ArticleRow, ChunkRow, CollectionRow, PostingRow
from backend.app.db.models.knowledge import QUESTIONS_PART, TITLE_PART
from backend.app.domain.knowledge import (
    Article,
    ArticleId,
    ArticleSource,
    Chunk,
    Collection,
    CollectionId,
    Terms,
)

#: PostgreSQL's code for a lock that was waited for too long.
_LOCK_NOT_AVAILABLE = "55P03"


class CollectionBusy(Conflict):
    """Another import or removal of this collection is going on; try again when it has ended."""


def _collection(row: CollectionRow) -> Collection:
    return Collection(CollectionId(row.id), row.name, row.sample)


_ANALYZE = sa.text("ANALYZE kb_articles, kb_chunks, kb_postings")


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

    async def lock_collection(self, name: str, *, within_seconds: float) -> None:
        """Keep others from importing or removing the collection until this transaction ends.

        Raises:
            CollectionBusy: somebody else keeps it; the transaction is lost.
        """
        # Not the row's lock: there need be no row yet, and waiting for another's uncommitted one
        # would end at the statement's time limit.
        await self._session.execute(
            sa.select(sa.func.set_config("lock_timeout", str(round(within_seconds * 1000)), True))
        )
        key = sa.func.hashtextextended(f"kb_collections {name}", 0)
        try:
            await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
                raise CollectionBusy from error
            raise

    async def take_collection(self, collection: Collection) -> Collection:
        """The collection of this name, made when missing."""
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
                "first_end_offset": chunk.first_end,
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
        # One argument, however many keys: a statement takes 32,767 at most.
        named = sa.literal(list(keys), sa.ARRAY(sa.Text))
        await self._session.execute(
            sa.delete(ArticleRow).where(
                ArticleRow.collection_id == collection_id, ArticleRow.key == sa.any_(named)
            )
        )

    async def refresh_statistics(self) -> None:
        """Tell the planner how the tables look now; by itself it would learn of it a minute later,
        and plan searches for empty tables until then.
        """
        await self._session.execute(_ANALYZE)

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
