"""LangGraph's checkpoints, written in a transaction of ours.

The tables are the library's (`services/runs/checkpoint.py` holds that they are what it expects);
what stands in them is what its own saver would have written.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.domain.runs import ThreadId

#: Parts of the statement that gives a thread back, whose row is ``changed`` there.
KEEP = """
    checkpoint AS (
        INSERT INTO checkpoints (
            thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata
        )
        SELECT thread_id::text, '', id, parent_id,
               CAST(checkpoint AS jsonb), CAST(metadata AS jsonb)
        FROM changed, unnest(
            CAST(:ids AS text[]), CAST(:parent_ids AS text[]), CAST(:checkpoints AS text[]),
            CAST(:metadata AS text[])
        ) AS each(id, parent_id, checkpoint, metadata)
        ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id)
        DO UPDATE SET checkpoint = excluded.checkpoint, metadata = excluded.metadata
    ), blobs AS (
        INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
        SELECT thread_id::text, '', each.*
        FROM changed, unnest(
            CAST(:channels AS text[]), CAST(:versions AS text[]), CAST(:types AS text[]),
            CAST(:blobs AS bytea[])
        ) AS each
        ON CONFLICT (thread_id, checkpoint_ns, channel, version) DO NOTHING
    ), writes AS (
        INSERT INTO checkpoint_writes (
            thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob
        )
        SELECT thread_id::text, '', each.*
        FROM changed, unnest(
            CAST(:written_behind AS text[]), CAST(:task_ids AS text[]),
            CAST(:task_paths AS text[]), CAST(:places AS integer[]),
            CAST(:write_channels AS text[]), CAST(:write_types AS text[]),
            CAST(:writes AS bytea[])
        ) AS each
        ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
        DO UPDATE SET channel = excluded.channel, type = excluded.type, blob = excluded.blob
    )
"""
FORGET = """
    checkpoint AS (
        DELETE FROM checkpoints c USING changed WHERE c.thread_id = changed.thread_id::text
    ), blobs AS (
        DELETE FROM checkpoint_blobs b USING changed WHERE b.thread_id = changed.thread_id::text
    ), writes AS (
        DELETE FROM checkpoint_writes w USING changed WHERE w.thread_id = changed.thread_id::text
    )
"""

_LATEST = sa.text(
    """
    SELECT checkpoint_id, parent_checkpoint_id, checkpoint, metadata,
        ARRAY(
            SELECT ROW(b.channel, b.version, b.type, b.blob)
            FROM jsonb_each_text(checkpoint -> 'channel_versions') AS v
            JOIN checkpoint_blobs b
              ON b.thread_id = c.thread_id AND b.checkpoint_ns = c.checkpoint_ns
             AND b.channel = v.key AND b.version = v.value
        ) AS blobs,
        ARRAY(
            SELECT ROW(w.checkpoint_id, w.task_id, w.task_path, w.idx, w.channel, w.type, w.blob)
            FROM checkpoint_writes w
            WHERE w.thread_id = c.thread_id AND w.checkpoint_ns = c.checkpoint_ns
              AND w.checkpoint_id = c.checkpoint_id
        ) AS writes
    FROM checkpoints c
    WHERE thread_id = :thread_id AND checkpoint_ns = ''
    ORDER BY checkpoint_id DESC
    LIMIT 1
    """
)


@dataclass(frozen=True, slots=True)
class Blob:
    """A channel's value in one of its versions, serialised."""

    channel: str
    version: str
    type: str
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Write:
    """What a task wrote behind a checkpoint and no checkpoint holds yet: an open question."""

    checkpoint_id: str
    task_id: str
    task_path: str
    place: int
    channel: str
    type: str | None
    value: bytes


@dataclass(frozen=True, slots=True)
class StoredCheckpoint:
    """A checkpoint of a thread's root graph as it is stored; JSON as text."""

    id: str
    parent_id: str | None
    checkpoint: str
    metadata: str
    blobs: Sequence[Blob] = ()


@dataclass(slots=True)
class Kept:
    """What a run has to store where it ends: its checkpoint, if there is a new one, and what was
    written behind checkpoints.
    """

    checkpoint: StoredCheckpoint | None = None
    writes: list[Write] = field(default_factory=list)

    @property
    def is_something(self) -> bool:
        """Whether there is anything to store."""
        return self.checkpoint is not None or bool(self.writes)

    def named(self) -> dict[str, Any]:
        """The parameters of `KEEP`."""
        checkpoints = [self.checkpoint] if self.checkpoint else []
        blobs = self.checkpoint.blobs if self.checkpoint else ()
        writes = self.writes
        return {
            "ids": [one.id for one in checkpoints],
            "parent_ids": [one.parent_id for one in checkpoints],
            "checkpoints": [one.checkpoint for one in checkpoints],
            "metadata": [one.metadata for one in checkpoints],
            "channels": [one.channel for one in blobs],
            "versions": [one.version for one in blobs],
            "types": [one.type for one in blobs],
            "blobs": [one.value for one in blobs],
            "written_behind": [one.checkpoint_id for one in writes],
            "task_ids": [one.task_id for one in writes],
            "task_paths": [one.task_path for one in writes],
            "places": [one.place for one in writes],
            "write_channels": [one.channel for one in writes],
            "write_types": [one.type for one in writes],
            "writes": [one.value for one in writes],
        }


NOTHING_KEPT = Kept()


@dataclass(frozen=True, slots=True)
class LoadedCheckpoint:
    """The same as it is read, with what was written behind it; JSON as values."""

    id: str
    parent_id: str | None
    checkpoint: dict[str, Any]
    metadata: dict[str, Any]
    blobs: Sequence[Blob]
    writes: Sequence[Write]


class CheckpointRepository:
    """Reads; they are written where a thread is given back (`RunRepository.release`)."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def latest(self, thread_id: ThreadId) -> LoadedCheckpoint | None:
        """The latest checkpoint of a thread's root graph."""
        found = await self._session.execute(_LATEST, {"thread_id": str(thread_id)})
        row = found.one_or_none()
        if row is None:
            return None
        return LoadedCheckpoint(
            row.checkpoint_id,
            row.parent_checkpoint_id,
            row.checkpoint,
            row.metadata,
            [Blob(*one) for one in row.blobs],
            [Write(*one) for one in row.writes],
        )
