"""What is tidied up after sessions: those that nobody goes on with, and what others left behind."""

from dataclasses import dataclass
from datetime import timedelta

from backend.app.db.uow import UnitOfWork
from backend.app.services.helpdesk_graph.stopping import Stopping
from backend.app.services.runs.checkpoint import Checkpoints

_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did, in numbers of sessions or threads."""

    expired: int
    forgotten: int


@dataclass(frozen=True, slots=True)
class SessionSweeps:
    """Ends what has expired and deletes what belongs to nothing any more."""

    uow: UnitOfWork
    stopping: Stopping
    checkpoints: Checkpoints
    ttl: timedelta

    async def run(self) -> Swept:
        """One sweep, of a bounded number; several replicas may sweep at once."""
        async with self.uow() as work:
            await work.sessions.forget_keys()
            idle = await work.sessions.idle_unscoped(longer_than=self.ttl, limit=_AT_ONCE)
            abandoned = await work.sessions.threads_without_session(limit=_AT_ONCE)
            over = await work.sessions.ended_with_checkpoints(limit=_AT_ONCE)
        expired = [await self.stopping.expire(one, self.ttl) for one in idle]
        if abandoned or over:
            await self.checkpoints.expire([*abandoned, *over])
        if abandoned:
            async with self.uow() as work:
                await work.runs.delete(abandoned)
        return Swept(sum(expired), len(abandoned) + len(over))
