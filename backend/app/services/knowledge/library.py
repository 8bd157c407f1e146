"""The knowledge base as its users see it: bring a collection up to date, remove it, open an
article, search.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

from backend.app.core.errors import Conflict, NotFound
from backend.app.core.ids import IdSource
from backend.app.db.repositories.knowledge import CollectionBusy
from backend.app.db.repositories.search import SearchTooSlow
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
from backend.app.services.knowledge.reading import UnreadableArticle
from backend.app.services.knowledge.words import words

#: Raised when chunking or analysis changes, so that the next import indexes everything anew.
_INDEX_VERSION = 1
#: An import begins anew when another one changed the collection while it was prepared.
_IMPORT_TRIES = 5
#: More pieces than any article has that people read, and far from what the index can number.
_MAX_CHUNKS = 2000
#: Each piece repeats the headings above it. Characters, of one article.
_MAX_HEADINGS = 2_000_000


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
            changed.append(_Prepared(source, digest, _pieces(source)))
    return changed, keys


def _pieces(source: ArticleSource) -> tuple[Chunk, ...]:
    pieces = tuple(chunks(source.body))
    if len(pieces) > _MAX_CHUNKS or sum(len(piece.heading) for piece in pieces) > _MAX_HEADINGS:
        raise UnreadableArticle(f"{source.key}: too many sections; split it into several articles.")
    return pieces


@dataclass(frozen=True, slots=True)
class KnowledgeLibrary:
    """Import, search and read articles."""

    uow: UnitOfWork
    ids: IdSource
    #: So many searches run at once. Half of the connections that the pool has unless set otherwise:
    #: however slow searching becomes, everything else still gets one.
    searches: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(5))
    #: A search takes milliseconds; one that takes so long will not get better, and the person who
    #: waits in a queue no longer than that either.
    search_seconds: float = 3.0
    #: How long an import waits for another of the same collection: below the time a statement may
    #: take, whose end would be told as a fault.
    import_wait_seconds: float = 5.0

    async def bring_up_to_date(
        self, name: str, sources: Iterable[ArticleSource], *, sample: bool = False
    ) -> ImportReport:
        """Make the collection hold exactly ``sources``, all or nothing.

        Raises:
            UnreadableArticle: an article cannot be read.
            RepeatedArticle: two have the same key.
            ReservedCollection: the name belongs to the sample articles.
            CollectionBusy: others import into or remove the collection at the same time.
        """
        if (name == SAMPLE_COLLECTION) != sample:
            raise ReservedCollection
        given = await asyncio.to_thread(list, sources)
        for _ in range(_IMPORT_TRIES):
            async with self.uow() as work:
                found = await work.knowledge.collection(name)
                known = await work.knowledge.digests(found.id) if found else {}
            # Takes long, and so happens outside of the transaction that locks.
            changed, keys = await asyncio.to_thread(_prepare, given, known)
            report = await self._apply(
                Collection(self._new_id(), name, sample), known, changed, keys
            )
            if report is not None:
                # Apart, since it locks out another import's until its transaction ends.
                async with self.uow() as work:
                    await work.knowledge.refresh_statistics()
                return report
        raise CollectionBusy

    def _new_id(self) -> CollectionId:
        return CollectionId(self.ids.uuid())

    async def _apply(
        self,
        collection: Collection,
        known: dict[str, bytes],
        changed: Sequence[_Prepared],
        keys: set[str],
    ) -> ImportReport | None:
        """Write what was prepared against ``known``; None when the collection is no longer that."""
        async with self.uow() as work:
            await work.knowledge.lock_collection(
                collection.name, within_seconds=self.import_wait_seconds
            )
            taken = await work.knowledge.take_collection(collection)
            if await work.knowledge.digests(taken.id) != known:
                return None
            for prepared in changed:
                await self._put(work, taken, prepared)
            removed = known.keys() - keys
            await work.knowledge.delete_articles(taken.id, removed)
            added = sum(prepared.source.key not in known for prepared in changed)
            report = ImportReport(
                added, len(changed) - added, len(keys) - len(changed), len(removed)
            )
            if changed or removed:
                await work.facts.tell(
                    KnowledgeImported(
                        collection=taken.name,
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
        """Remove a collection with its articles; how many there were.

        Raises:
            CollectionNotFound: there is none of this name.
            CollectionBusy: somebody imports into it at the same time.
        """
        async with self.uow() as work:
            await work.knowledge.lock_collection(name, within_seconds=self.import_wait_seconds)
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
        """The articles that fit a question best, best first.

        Raises:
            SearchTooSlow: it, or the searches before it, take too long.
        """
        await self._wait_for_turn()
        try:
            async with self.uow() as work:
                return await work.search.hits(
                    words(question), limit=limit, within_seconds=self.search_seconds
                )
        finally:
            self.searches.release()

    async def _wait_for_turn(self) -> None:
        try:
            async with asyncio.timeout(self.search_seconds):
                await self.searches.acquire()
        except TimeoutError as error:
            raise SearchTooSlow from error
