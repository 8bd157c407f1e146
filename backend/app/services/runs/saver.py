"""LangGraph's PostgreSQL saver with a fence in front of every write, and the config of a run.

Two processes may write one thread, and the saver would take both. Here a write is the second
statement of a transaction whose first one demands the claim, so that what a stalled or
disconnected owner still writes changes nothing.

What a run saves on its way stands alone, and what it saves where it ends goes into the transaction
that settles it (`Begun`): then a pause is there with its events, its question and its checkpoint,
or not at all.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.base.id import UUID  # whose time knows version 6; Python's own does not
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg.rows import DictRow
from psycopg_pool import AsyncConnectionPool

from backend.app.core.errors import Conflict
from backend.app.db.repositories.checkpoints import Blob, Kept, StoredCheckpoint, Write
from backend.app.domain.runs import Claim, ThreadId
from backend.app.services.runs.counting import LOST, CountedSaver

T = TypeVar("T")

#: So many supersteps end any run: above every budget, far below LangGraph's own 10,007.
RECURSION_LIMIT = 60
#: Under this key the claim travels in a run's config; LangGraph keeps keys that begin so out of the
#: stored metadata.
CLAIM_KEY = "__claim"
#: The same of a run's `Begun`.
BEGUN_KEY = "__begun"
_LATEST = "SELECT max(checkpoint_id) AS latest FROM checkpoints WHERE thread_id = %s"
#: From the beginning of a UUID's time, in 1582, to that of Unix; in 100 ns.
_EPOCH_TICKS = 0x01B21DD213814000
_FENCE = "SELECT require_claim(%s, %s, %s)"

_writing: ContextVar[Claim | None] = ContextVar("writing_under_claim", default=None)


class ClaimLost(Conflict):
    """Another process has taken this run over; what this one still wrote was refused."""


def serializer() -> JsonPlusSerializer:
    """LangGraph's serializer with its list of loadable classes closed.

    By default it would import and call whatever class a stored checkpoint names.
    """
    return JsonPlusSerializer(allowed_msgpack_modules=None)


@dataclass(slots=True)
class Begun(Kept):
    """The one checkpoint that a run begins from, and what it has to store where it ends.

    ``first`` is all that there is to load; None of a thread that has none.
    """

    first: CheckpointTuple | None = None


def _begun(config: RunnableConfig) -> Begun | None:
    """None within a subgraph, too, whose checkpoints are many."""
    configurable = config["configurable"]
    begun = configurable.get(BEGUN_KEY)
    is_root = not configurable.get("checkpoint_ns")
    return begun if isinstance(begun, Begun) and is_root else None


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
        """Store a checkpoint, or raise `ClaimLost`; that of a run with a `Begun` goes there."""
        if (begun := _begun(config)) is not None:
            return self._kept_in(begun, config, checkpoint, metadata, new_versions)
        with _under(config):
            return await _or_lost(super().aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store a step's writes, or raise `ClaimLost`; those of a run with a `Begun` go there."""
        if (begun := _begun(config)) is not None:
            behind = config["configurable"]["checkpoint_id"]
            rows = self._dump_writes("", "", behind, task_id, task_path, writes)
            begun.writes += [Write(*row[2:]) for row in rows]
            return
        with _under(config):
            await _or_lost(super().aput_writes(config, writes, task_id, task_path))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """A thread's latest checkpoint, or a certain one; a run that has a `Begun` begins from
        there.
        """
        begun = _begun(config)
        if begun is not None and get_checkpoint_id(config) is None:
            return begun.first
        return await super().aget_tuple(config)

    def _kept_in(
        self,
        begun: Begun,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As the library's own `aput` splits it: plain values inline, all others as blobs."""
        configurable = config["configurable"]
        thread_id, namespace = configurable["thread_id"], configurable["checkpoint_ns"]
        values = checkpoint["channel_values"]
        inline = {name: value for name, value in values.items() if _is_plain(value)}
        versions = {
            name: version
            for name, version in new_versions.items()
            if name in values and name not in inline
        }
        rows = self._dump_blobs(thread_id, namespace, values, versions)
        begun.checkpoint = StoredCheckpoint(
            id=checkpoint["id"],
            parent_id=configurable.get("checkpoint_id"),
            checkpoint=json.dumps({**checkpoint, "channel_values": inline}),
            metadata=json.dumps(get_serializable_checkpoint_metadata(config, metadata)),
            blobs=[Blob(*row[2:]) for row in rows],
        )
        return {
            "configurable": {
                "thread_id": thread_id,
                "checkpoint_ns": namespace,
                "checkpoint_id": checkpoint["id"],
            }
        }

    async def latest_id(self, thread_id: ThreadId) -> str | None:
        """The highest checkpoint id of a thread, without loading the checkpoint."""
        async with self._cursor() as cursor:
            await cursor.execute(_LATEST, (str(thread_id),))
            row = await cursor.fetchone()
        return row["latest"] if row else None


def config_of(claim: Claim, begun: Begun | None = None) -> RunnableConfig:
    """LangGraph's config for a run under this claim."""
    return {
        "configurable": {
            "thread_id": str(claim.thread_id),
            CLAIM_KEY: claim,
            BEGUN_KEY: begun,
            # Not public: an answer to a question that is open no longer raises instead of
            # answering whatever is open now (a test holds that it still does).
            "__pregel_strict_resume": True,
        },
        "recursion_limit": RECURSION_LIMIT,
    }


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float, bool))


def made_at(checkpoint_id: str) -> datetime:
    """When a checkpoint was made, by the clock of the process that made it."""
    ticks = UUID(hex=checkpoint_id).time - _EPOCH_TICKS
    return datetime.fromtimestamp(ticks / 10_000_000, UTC)


async def _or_lost(write: Awaitable[T]) -> T:
    try:
        return await write
    except psycopg.Error as error:
        if error.sqlstate == LOST or isinstance(error, psycopg.errors.PipelineAborted):
            raise ClaimLost from error
        raise
