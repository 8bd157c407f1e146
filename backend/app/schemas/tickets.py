"""Tickets on the wire."""

from datetime import datetime
from uuid import UUID

from backend.app.domain.sessions import Category, Impact, Severity
from backend.app.domain.tickets import IssueState, IssueStatus, TicketOrigin, TicketStatus
from backend.app.schemas.base import WireModel


class TicketSummary(WireModel):
    """A ticket in a list; ``number`` is what people say. ``is_mine``: the caller requested it."""

    id: UUID
    number: int
    title: str
    status: TicketStatus
    severity: Severity
    impact: Impact
    category: Category
    origin: TicketOrigin
    requester_name: str
    is_mine: bool
    created_at: datetime
    updated_at: datetime
    issue_state: IssueState
    issue_url: str | None
    issue_number: int | None
    #: How the issue stands in the tracker, as far as it was told.
    issue_status: IssueStatus | None


class Ticket(TicketSummary):
    """A ticket whole; ``body`` is Markdown."""

    body: str
    agent_session_id: UUID | None
    chat_session_id: UUID | None


class TicketList(WireModel):
    """Tickets, newest first; ``next_before`` asks for the page after."""

    items: list[TicketSummary]
    next_before: int | None
