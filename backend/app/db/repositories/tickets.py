"""Tickets and filings. Reads take the person who asks; what they may not see does not exist."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import FilingRow, TicketFollowerRow, TicketRow, UserRow
from backend.app.domain.chat import ChatSessionId
from backend.app.domain.principals import UserId
from backend.app.domain.sessions import (
    AgentSessionId,
    Category,
    Impact,
    Severity,
    TicketDraft,
)
from backend.app.domain.tickets import (
    FilingState,
    IssueState,
    Ticket,
    TicketId,
    TicketOrigin,
    TicketStatus,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTicket:
    """A ticket to be filed from an agent session."""

    id: TicketId
    requester_id: UserId
    draft: TicketDraft
    body: str
    problem: str
    agent_session_id: AgentSessionId
    chat_session_id: ChatSessionId | None


def _ticket(row: TicketRow, requester_name: str) -> Ticket:
    return Ticket(
        id=TicketId(row.id),
        number=row.number,
        requester_id=UserId(row.requester_id),
        requester_name=requester_name,
        title=row.title,
        body=row.body,
        status=TicketStatus(row.status),
        severity=Severity(row.severity),
        impact=Impact(row.impact),
        category=Category(row.category),
        origin=TicketOrigin(row.origin),
        created_at=row.created_at,
        updated_at=row.updated_at,
        agent_session_id=AgentSessionId(row.agent_session_id) if row.agent_session_id else None,
        chat_session_id=ChatSessionId(row.chat_session_id) if row.chat_session_id else None,
        issue_state=IssueState(row.issue_state),
        issue_url=row.issue_url,
        issue_number=row.issue_number,
    )


_NUMBER = re.compile(r"\s*#?([0-9]{1,15})\s*")


class TicketRepository:
    """Tickets, their filings and their followers."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def file(self, ticket: NewTicket, *, draft_digest: str) -> Ticket | None:
        """Reserve the session's one filing and write its ticket; None when the session was filed
        before. The desk is the tracker, so the filing is complete with its ticket.
        """
        row = (
            await self._session.scalars(
                insert(TicketRow)
                .values(
                    id=ticket.id,
                    requester_id=ticket.requester_id,
                    title=ticket.draft.title,
                    body=ticket.body,
                    problem=ticket.problem,
                    severity=ticket.draft.severity.value,
                    impact=ticket.draft.impact.value,
                    category=ticket.draft.category.value,
                    origin=TicketOrigin.CHAT.value,
                    agent_session_id=ticket.agent_session_id,
                    chat_session_id=ticket.chat_session_id,
                )
                .on_conflict_do_nothing(index_elements=[TicketRow.agent_session_id])
                .returning(TicketRow)
            )
        ).one_or_none()
        if row is None:
            return None
        await self._session.execute(
            insert(FilingRow).values(
                session_id=ticket.agent_session_id,
                ticket_id=ticket.id,
                state=FilingState.FILED.value,
                draft_digest=draft_digest,
                confirmed_by=ticket.requester_id,
            )
        )
        return _ticket(row, "")

    def _visible_to(self, person: UserId) -> sa.ColumnElement[bool]:
        followed = (
            sa.exists()
            .where(TicketFollowerRow.ticket_id == TicketRow.id)
            .where(TicketFollowerRow.user_id == person)
        )
        return sa.or_(TicketRow.requester_id == person, followed)

    async def page(
        self,
        person: UserId,
        *,
        everybodys: bool,
        query: str | None,
        limit: int,
        before: int | None,
    ) -> Sequence[Ticket]:
        """Tickets, newest first, below the number ``before``; ``query`` is words of any order, or
        a ticket's number.
        """
        statement = sa.select(TicketRow, UserRow.display_name).join(
            UserRow, UserRow.id == TicketRow.requester_id
        )
        if not everybodys:
            statement = statement.where(self._visible_to(person))
        if before is not None:
            statement = statement.where(TicketRow.number < before)
        if query:
            wanted = sa.func.websearch_to_tsquery("english", query)
            found: sa.ColumnElement[bool] = TicketRow.search.op("@@")(wanted)
            if number := _NUMBER.fullmatch(query):
                found = sa.or_(found, TicketRow.number == int(number[1]))
            statement = statement.where(found)
        statement = statement.order_by(TicketRow.number.desc()).limit(limit)
        return [_ticket(*row) for row in await self._session.execute(statement)]

    async def ticket(
        self, ticket_id: TicketId, person: UserId, *, everybodys: bool
    ) -> Ticket | None:
        """The ticket, if the person may see it."""
        return await self._one(TicketRow.id == ticket_id, person, everybodys=everybodys)

    async def by_number(self, number: int, person: UserId, *, everybodys: bool) -> Ticket | None:
        """The same by the number that people say."""
        return await self._one(TicketRow.number == number, person, everybodys=everybodys)

    async def _one(
        self, condition: sa.ColumnElement[bool], person: UserId, *, everybodys: bool
    ) -> Ticket | None:
        statement = (
            sa.select(TicketRow, UserRow.display_name)
            .join(UserRow, UserRow.id == TicketRow.requester_id)
            .where(condition)
        )
        if not everybodys:
            statement = statement.where(self._visible_to(person))
        row = (await self._session.execute(statement)).one_or_none()
        return _ticket(*row) if row else None

    async def follow(self, ticket_id: UUID, person: UserId) -> None:
        """Make a person a follower; once is enough."""
        row = insert(TicketFollowerRow).values(ticket_id=ticket_id, user_id=person)
        await self._session.execute(row.on_conflict_do_nothing())
