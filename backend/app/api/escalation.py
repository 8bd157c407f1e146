"""Summary, draft and ticket without the agent; they need no model, and no switch of its."""

from fastapi import APIRouter

from backend.app.api.deps import CurrentPrincipal, CurrentServices, IdempotencyKey, SignedInRoute
from backend.app.schemas.escalation import (
    CreateIssueRequest,
    CreateIssueResponse,
    DraftedTicket,
    DraftTicketRequest,
    SummarizeRequest,
    Summary,
)
from backend.app.schemas.helpdesk import TicketDraft

router = APIRouter(prefix="/api/helpdesk", tags=["helpdesk"], route_class=SignedInRoute)


@router.post("/summarize")
async def summarize(
    body: SummarizeRequest, principal: CurrentPrincipal, services: CurrentServices
) -> Summary:
    """What a conversation is about."""
    title, summary = await services.escalation.summarise(principal, body)
    return Summary(title=title, summary=summary)


@router.post("/draft-ticket")
async def draft_ticket(
    body: DraftTicketRequest, principal: CurrentPrincipal, services: CurrentServices
) -> DraftedTicket:
    """A ticket about a conversation, to check, change and file. Nothing is stored."""
    drafted = await services.escalation.draft(principal, body)
    draft = TicketDraft.model_validate(drafted.draft, from_attributes=True)
    return DraftedTicket(draft=draft, body_preview=drafted.body)


@router.post("/create-issue")
async def create_issue(
    body: CreateIssueRequest,
    principal: CurrentPrincipal,
    services: CurrentServices,
    key: IdempotencyKey,
) -> CreateIssueResponse:
    """File exactly this text; asked again under its key, or within ten minutes, the same ticket."""
    filed = await services.escalation.file(principal, body, key)
    ticket = filed.ticket
    return CreateIssueResponse(
        ticket_id=ticket.id,
        ticket_number=ticket.number,
        deduplicated=filed.is_repeat,
        issue_url=ticket.issue_url,
        issue_number=ticket.issue_number,
        issue_state=ticket.issue_state,
    )
