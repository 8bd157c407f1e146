"""Reading facts after their commit: the audit file and the counters.

One table (``services/counters.py``) says which counters a fact moves; nobody else counts or writes
an audit line. Readers keep their position in the database, so a crash between commit and fan-out
loses nothing: the audit file knows lines that are written again, and a counter never counts twice,
since it moves in the transaction that moves its reader.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from backend.app.db.repositories.facts import StoredFact
from backend.app.db.uow import UnitOfWork
from backend.app.services.counters import Labels, movements, summed

_BATCH = 200
_FORGOTTEN_AT_ONCE = 5000


class AuditLog(Protocol):
    """Where audit lines go."""

    async def write(self, facts: list[StoredFact]) -> None:
        """Append the facts durably, in order."""

    async def tidy(self) -> None:
        """Put past days away."""

    async def tombstone(self, agent_session_ids: Collection[UUID]) -> int:
        """Leave of these sessions' lines only when what kind of thing happened; how many."""


@dataclass(frozen=True, slots=True)
class FactReaders:
    """Moves facts on to the audit file and the counters."""

    uow: UnitOfWork
    audit: AuditLog
    #: How long a fact that everybody has read is kept.
    kept: timedelta = timedelta(days=365)

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

    async def tidy(self) -> None:
        """Put the audit file's past days away."""
        await self.audit.tidy()

    async def forget_old(self) -> None:
        """Delete facts that are older than they are kept, a batch at a time."""
        more = True
        while more:
            async with self.uow() as work:
                forgotten = await work.facts.forget(older_than=self.kept, limit=_FORGOTTEN_AT_ONCE)
            more = forgotten == _FORGOTTEN_AT_ONCE

    async def tombstone(self, agent_session_ids: Collection[UUID]) -> None:
        """Take out of the facts and of this machine's audit files what these sessions told; that
        something happened, and when, stays. Counters stay as they are.
        """
        async with self.uow() as work:
            # Who reads just now has read the facts as they were, and must write them first.
            await work.facts.hold_reader("audit")
            await work.facts.tombstone(agent_session_ids)
            await self.audit.tombstone(agent_session_ids)

    async def counters(self) -> list[tuple[str, Labels, float]]:
        """Every counter's present value."""
        async with self.uow() as work:
            return await work.facts.counters()
