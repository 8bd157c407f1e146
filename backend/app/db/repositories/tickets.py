"""Tickets and filings. Reads take the person who asks; what they may not see does not exist."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
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
    IssueState,
    IssueStatus,
    Ticket,
    TicketId,
    TicketOrigin,
    TicketStatus,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTicket:
    """A ticket to be filed: from an agent session, or by a person alone (then without session)."""

    id: TicketId
    requester_id: UserId
    draft: TicketDraft
    body: str
    problem: str
    agent_session_id: AgentSessionId | None
    chat_session_id: ChatSessionId | None
    origin: TicketOrigin = TicketOrigin.CHAT


@dataclass(frozen=True, slots=True)
class FiledBefore:
    """A ticket that the same person filed without a session, and the digest of its content."""

    ticket: Ticket
    digest: str


def _ticket(row: Any, requester_name: str) -> Ticket:
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
        issue_status=IssueStatus(row.issue_status) if row.issue_status else None,
    )


#: For texts that stand elsewhere: asked against titles and bodies, in their order. Odds are a mean
#: of two shares: how much of what is asked stands in the text, and how much of its title stands in
#: what is asked.
_LIKENESS = sa.text(
    """
    WITH asked AS MATERIALIZED (
        SELECT lexeme FROM unnest(to_tsvector('english', :question))
    ), given AS (
        SELECT place, to_tsvector('english', title) AS title,
               to_tsvector('english', title || ' ' || left(body, 20000)) AS whole
        FROM unnest(CAST(:titles AS text[]), CAST(:bodies AS text[]))
             WITH ORDINALITY AS each(title, body, place)
    ), shared AS (
        SELECT place, array_agg(word.lexeme ORDER BY word.lexeme) AS words, count(*)::float8 AS n
        FROM given, unnest(whole) AS word JOIN asked ON asked.lexeme = word.lexeme
        GROUP BY place
    ), titled AS (
        SELECT place, count(*)::float8 AS n,
               count(*) FILTER (WHERE asked.lexeme IS NOT NULL)::float8 AS in_question
        FROM given, unnest(title) AS word LEFT JOIN asked ON asked.lexeme = word.lexeme
        GROUP BY place
    )
    SELECT given.place,
           ARRAY(
               SELECT DISTINCT lower(said.token) FROM ts_parse('default', :question) AS said
               WHERE length(said.token) > 1 AND said.token !~ '^-'
                 AND ts_lexize('english_stem', lower(said.token)) <@ shared.words
                 AND cardinality(ts_lexize('english_stem', lower(said.token))) > 0
               LIMIT 8
           ) AS words,
           coalesce(
               (shared.n / nullif((SELECT count(*) FROM asked), 0)
                   + coalesce(titled.in_question / titled.n, 0)) / 2,
               0
           ) AS odds
    FROM given LEFT JOIN shared USING (place) LEFT JOIN titled USING (place)
    ORDER BY given.place
    """
)


_NUMBER = re.compile(r"\s*#?([0-9]{1,15})\s*")


class TicketRepository:
    """Tickets, their filings and their followers."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def file(self, ticket: NewTicket) -> Ticket | None:
        """Write the session's one ticket; None when it has one already."""
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
                    origin=ticket.origin.value,
                    agent_session_id=ticket.agent_session_id,
                    chat_session_id=ticket.chat_session_id,
                )
                .on_conflict_do_nothing(index_elements=[TicketRow.agent_session_id])
                .returning(TicketRow)
            )
        ).one_or_none()
        return _ticket(row, "") if row else None

    async def one_at_a_time(self, person: UserId) -> None:
        """Keep other filings of this person's waiting until the transaction has ended."""
        await self._session.execute(
            sa.select(UserRow.id).where(UserRow.id == person).with_for_update(key_share=True)
        )

    async def filed_before(
        self, person: UserId, *, request_key: str | None, digest: str, within: timedelta
    ) -> FiledBefore | None:
        """What the person filed without a session under this key; without a key, what they filed of
        this content so short a time ago.
        """
        same = (
            FilingRow.request_key == request_key
            if request_key is not None
            else sa.and_(
                FilingRow.draft_digest == digest,
                FilingRow.confirmed_at > sa.func.now() - within,
            )
        )
        row = (
            await self._session.execute(
                sa.select(TicketRow, FilingRow.draft_digest)
                .join(FilingRow, FilingRow.ticket_id == TicketRow.id)
                .where(FilingRow.confirmed_by == person, same)
                .where(TicketRow.agent_session_id.is_(None))
                .order_by(FilingRow.confirmed_at.desc())
                .limit(1)
            )
        ).one_or_none()
        return FiledBefore(_ticket(row[0], ""), row[1]) if row else None

    async def likeness(
        self, question: str, texts: Sequence[tuple[str, str]]
    ) -> Sequence[tuple[float, tuple[str, ...]]]:
        """How likely each title with its body is about the same, and the words in common."""
        titles, bodies = [title for title, _ in texts], [body for _, body in texts]
        rows = await self._session.execute(
            _LIKENESS, {"question": question, "titles": titles, "bodies": bodies}
        )
        return [(round(row.odds, 2), tuple(row.words or ())) for row in rows]

    async def written_as(self, numbers: Sequence[int], person: UserId) -> set[int]:
        """Those of these issues that the person's own tickets were written as."""
        query = sa.select(TicketRow.issue_number).where(
            TicketRow.issue_number.in_(numbers), TicketRow.requester_id == person
        )
        return {number for number in await self._session.scalars(query) if number is not None}

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

    async def ticket_unscoped(self, ticket_id: TicketId) -> Ticket | None:
        """Anybody's ticket: for whoever writes it into the tracker."""
        return await self._one(TicketRow.id == ticket_id, None, everybodys=True)

    async def of_issue_unscoped(self, number: int) -> Sequence[Ticket]:
        """Anybody's tickets that were written as this issue."""
        statement = (
            sa.select(TicketRow, UserRow.display_name)
            .join(UserRow, UserRow.id == TicketRow.requester_id)
            .where(TicketRow.issue_number == number)
            .order_by(TicketRow.number)
        )
        return [_ticket(*row) for row in await self._session.execute(statement)]

    async def _one(
        self, condition: sa.ColumnElement[bool], person: UserId | None, *, everybodys: bool
    ) -> Ticket | None:
        statement = (
            sa.select(TicketRow, UserRow.display_name)
            .join(UserRow, UserRow.id == TicketRow.requester_id)
            .where(condition)
        )
        if not everybodys and person is not None:
            statement = statement.where(self._visible_to(person))
        row = (await self._session.execute(statement)).one_or_none()
        return _ticket(*row) if row else None

    async def follow(self, ticket_id: UUID, person: UserId) -> None:
        """Make a person a follower; once is enough."""
        row = insert(TicketFollowerRow).values(ticket_id=ticket_id, user_id=person)
        await self._session.execute(row.on_conflict_do_nothing())
