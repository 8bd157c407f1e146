"""What runs told, numbered within each thread."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import RunEventRow
from backend.app.domain.runs import RunEvent, ThreadId


class RunEventRepository:
    """Reads events in order; they are stored with what changes their thread's row."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

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
