"""The knowledge base as its users see it: bring a collection up to date, remove it, open an
article, search.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from backend.app.core.errors import Conflict, NotFound
from backend.app.core.ids import IdSource
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain.events import KnowledgeImported, KnowledgeRemoved
from backend.app.domain.knowledge import (
    SAMPLE_COLLECTION,
    Article,
    ArticleId,
    ArticleSource,
    Chunk,
    Collection,
    CollectionId,
    ImportReport,
    SearchResult,
)
from backend.app.services.knowledge.chunking import chunks
from backend.app.services.knowledge.words import words

#: Raised when chunking or analysis changes, so that the next import indexes everything anew.
_INDEX_VERSION = 1


class ArticleNotFound(NotFound):
    """There is no such article; it may have been removed."""


class CollectionNotFound(NotFound):
    """There is no such collection."""


class RepeatedArticle(Conflict):
    """Two articles of the import have the same key."""


class ReservedCollection(Conflict):
    """The name of the sample collection is reserved for the articles that ship with the product."""


def _digest(source: ArticleSource) -> bytes:
    canonical = json.dumps([_INDEX_VERSION, asdict(source)], sort_keys=True, default=str)
    return hashlib.sha256(canonical.encode()).digest()


@dataclass(frozen=True, slots=True)
class _Prepared:
    source: ArticleSource
    digest: bytes
    chunks: tuple[Chunk, ...]


def _prepare(
    sources: Iterable[ArticleSource], known: dict[str, bytes]
) -> tuple[list[_Prepared], set[str]]:
    """The articles that differ from what is stored, chunked, and the keys of all."""
    changed: list[_Prepared] = []
    keys: set[str] = set()
    for source in sources:
        if source.key in keys:
            raise RepeatedArticle(f"Two articles have the key {source.key}.")
        keys.add(source.key)
        digest = _digest(source)
        if known.get(source.key) != digest:
            changed.append(_Prepared(source, digest, tuple(chunks(source.body))))
    return changed, keys


@dataclass(frozen=True, slots=True)
class KnowledgeLibrary:
    """Import, search and read articles."""

    uow: UnitOfWork
    ids: IdSource

    async def bring_up_to_date(
        self, name: str, sources: Iterable[ArticleSource], *, sample: bool = False
    ) -> ImportReport:
        """Make the collection hold exactly ``sources``, all or nothing.

        Raises:
            UnreadableArticle: an article cannot be read.
            RepeatedArticle: two have the same key.
            ReservedCollection: the name belongs to the sample articles.
        """
        if (name == SAMPLE_COLLECTION) != sample:
            raise ReservedCollection
        async with self.uow() as work:
            found = await work.knowledge.collection(name)
            known = await work.knowledge.digests(found.id) if found else {}
        changed, keys = await asyncio.to_thread(_prepare, sources, known)
        async with self.uow() as work:
            collection = await work.knowledge.take_collection(
                Collection(CollectionId(self.ids.uuid()), name, sample)
            )
            stored = set(await work.knowledge.digests(collection.id))
            for prepared in changed:
                await self._put(work, collection, prepared)
            removed = stored - keys
            await work.knowledge.delete_articles(collection.id, removed)
            added = sum(prepared.source.key not in stored for prepared in changed)
            report = ImportReport(
                added, len(changed) - added, len(keys) - len(changed), len(removed)
            )
            if changed or removed:
                await work.facts.tell(
                    KnowledgeImported(
                        collection=name,
                        added=report.added,
                        changed=report.changed,
                        removed=report.removed,
                    )
                )
        return report

    async def _put(self, work: Work, collection: Collection, prepared: _Prepared) -> None:
        source = prepared.source
        texts = [
            words(f"{chunk.heading} {source.body[chunk.start : chunk.end]}")
            for chunk in prepared.chunks
        ]
        title, questions, *of_chunks = await work.search.analyse(
            [words(source.title), words(" ".join(source.questions)), *texts]
        )
        await work.knowledge.put_article(
            ArticleId(self.ids.uuid()),
            collection.id,
            source,
            prepared.digest,
            title=title,
            questions=questions,
            chunks=list(zip(prepared.chunks, of_chunks, strict=True)),
        )

    async def remove(self, name: str) -> int:
        """Remove a collection with its articles; how many there were."""
        async with self.uow() as work:
            articles = await work.knowledge.remove_collection(name)
            if articles is None:
                raise CollectionNotFound(f"There is no collection {name}.")
            await work.facts.tell(KnowledgeRemoved(collection=name, articles=articles))
        return articles

    async def was_removed(self, name: str) -> bool:
        """Whether somebody removed this collection, so that it is not to come back by itself."""
        async with self.uow() as work:
            return await work.knowledge.was_removed(name)

    async def article(self, article_id: ArticleId) -> Article:
        """The article, or `ArticleNotFound`."""
        async with self.uow() as work:
            article = await work.knowledge.article(article_id)
        if article is None:
            raise ArticleNotFound
        return article

    async def questions(self, *, limit: int) -> list[str]:
        """Questions that articles say they answer, spread over the knowledge base."""
        async with self.uow() as work:
            return await work.knowledge.questions(limit=limit)

    async def search(self, question: str, *, limit: int = 8) -> SearchResult:
        """The articles that fit a question best, best first."""
        async with self.uow() as work:
            return await work.search.hits(words(question), limit=limit)
