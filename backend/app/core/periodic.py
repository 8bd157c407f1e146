"""Work that is done again and again while the program runs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from backend.app.core.logging import described, get_logger

Repeated = tuple[float, str, Callable[[], Awaitable[object]]]


async def _repeat(seconds: float, name: str, work: Callable[[], Awaitable[object]]) -> None:
    log = get_logger("periodic")
    task = asyncio.current_task()
    while True:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 -- one of the named places
            # The supervisor of periodic work: whatever went wrong this time (a database that is
            # away, a deadlock, a fault of ours) must not end what is to be done the next time.
            log.warning("periodic_work_failed", work=name, **described(error))
            if task is not None and task.cancelling():
                return  # it was told to end, and failed over its own clearing up
        await asyncio.sleep(seconds)


@asynccontextmanager
async def every(*works: Repeated) -> AsyncIterator[None]:
    """Run each ``(seconds, name, work)`` at once and then again after each pause, until the block
    is left.
    """
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(_repeat(*one), name=one[1]) for one in works]
        try:
            yield
        finally:
            for task in running:
                task.cancel()
