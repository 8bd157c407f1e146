"""Checkpoints: LangGraph's savers, with a fence in front of every write.

Two processes may write one thread, and the saver would take both. Here a write is the second
statement of a transaction whose first one demands the claim, so that what a stalled or
disconnected owner still writes changes nothing.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
)
from langgraph.checkpoint.base.id import UUID  # whose time knows version 6; Python's own does not
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from backend.app.core.errors import Conflict, Unavailable
from backend.app.core.logging import get_logger
from backend.app.core.settings import CheckpointBackend, CheckpointSettings
from backend.app.db.engine import IDLE_IN_TRANSACTION, TRUSTED_SECONDS, for_libpq
from backend.app.domain.runs import Claim, ThreadId
from backend.app.services.runs.counting import (
    LOST,
    CountCheckpoint,
    CountedSaver,
    MemorySaver,
    SqliteSaver,
    count_nothing,
    counted,
)

T = TypeVar("T")

#: Under this key the claim travels in a run's config; LangGraph keeps keys that begin so out of the
#: stored metadata.
CLAIM_KEY = "__claim"
_LATEST = "SELECT max(checkpoint_id) AS latest FROM checkpoints WHERE thread_id = %s"
#: From the beginning of a UUID's time, in 1582, to that of Unix; in 100 ns.
_EPOCH_TICKS = 0x01B21DD213814000
_FENCE = "SELECT require_claim(%s, %s, %s)"
#: What this version of the library makes; the migration made the same.
LIBRARY_VERSIONS = list(range(len(AsyncPostgresSaver.MIGRATIONS)))

#: How long a write may hold its claim's row. PostgreSQL takes a pipeline that was not ended to be
#: active: the limit on idle transactions never ends that of a process that was stopped within one,
#: and nobody could take its run over. Long enough to wait for two others that were stopped.
WRITE_WITHIN = timedelta(milliseconds=2 * int(IDLE_IN_TRANSACTION))
#: The first version that knows a limit on whole transactions.
_LIMITS_TRANSACTIONS = 170_000
_tried_at: WeakKeyDictionary[psycopg.AsyncConnection[Any], float] = WeakKeyDictionary()

_writing: ContextVar[Claim | None] = ContextVar("writing_under_claim", default=None)


class ClaimLost(Conflict):
    """Another process has taken this run over; what this one still wrote was refused."""


class CheckpointSchemaNotCurrent(Unavailable):
    """The checkpoint tables are not the ones that the installed LangGraph saver needs."""


def serializer() -> JsonPlusSerializer:
    """LangGraph's serializer with its list of loadable classes closed.

    By default it would import and call whatever class a stored checkpoint names.
    """
    return JsonPlusSerializer(allowed_msgpack_modules=None)


@contextmanager
def _under(config: RunnableConfig) -> Iterator[None]:
    claim = config["configurable"].get(CLAIM_KEY)
    if not isinstance(claim, Claim):
        raise ClaimLost("A checkpoint is written under a claim, or not at all.")
    token = _writing.set(claim)
    try:
        yield
    finally:
        _writing.reset(token)


class FencedSaver(CountedSaver, AsyncPostgresSaver):
    """LangGraph's PostgreSQL saver; each write holds the claim it was made under, or is undone."""

    def __init__(self, pool: AsyncConnectionPool[Any], at_once: int) -> None:
        super().__init__(pool, serde=serializer())
        # The library's lock lets one operation run at a time, pool or not (not public: a test
        # holds that this still widens it).
        self.lock = asyncio.Semaphore(at_once)  # type: ignore[assignment]

    @asynccontextmanager
    async def _cursor(
        self, *, pipeline: bool = False
    ) -> AsyncIterator[psycopg.AsyncCursor[DictRow]]:
        claim = _writing.get()
        met: psycopg.Error | None = None
        try:
            async with super()._cursor(pipeline=pipeline) as cursor:
                try:
                    if claim is not None:
                        fence = (str(claim.thread_id), claim.epoch, claim.owner)
                        await cursor.execute(_FENCE, fence)
                    yield cursor
                except psycopg.Error as error:
                    # Kept from the pipeline, which on its way out meets its own abortion and would
                    # log that beside the error that caused it.
                    met = error
        except psycopg.errors.PipelineAborted:
            if met is None:
                raise
        if met is not None:
            raise met

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, or raise `ClaimLost`."""
        with _under(config):
            return await _or_lost(super().aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store a step's writes, or raise `ClaimLost`."""
        with _under(config):
            await _or_lost(super().aput_writes(config, writes, task_id, task_path))

    async def latest_id(self, thread_id: ThreadId) -> str | None:
        """The highest checkpoint id of a thread, without loading the checkpoint."""
        async with self._cursor() as cursor:
            await cursor.execute(_LATEST, (str(thread_id),))
            row = await cursor.fetchone()
        return row["latest"] if row else None


def _made_at(checkpoint_id: str) -> datetime:
    ticks = UUID(hex=checkpoint_id).time - _EPOCH_TICKS
    return datetime.fromtimestamp(ticks / 10_000_000, UTC)


async def _or_lost(write: Awaitable[T]) -> T:
    try:
        return await write
    except psycopg.Error as error:
        if error.sqlstate == LOST or isinstance(error, psycopg.errors.PipelineAborted):
            raise ClaimLost from error
        raise


