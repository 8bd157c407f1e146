"""Ending a run from anywhere: its own process, another one, or none when its owner is dead."""

import asyncio
from dataclasses import dataclass

from backend.app.core.settings import RunSettings
from backend.app.db.notify import Bell
from backend.app.db.uow import UnitOfWork
from backend.app.domain.runs import AbortReason, Claim, ThreadId
from backend.app.services.runs.claims import Claims

_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class RunControls:
    """Aborts across processes."""

    uow: UnitOfWork
    claims: Claims
    bell: Bell
    settings: RunSettings

    async def stop(self, thread_id: ThreadId, reason: AbortReason) -> Claim | None:
        """Make the thread's run end.

        Returns:
            None when nobody drives the thread (any more): its owner has settled it. Else the claim,
            seized because the owner did not answer in time; the caller settles it.
        """
        async with self.uow() as work:
            if not await work.runs.request_abort(thread_id, reason):
                return None
        self.claims.stop(thread_id, reason)
        if await self._released(thread_id):
            return None
        async with self.uow() as work:
            status = await work.runs.status(thread_id)
            if status is None or not status.is_running:
                return None
            return await work.runs.seize(thread_id, self.claims.owner, lease=self.settings.lease)

    async def _released(self, thread_id: ThreadId) -> bool:
        try:
            async with asyncio.timeout(self.settings.abort_wait_seconds):
                with self.bell.ringing(str(thread_id)) as rung:
                    while await self._is_running(thread_id):
                        await _rung_or_look(rung)
        except TimeoutError:
            return False
        return True

    async def _is_running(self, thread_id: ThreadId) -> bool:
        async with self.uow() as work:
            status = await work.runs.status(thread_id)
        return status is not None and status.is_running


async def _rung_or_look(rung: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            await rung.wait()
    except TimeoutError:
        pass
    rung.clear()
