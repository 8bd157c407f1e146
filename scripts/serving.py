"""A web server's connections, and how it ends when it is asked to."""

import asyncio
import socket
from collections.abc import Callable
from types import FrameType

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

#: How long it still answers; whoever calls then is told to come again, not cut off.
_LAST_CALLS_SECONDS = 0.5
_LOOK_SECONDS = 0.1
_READ_SECONDS: dict[object, float] = {h11.IDLE: 20, h11.SEND_BODY: 120}


class Http(H11Protocol):
    """A connection that has limited time for each request's head and for its body.

    Of uvicorn's own limits none ends a connection that sends a little now and then.
    """

    _deadline: asyncio.TimerHandle | None = None
    _reading: object = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        self._cancel()

    def handle_events(self) -> None:
        """Take in what has come, and see what is due next."""
        super().handle_events()
        self._watch()

    def _watch(self) -> None:
        """Start the clock when a head or a body is due, stop it when nothing is."""
        if self.conn.their_state is self._reading:
            return  # more of the same: that gains no time
        self._cancel()
        self._reading = self.conn.their_state
        seconds = _READ_SECONDS.get(self._reading)
        if seconds is not None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _cancel(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class LeavingServer(uvicorn.Server):
    """Begins nothing new from the moment it is asked to end, and closes a little later."""

    def __init__(self, config: uvicorn.Config, leave: Callable[[], None]) -> None:
        super().__init__(config)
        self._leave = leave

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal; a second one cuts everything short."""
        self._leave()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close, once who calls just now has been told."""
        left = _LAST_CALLS_SECONDS if self.should_exit else 0.0
        while left > 0 and not self.force_exit:
            await asyncio.sleep(_LOOK_SECONDS)
            left -= _LOOK_SECONDS
        await super().shutdown(sockets)
