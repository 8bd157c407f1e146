"""Listening to the database's own bell: one connection, and every listener's events."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import asyncpg

from backend.app.core.logging import get_logger
from backend.app.core.tasks import Tasks
from backend.app.db.engine import for_libpq

_RETRY_SECONDS = 1.0
_CHECK_SECONDS = 5.0
_STOP_SECONDS = 2.0


class Bell:
    """Wakes whoever waits for a payload on one channel.

    A wake-up is a hint and can be lost (a dropped connection, a busy server), so nobody may wait
    for one without also looking from time to time.
    """

    def __init__(self, url: str, channel: str) -> None:
        self._url = for_libpq(url)
        self._channel = channel
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._log = get_logger("bell")

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Listen until the block is left, reconnecting as often as needed."""
        # No task group: it would wrap whatever the block raises.
        tasks = Tasks()
        listening = tasks.start(self._listen())
        try:
            yield
        finally:
            listening.cancel()
            await tasks.drain(_STOP_SECONDS)

    async def _listen(self) -> None:
        while True:
            try:
                await self._listen_once()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                self._log.warning("bell_lost", error=type(error).__name__)
            await asyncio.sleep(_RETRY_SECONDS)

    async def _listen_once(self) -> None:
        connection = await asyncpg.connect(self._url, timeout=5)
        try:
            await connection.add_listener(self._channel, self._ring)
            self._ring_all()  # what rang while nobody listened
            while not connection.is_closed():
                await asyncio.sleep(_CHECK_SECONDS)
                await connection.fetchval("SELECT 1", timeout=5)
        finally:
            connection.terminate()

    def _ring(self, _connection: Any, _pid: int, _channel: str, payload: object) -> None:
        for event in self._waiting.get(str(payload), ()):
            event.set()

    def _ring_all(self) -> None:
        for events in self._waiting.values():
            for event in events:
                event.set()

    def ring(self, payload: str) -> None:
        """Wake those of this process that wait for ``payload``; costs the database nothing."""
        self._ring(None, 0, self._channel, payload)

    @contextmanager
    def ringing(self, payload: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the channel says ``payload``; the waiter clears it."""
        event = asyncio.Event()
        waiting = self._waiting.setdefault(payload, set())
        waiting.add(event)
        try:
            yield event
        finally:
            # By whatever way and as late as this is left: a stream's end may come from the loop.
            waiting.discard(event)
            if not waiting and self._waiting.get(payload) is waiting:
                del self._waiting[payload]
