"""The numbered log of what a run told, and following it from any replica."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from backend.app.db.notify import Bell
from backend.app.db.uow import UnitOfWork
from backend.app.domain.runs import RunEvent, ThreadId

_BATCH = 200
#: What another process tells is not rung here until its run pauses or ends: this is how late an
#: event can be.
_LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class RunEvents:
    """Reads events in order, each once, from wherever a reader left off."""

    uow: UnitOfWork
    bell: Bell

    async def after(self, thread_id: ThreadId, seq: int) -> tuple[list[RunEvent], bool]:
        """The events behind number ``seq``, and whether more may come."""
        async with self.uow() as work:
            status = await work.runs.status(thread_id)
            found = list(await work.run_events.events(thread_id, after=seq, limit=_BATCH))
        last = found[-1].seq if found else seq
        return found, status is not None and (status.is_running or last < status.last_seq)

    async def follow(self, thread_id: ThreadId, seq: int) -> AsyncIterator[RunEvent]:
        """Events behind number ``seq`` as they come, until nobody drives the thread any more."""
        with self.bell.ringing(str(thread_id)) as rung:
            while True:
                rung.clear()
                found, goes_on = await self.after(thread_id, seq)
                for event in found:
                    seq = event.seq
                    yield event
                if not goes_on:
                    return
                if not found:
                    await _rung_or_late(rung)


async def _rung_or_late(rung: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            await rung.wait()
    except TimeoutError:
        return
