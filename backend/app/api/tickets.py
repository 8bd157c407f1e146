"""Tickets: one's own, or for operators all."""

from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query

from backend.app.api.deps import CurrentPrincipal, CurrentServices, SignedInRoute
from backend.app.domain import tickets as domain
from backend.app.domain.principals import Principal
from backend.app.domain.tickets import TicketId, TicketScope
from backend.app.schemas.base import StorableText
from backend.app.schemas.tickets import Ticket, TicketList, TicketSummary

router = APIRouter(prefix="/api/tickets", tags=["tickets"], route_class=SignedInRoute)


@router.get("")
async def list_tickets(
    principal: CurrentPrincipal,
    services: CurrentServices,
    scope: TicketScope = TicketScope.MINE,
    query: Annotated[StorableText | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> TicketList:
    """One's own tickets and those one follows, newest first; ``scope=all`` is for operators."""
    found = await services.tickets.page(
        principal, scope=scope, query=query, limit=limit + 1, before=before
    )
    page = found[:limit]
    items = [TicketSummary.model_validate(_fields(one, principal)) for one in page]
    return TicketList(items=items, next_before=page[-1].number if len(found) > limit else None)


@router.get("/{ticket_id}")
async def get_ticket(
    ticket_id: UUID, principal: CurrentPrincipal, services: CurrentServices
) -> Ticket:
    """One ticket that the caller may see."""
    found = await services.tickets.get(principal, TicketId(ticket_id))
    return Ticket.model_validate(_fields(found, principal))


def _fields(ticket: domain.Ticket, principal: Principal) -> dict[str, Any]:
    return {**asdict(ticket), "is_mine": ticket.requester_id == principal.user_id}