class Checkpoints:
    """The saver that is set, and what is done to checkpoints beside a run."""

    def __init__(
        self,
        saver: BaseCheckpointSaver[Any],
        backend: CheckpointBackend,
        count: CountCheckpoint = count_nothing,
    ) -> None:
        self.saver = saver
        self.backend = backend
        self.count = count

    async def head(self, thread_id: ThreadId) -> datetime | None:
        """When the thread's latest checkpoint was made, by the clock of the process that made it.

        None when it has none. It is in the id that LangGraph orders checkpoints by.
        """
        if isinstance(self.saver, FencedSaver):
            latest = await self.saver.latest_id(thread_id)
        else:
            config: RunnableConfig = {"configurable": {"thread_id": str(thread_id)}}
            found = await self.saver.aget_tuple(config)
            latest = found.checkpoint["id"] if found else None
        return _made_at(latest) if latest else None

    async def prune(self, thread_id: ThreadId) -> None:
        """Keep only the latest checkpoint of a thread; under its claim only.

        SQLite and memory keep all of them until the thread is deleted. So does a database that
        does not let it be done just now: too many rows harm nobody and go with the next prune,
        while a run that failed for them would be lost.
        """
        if not isinstance(self.saver, AsyncPostgresSaver):
            return
        try:
            with counted(self.count, "delete"):
                await self.saver.aprune([str(thread_id)], strategy="keep_latest")
        except psycopg.Error as error:
            get_logger("checkpoints").warning("prune_failed", error=type(error).__name__)

    async def forget(self, thread_id: ThreadId) -> None:
        """Delete a thread that is over, if the database lets it be done just now; what is left is a
        sweep's.
        """
        try:
            await self.delete([thread_id])
        except psycopg.Error as error:
            get_logger("checkpoints").warning("forget_failed", error=type(error).__name__)

    async def delete(self, thread_ids: Sequence[ThreadId]) -> None:
        """Delete all checkpoints of these threads."""
        with counted(self.count, "delete"):
            await self._delete(thread_ids)

    async def expire(self, thread_ids: Sequence[ThreadId]) -> None:
        """Delete what was left of threads to which nobody will come back."""
        with counted(self.count, "expire"):
            await self._delete(thread_ids)

    async def _delete(self, thread_ids: Sequence[ThreadId]) -> None:
        if isinstance(self.saver, AsyncPostgresSaver):
            await self.saver.aprune([str(one) for one in thread_ids], strategy="delete")
            return
        for thread_id in thread_ids:
            await self.saver.adelete_thread(str(thread_id))


async def _refuse_unless_current(pool: AsyncConnectionPool[Any]) -> None:
    async with pool.connection() as connection:
        rows = await (
            await connection.execute("SELECT v FROM checkpoint_migrations ORDER BY v")
        ).fetchall()
    if [row["v"] for row in rows] != LIBRARY_VERSIONS:
        raise CheckpointSchemaNotCurrent


async def _check_after_idling(connection: psycopg.AsyncConnection[Any]) -> None:
    """Try a connection before it is used, unless it was tried or used just now."""
    now = time.monotonic()
    if now - _tried_at.get(connection, 0.0) > TRUSTED_SECONDS:
        await AsyncConnectionPool.check_connection(connection)
    _tried_at[connection] = now


@asynccontextmanager
async def _postgres(
    settings: CheckpointSettings, url: str, write_within: timedelta
) -> AsyncIterator[FencedSaver]:
    options = {
        "autocommit": True,
        "prepare_threshold": 0,
        "row_factory": dict_row,
        # A checkpoint's commit does not wait for the disk. How a run pauses or ends is committed
        # with a wait, and makes all before it last; what is lost before that is done once more.
        "options": "-c synchronous_commit=off"
        f" -c idle_in_transaction_session_timeout={IDLE_IN_TRANSACTION}",
    }

    async def limit(connection: psycopg.AsyncConnection[Any]) -> None:
        if connection.info.server_version >= _LIMITS_TRANSACTIONS:
            milliseconds = str(write_within // timedelta(milliseconds=1))
            await connection.execute(
                "SELECT set_config('transaction_timeout', %s, false)", [milliseconds]
            )

    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
        for_libpq(url),
        min_size=1,
        max_size=settings.pool_size,
        timeout=settings.pool_timeout_seconds,
        kwargs=options,
        open=False,
        configure=limit,
        check=_check_after_idling,
    )
    async with pool:
        await _refuse_unless_current(pool)
        yield FencedSaver(pool, settings.pool_size)


@asynccontextmanager
async def checkpoints(
    settings: CheckpointSettings,
    url: str,
    *,
    write_within: timedelta = WRITE_WITHIN,
    count: CountCheckpoint = count_nothing,
) -> AsyncIterator[Checkpoints]:
    """The checkpoints of the backend that is set; in PostgreSQL a write may take ``write_within``.
    Each operation is told to ``count``.

    Raises:
        CheckpointSchemaNotCurrent: the tables are not what the installed saver needs.
    """
    async with AsyncExitStack() as held:
        saver: CountedSaver
        if settings.backend is CheckpointBackend.POSTGRES:
            saver = await held.enter_async_context(_postgres(settings, url, write_within))
        elif settings.backend is CheckpointBackend.SQLITE:
            opened = AsyncSqliteSaver.from_conn_string(str(settings.sqlite_path))
            connection = (await held.enter_async_context(opened)).conn
            saver = SqliteSaver(connection, serde=serializer())
        else:
            saver = MemorySaver(serde=serializer())
        saver.count = count
        yield Checkpoints(saver, settings.backend, count)
