"""Counting what is done to checkpoints, whichever backend keeps them."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

#: Takes an operation (read, write, delete, expire) and how it ended (ok, refused, cancelled,
#: error); refused is a write of somebody who no longer owns the run.
CountCheckpoint = Callable[[str, str], None]
#: The state in which the database refuses a write without its claim.
LOST = "HD001"


def count_nothing(_op: str, _outcome: str) -> None:
    """For those who do not count."""


@contextmanager
def counted(count: CountCheckpoint, op: str) -> Iterator[None]:
    """Count the operation inside, however it ends."""
    outcome = "error"
    try:
        yield
        outcome = "ok"
    except psycopg.Error as error:
        is_fenced = error.sqlstate == LOST or isinstance(error, psycopg.errors.PipelineAborted)
        outcome = "refused" if is_fenced else "error"
        raise
    except asyncio.CancelledError:
        outcome = "cancelled"
        raise
    finally:
        count(op, outcome)


class CountedSaver(BaseCheckpointSaver[Any]):
    """Counts reads and writes in front of a saver; mixed into each."""

    count: CountCheckpoint = staticmethod(count_nothing)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        with counted(self.count, "read"):
            return await super().aget_tuple(config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint."""
        with counted(self.count, "write"):
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store a step's writes."""
        with counted(self.count, "write"):
            await super().aput_writes(config, writes, task_id, task_path)


class SqliteSaver(CountedSaver, AsyncSqliteSaver):
    """LangGraph's saver in a file, counted."""


class MemorySaver(CountedSaver, InMemorySaver):
    """LangGraph's saver in memory, counted."""
