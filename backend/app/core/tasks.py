"""Work that outlives the request that began it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from backend.app.core.errors import AppError, Internal
from backend.app.core.logging import described, get_logger

T = TypeVar("T")


class Tasks:
    """The one supervisor of detached tasks: keeps them referenced, tells of failures, waits at
    shutdown.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self._log = get_logger("tasks")

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run ``work`` to its end, whoever waits for it; a failure that nobody foresaw arrives as
        `Internal`.
        """
        task = asyncio.create_task(self._supervised(work))  # noqa: TID251 -- this is the supervisor that the ban points to
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def _supervised(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return await work
        except AppError as error:
            self._log.info("task_refused", error=error.code())
            raise
        except Exception as error:
            self._log.warning("task_failed", **described(error))
            raise Internal from error

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # seen: nobody may be waiting any more

    @property
    def running(self) -> int:
        """How many tasks have not ended."""
        return len(self._running)

    async def drain(self, within_seconds: float) -> None:
        """Wait for running work; cancel what has not ended in time."""
        if not self._running:
            return
        _, late = await asyncio.wait(set(self._running), timeout=within_seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
