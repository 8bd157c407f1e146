"""Tickets: one's own, or for operators all."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from backend.app.api.deps import CurrentPrincipal, CurrentServices, SignedInRoute
from backend.app.domain.tickets import TicketId, TicketScope
from backend.app.schemas.tickets import Ticket, TicketList

router = APIRouter(prefix="/api/tickets", tags=["tickets"], route_class=SignedInRoute)


@router.get("")
async def list_tickets(
    principal: CurrentPrincipal,
    services: CurrentServices,
    scope: TicketScope = TicketScope.MINE,
    query: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> TicketList:
    """One's own tickets and those one follows, newest first; ``scope=all`` is for operators."""
    return await services.tickets.page(
        principal, scope=scope, query=query, limit=limit, before=before
    )


@router.get("/{ticket_id}")
async def get_ticket(
    ticket_id: UUID, principal: CurrentPrincipal, services: CurrentServices
) -> Ticket:
    """One ticket that the caller may see."""
    return await services.tickets.get(principal, TicketId(ticket_id))
