"""Reading facts after their commit: the audit file and the counters.

One table (``services/counters.py``) says which counters a fact moves; nobody else counts or writes
an audit line. Readers keep their position in the database, so a crash between commit and fan-out
loses nothing: the audit file may repeat its last lines (each carries its ``fact_id``), a counter
never counts twice, since it moves in the transaction that moves its reader.
"""

from dataclasses import dataclass
from typing import Protocol

from backend.app.db.repositories.facts import StoredFact
from backend.app.db.uow import UnitOfWork
from backend.app.services.counters import Labels, movements, summed

_BATCH = 200


class AuditLog(Protocol):
    """Where audit lines go."""

    async def write(self, facts: list[StoredFact]) -> None:
        """Append the facts durably, in order."""


@dataclass(frozen=True, slots=True)
class FactReaders:
    """Moves facts on to the audit file and the counters."""

    uow: UnitOfWork
    audit: AuditLog

    async def settle(self) -> None:
        """Prepare for reading at start-up, also on a database restored from elsewhere."""
        async with self.uow() as work:
            await work.facts.settle_after_restore()

    async def read_all(self) -> None:
        """Read until nothing more is settled."""
        while await self.read_once():
            continue

    async def read_once(self) -> bool:
        """One batch for each reader; whether there may be more."""
        counted = await self._count()
        audited = await self._audit()
        return counted or audited

    async def _count(self) -> bool:
        async with self.uow() as work:
            facts = await work.facts.unread("counters", limit=_BATCH) or []
            moved = [one for fact in facts for one in movements(fact.kind, fact.data)]
            await work.facts.count(*summed(moved))
        return len(facts) == _BATCH

    async def _audit(self) -> bool:
        async with self.uow() as work:
            facts = await work.facts.unread("audit", limit=_BATCH) or []
            if facts:
                # A local append, not a wait on the outside: it must happen before the position
                # moves.
                await self.audit.write(facts)
        return len(facts) == _BATCH

    async def counters(self) -> list[tuple[str, Labels, float]]:
        """Every counter's present value."""
        async with self.uow() as work:
            return await work.facts.counters()
