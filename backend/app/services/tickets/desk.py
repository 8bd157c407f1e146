"""Tickets as a person sees them: one's own and those one follows, for operators all."""

from dataclasses import dataclass

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
        return list(found)

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
        return ticket
