"""What runs told, numbered within each thread."""

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import RunEventRow
from backend.app.domain.runs import RunEvent, ThreadId

_TELL = sa.text(
    """
    WITH told AS (
        SELECT event ->> 0 AS kind, event -> 1 AS data, place
        FROM jsonb_array_elements(CAST(:told AS jsonb)) WITH ORDINALITY AS each(event, place)
    ), numbered AS (
        UPDATE runs SET last_seq = last_seq + (SELECT count(*) FROM told)
        WHERE thread_id = :thread_id
        RETURNING thread_id, last_seq - (SELECT count(*) FROM told) AS before
    )
    INSERT INTO run_events (thread_id, seq, kind, data)
    SELECT thread_id, before + place, kind, data FROM numbered, told
    """
)


class RunEventRepository:
    """Reads events in order. What a run tells is stored with what changes its thread's row; what
    becomes known of a thread at rest is appended here.
    """

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def append(self, thread_id: ThreadId, *told: tuple[str, dict[str, Any]]) -> None:
        """Append events of a thread that nobody drives, each of a kind and with data, in order."""
        given = {"thread_id": thread_id, "told": json.dumps(told)}
        await self._session.execute(_TELL, given)

    async def events(self, thread_id: ThreadId, *, after: int, limit: int) -> Sequence[RunEvent]:
        """The events behind number ``after``, in order."""
        query = (
            sa.select(RunEventRow)
            .where(RunEventRow.thread_id == thread_id, RunEventRow.seq > after)
            .order_by(RunEventRow.seq)
            .limit(limit)
        )
        return [
            RunEvent(thread_id, row.seq, row.kind, row.data, row.at)
            for row in await self._session.scalars(query)
        ]
