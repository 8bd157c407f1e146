"""Checkpoints of the backend that is set, and what is done to them beside a run."""

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext
from datetime import datetime, timedelta
from typing import Any, cast
from weakref import WeakKeyDictionary

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    writes_sort_key,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from backend.app.core.errors import Unavailable
from backend.app.core.logging import get_logger
from backend.app.core.settings import CheckpointBackend, CheckpointSettings
from backend.app.db.engine import IDLE_IN_TRANSACTION, TRUSTED_SECONDS, for_libpq
from backend.app.db.repositories.checkpoints import NOTHING_KEPT, Kept
from backend.app.db.uow import Work
from backend.app.domain.runs import ThreadId
from backend.app.services.runs.counting import (
    CountCheckpoint,
    CountedSaver,
    MemorySaver,
    SqliteSaver,
    count_nothing,
    counted,
)
from backend.app.services.runs.saver import FencedSaver, made_at, serializer

#: Checkpoints before this version of their format keep a part of themselves with their parent.
_PLAIN_SINCE = 4
#: What this version of the library makes; the migration made the same.
LIBRARY_VERSIONS = list(range(len(AsyncPostgresSaver.MIGRATIONS)))

#: How long a write may hold its claim's row. PostgreSQL takes a pipeline that was not ended to be
#: active: the limit on idle transactions never ends that of a process that was stopped within one,
#: and nobody could take its run over. Long enough to wait for two others that were stopped.
WRITE_WITHIN = timedelta(milliseconds=2 * int(IDLE_IN_TRANSACTION))
#: The first version that knows a limit on whole transactions.
_LIMITS_TRANSACTIONS = 170_000
_tried_at: WeakKeyDictionary[psycopg.AsyncConnection[Any], float] = WeakKeyDictionary()


class CheckpointSchemaNotCurrent(Unavailable):
    """The checkpoint tables are not the ones that the installed LangGraph saver needs."""


def _config(thread_id: ThreadId, checkpoint_id: str | None) -> RunnableConfig:
    named = {"thread_id": str(thread_id), "checkpoint_ns": ""}
    if checkpoint_id is not None:
        named["checkpoint_id"] = checkpoint_id
    return {"configurable": named}


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
            found = await self.saver.aget_tuple(_config(thread_id, None))
            latest = found.checkpoint["id"] if found else None
        return made_at(latest) if latest else None

    @property
    def are_transactional(self) -> bool:
        """Whether checkpoints stand in the database beside everything else."""
        return isinstance(self.saver, FencedSaver)

    async def latest(self, work: Work, thread_id: ThreadId) -> CheckpointTuple | None:
        """The thread's latest checkpoint, or None; as the saver would load it."""
        with counted(self.count, "read"):
            found = await work.checkpoints.latest(thread_id)
        if found is None:
            return None
        if found.checkpoint["v"] < _PLAIN_SINCE:
            return await self.saver.aget_tuple(_config(thread_id, None))
        load = self.saver.serde.loads_typed
        values = {
            one.channel: load((one.type, one.value))
            for one in found.blobs
            if one.type != "empty" and one.value is not None
        }
        writes = sorted(
            found.writes, key=lambda one: writes_sort_key(one.task_path, one.task_id, one.place)
        )
        checkpoint = found.checkpoint
        inline = checkpoint.get("channel_values") or {}
        return CheckpointTuple(
            _config(thread_id, found.id),
            cast(Checkpoint, {**checkpoint, "channel_values": {**inline, **values}}),
            cast(CheckpointMetadata, found.metadata),
            _config(thread_id, found.parent_id) if found.parent_id else None,
            [(one.task_id, one.channel, load((one.type or "", one.value))) for one in writes],
        )

    @contextmanager
    def given_back(self, kept: Kept = NOTHING_KEPT, *, forgets: bool = False) -> Iterator[None]:
        """Count what is done to checkpoints in the transaction that gives a thread back, which is
        inside.
        """
        op = "delete" if forgets else "write" if kept.is_something else None
        with counted(self.count, op) if op else nullcontext():
            yield

    def refused(self, kept: Kept) -> None:
        """Count that what was kept was not stored, since the run is another's by now."""
        if kept.is_something:
            self.count("write", "refused")

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
