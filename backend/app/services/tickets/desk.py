"""Tickets as a person sees them: one's own and those one follows, for operators all."""

from dataclasses import dataclass, replace

from backend.app.core.errors import Forbidden, NotFound
from backend.app.db.uow import UnitOfWork
from backend.app.domain.principals import Principal, Role
from backend.app.domain.tickets import Ticket, TicketId, TicketScope


class TicketNotFound(NotFound):
    """There is no such ticket."""


class OperatorsOnly(Forbidden):
    """Only operators see everybody's tickets."""


@dataclass(frozen=True, slots=True)
class TicketDesk:
    """Reads tickets."""

    uow: UnitOfWork

    async def page(
        self,
        principal: Principal,
        *,
        scope: TicketScope,
        query: str | None,
        limit: int,
        before: int | None,
    ) -> list[Ticket]:
        """Tickets, newest first, below the number ``before``; ``query`` is words to be found.

        Raises:
            OperatorsOnly: all were asked for by somebody who is none.
        """
        is_operator = principal.role.includes(Role.OPERATOR)
        if scope is TicketScope.ALL and not is_operator:
            raise OperatorsOnly
        async with self.uow() as work:
            found = await work.tickets.page(
                principal.user_id,
                everybodys=scope is TicketScope.ALL,
                query=query,
                limit=limit,
                before=before,
            )
        return [_as_seen_by(principal, one) for one in found]

    async def get(self, principal: Principal, ticket_id: TicketId) -> Ticket:
        """A ticket that the person may see, or `TicketNotFound`."""
        async with self.uow() as work:
            ticket = await work.tickets.ticket(
                ticket_id,
                principal.user_id,
                everybodys=principal.role.includes(Role.OPERATOR),
            )
        if ticket is None:
            raise TicketNotFound
        return _as_seen_by(principal, ticket)


def _as_seen_by(principal: Principal, ticket: Ticket) -> Ticket:
    """A follower sees the public part: never who asked, what was said, or where."""
    if ticket.requester_id == principal.user_id or principal.role.includes(Role.OPERATOR):
        return ticket
    return replace(ticket, requester_name="", body="", agent_session_id=None, chat_session_id=None)
