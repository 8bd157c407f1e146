"""Filings on their way into an outside tracker: who works on one, and what came of it.

Whoever works on a filing holds it by a lease on the database's clock, under a name of its own;
nothing is recorded for anybody who does not hold it any more.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import FilingRow, TicketRow, TrackerDeliveryRow
from backend.app.domain.principals import UserId
from backend.app.domain.sessions import AgentSessionId
from backend.app.domain.tickets import (
    ISSUE_STATES,
    FilingState,
    IssueStatus,
    TicketId,
    refuse_unlawful,
)
from backend.app.domain.tracker import FilingRecord, OpenFiling

_OPEN = [FilingState.RESERVED.value, FilingState.SENT.value, FilingState.UNKNOWN.value]


def _record(row: FilingRow, was_sent: timedelta | None) -> FilingRecord:
    assert row.holder is not None  # whoever reads a record has claimed it
    return FilingRecord(
        session_id=AgentSessionId(row.session_id),
        state=FilingState(row.state),
        ticket_id=TicketId(row.ticket_id),
        marker=row.marker or "",
        attempts=row.attempts,
        tries=row.tries,
        confirmed_at=row.confirmed_at,
        was_sent=was_sent,
        holder=row.holder,
        due_at=row.due_at,
    )


class FilingRepository:
    """Filings, and the deliveries of the tracker's webhook."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def reserve(
        self,
        session_id: AgentSessionId,
        ticket_id: TicketId,
        *,
        draft_digest: str,
        confirmed_by: UserId,
        marker: str | None,
        request_key: str | None = None,
    ) -> datetime:
        """The session's one filing, and when it was confirmed. Without a ``marker`` nothing is
        written outside: the desk is the tracker, and the filing is complete with its ticket.
        ``request_key``: what the program of a person who files alone called the request.
        """
        state = FilingState.FILED
        if marker is not None:
            state = FilingState.RESERVED
            await self._say(ticket_id, state)
        statement = insert(FilingRow).values(
            session_id=session_id,
            ticket_id=ticket_id,
            state=state.value,
            draft_digest=draft_digest,
            confirmed_by=confirmed_by,
            marker=marker,
            request_key=request_key,
        )
        return (
            await self._session.execute(statement.returning(FilingRow.confirmed_at))
        ).scalar_one()

    async def claim(
        self, session_id: AgentSessionId, holder: UUID, *, lease: timedelta
    ) -> FilingRecord | None:
        """Take the filing that nobody holds and that is due; None when there is none such."""
        now = sa.func.now()
        claimed = (
            sa.update(FilingRow)
            .where(
                FilingRow.session_id == session_id,
                FilingRow.state.in_(_OPEN),
                FilingRow.marker.is_not(None),
                sa.or_(FilingRow.held_until.is_(None), FilingRow.held_until <= now),
                sa.or_(FilingRow.due_at.is_(None), FilingRow.due_at <= now),
            )
            .values(holder=holder, held_until=now + lease)
        )
        return await self._changed(claimed)

    async def _changed(self, statement: Any) -> FilingRecord | None:
        since = (sa.func.now() - FilingRow.sent_at).label("was_sent")
        row = (
            await self._session.execute(
                statement.returning(FilingRow, since),
                execution_options={"populate_existing": True},
            )
        ).one_or_none()
        return _record(row[0], row[1]) if row else None

    async def begin_sending(self, record: FilingRecord, *, lease: timedelta) -> FilingRecord | None:
        """Say, before anything is sent, that it will be; None when another holds the filing."""
        refuse_unlawful(record.state, FilingState.SENT)
        now = sa.func.now()
        return await self._changed(
            self._of_holder(record).values(
                state=FilingState.SENT.value,
                attempts=FilingRow.attempts + 1,
                sent_at=now,
                held_until=now + lease,
                updated_at=now,
            )
        )

    async def put_off(
        self,
        record: FilingRecord,
        state: FilingState,
        *,
        wait: timedelta,
        answered: int | None = None,
        did_not_arrive: bool = False,
    ) -> FilingRecord | None:
        """Let go of a filing until later; None when another holds it. What surely did not arrive is
        shown as not sent yet.
        """
        if state is not record.state:
            refuse_unlawful(record.state, state)
        now = sa.func.now()
        changed = await self._changed(
            self._of_holder(record).values(
                state=state.value,
                tries=FilingRow.tries + 1,
                held_until=None,
                due_at=now + wait,
                sent_at=None if did_not_arrive else FilingRow.sent_at,
                answered=answered,
                updated_at=now,
            )
        )
        if changed is not None:
            is_open = changed.was_sent is None
            await self._say(record.ticket_id, FilingState.RESERVED if is_open else state)
        return changed

    async def refused(self, record: FilingRecord, answered: int) -> bool:
        """The tracker refused it; False when another holds the filing."""
        return await self._ended(record, FilingState.REFUSED, answered=answered)

    async def written(self, record: FilingRecord, number: int, url: str) -> bool:
        """The tracker holds it, under this number; False when another holds the filing."""
        said: dict[str, Any] = {"issue_number": number, "issue_url": url}
        return await self._ended(
            record, FilingState.FILED, issue_status=IssueStatus.OPEN.value, **said
        )

    async def _ended(
        self, record: FilingRecord, state: FilingState, *, answered: int | None = None, **issue: Any
    ) -> bool:
        refuse_unlawful(record.state, state)
        now = sa.func.now()
        ended = self._of_holder(record).values(
            state=state.value, held_until=None, due_at=None, answered=answered, updated_at=now
        )
        if await self._changed(ended) is None:
            return False
        await self._say(record.ticket_id, state, **issue)
        return True

    def _of_holder(self, record: FilingRecord) -> sa.Update:
        return sa.update(FilingRow).where(
            FilingRow.session_id == record.session_id, FilingRow.holder == record.holder
        )

    async def _say(self, ticket_id: TicketId, state: FilingState, **issue: Any) -> None:
        said = {"issue_state": ISSUE_STATES[state].value, "updated_at": sa.func.now(), **issue}
        await self._session.execute(
            sa.update(TicketRow).where(TicketRow.id == ticket_id).values(said)
        )

    async def due(self, *, limit: int) -> Sequence[AgentSessionId]:
        """Filings that somebody should work on, those first that have waited longest."""
        now = sa.func.now()
        query = (
            sa.select(FilingRow.session_id)
            .where(
                FilingRow.state.in_(_OPEN),
                FilingRow.marker.is_not(None),
                sa.or_(FilingRow.held_until.is_(None), FilingRow.held_until <= now),
                sa.or_(FilingRow.due_at.is_(None), FilingRow.due_at <= now),
            )
            .order_by(FilingRow.due_at.nulls_first(), FilingRow.confirmed_at)
            .limit(limit)
        )
        return [AgentSessionId(one) for one in await self._session.scalars(query)]

    async def not_written(self, *, limit: int) -> Sequence[OpenFiling]:
        """Tickets that should be in the tracker and are not, newest first."""
        query = (
            sa.select(TicketRow.number, FilingRow)
            .join(TicketRow, TicketRow.id == FilingRow.ticket_id)
            .where(FilingRow.state != FilingState.FILED.value)
            .order_by(TicketRow.number.desc())
            .limit(limit)
        )
        return [
            OpenFiling(number, FilingState(row.state), row.attempts, row.answered, row.due_at)
            for number, row in await self._session.execute(query)
        ]

    async def reopen(self, ticket_number: int) -> AgentSessionId | None:
        """Let a refused filing be tried again, after a look at what is there; None when the ticket
        has none.
        """
        refuse_unlawful(FilingState.REFUSED, FilingState.UNKNOWN)
        ticket = sa.select(TicketRow.id).where(TicketRow.number == ticket_number).scalar_subquery()
        reopened = (
            sa.update(FilingRow)
            .where(FilingRow.ticket_id == ticket, FilingRow.state == FilingState.REFUSED.value)
            .values(state=FilingState.UNKNOWN.value, tries=0, updated_at=sa.func.now())
            .returning(FilingRow.session_id, FilingRow.ticket_id)
        )
        row = (await self._session.execute(reopened)).one_or_none()
        if row is None:
            return None
        await self._say(TicketId(row.ticket_id), FilingState.UNKNOWN)
        return AgentSessionId(row.session_id)

    async def take_in(self, delivery_id: str, digest: bytes) -> bool:
        """Remember a delivery; False when its id or what it says was taken in before."""
        statement = insert(TrackerDeliveryRow).values(delivery_id=delivery_id, digest=digest)
        taken = statement.on_conflict_do_nothing().returning(TrackerDeliveryRow.digest)
        return await self._session.scalar(taken) is not None

    async def forget_deliveries(self, *, older_than: timedelta) -> None:
        """Delete what was delivered longer ago than this."""
        await self._session.execute(
            sa.delete(TrackerDeliveryRow).where(
                TrackerDeliveryRow.received_at < sa.func.now() - older_than
            )
        )

    async def issue_changed(
        self, ticket_id: TicketId, status: IssueStatus | None, at: datetime
    ) -> bool:
        """Note a change of a ticket's issue; False when a later one was noted before."""
        later = sa.or_(TicketRow.issue_changed_at.is_(None), TicketRow.issue_changed_at <= at)
        values: dict[str, Any] = {"issue_changed_at": at, "updated_at": sa.func.now()}
        if status is not None:
            values["issue_status"] = status.value
        changed = (
            sa.update(TicketRow)
            .where(TicketRow.id == ticket_id, later)
            .values(values)
            .returning(TicketRow.id)
        )
        return await self._session.scalar(changed) is not None
