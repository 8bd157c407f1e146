"""Summary, draft and ticket without the agent, on the wire."""

from uuid import UUID

from backend.app.domain.tickets import IssueState
from backend.app.schemas.base import RequestModel, WireModel
from backend.app.schemas.helpdesk import TicketDraft, WhatWasSaid


class SummarizeRequest(WhatWasSaid):
    """What to summarise."""


class Summary(WireModel):
    """What a conversation is about, in a line and in a few; ``summary`` is Markdown."""

    title: str
    summary: str


class DraftTicketRequest(WhatWasSaid):
    """What to write a ticket about."""


class DraftedTicket(WireModel):
    """A ticket to check, change and file; ``body_preview`` is how its text would stand there, above
    the footer.
    """

    draft: TicketDraft
    body_preview: str


class CreateIssueRequest(RequestModel):
    """A ticket as its person wants it filed, and the chat of theirs that it came from."""

    draft: TicketDraft
    chat_session_id: UUID | None = None


class CreateIssueResponse(WireModel):
    """The ticket; ``deduplicated``: the same request had made it before. ``issue_url`` and
    ``issue_number`` are of its copy in an outside tracker, ``issue_state`` says how far that is.
    """

    ticket_id: UUID
    ticket_number: int
    deduplicated: bool
    issue_url: str | None
    issue_number: int | None
    issue_state: IssueState
