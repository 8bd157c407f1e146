"""How many requests are worked on at the same time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Turnstile:
    """Works on so many requests below ``/api`` at the same time, each until its answer begins; the
    others wait their turn, in order.

    All at once they would only wait longer, and each for a connection that another holds. Probes
    pass. Who waits for a client's body, or for a run (`waiting`), leaves its place meanwhile.
    """

    def __init__(self, app: ASGIApp, *, at_once: int) -> None:
        self._app = app
        self._places = asyncio.Semaphore(at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        path = scope.get("path", "")
        if not path.startswith("/api/") or path.startswith("/api/health"):
            await self._app(scope, receive, send)
            return
        holds = False

        async def enter() -> None:
            nonlocal holds
            await self._places.acquire()
            holds = True

        def leave() -> None:
            nonlocal holds
            if holds:
                holds = False
                self._places.release()

        @asynccontextmanager
        async def outside() -> AsyncIterator[None]:
            held = holds
            leave()
            yield
            if held:
                await enter()

        async def receive_outside() -> Message:
            async with outside():
                return await receive()

        async def send_and_leave(message: Message) -> None:
            leave()
            await send(message)

        await enter()
        try:
            scope[_OUTSIDE] = outside
            await self._app(scope, receive_outside, send_and_leave)
        finally:
            leave()


#: Under this key a request's scope holds how to leave its place for a while.
_OUTSIDE = "helpdesk.outside"


def waiting(scope: Scope) -> AbstractAsyncContextManager[None]:
    """Leave the request's place while it waits for something that others may have to do."""
    outside: Callable[[], AbstractAsyncContextManager[None]] = scope.get(_OUTSIDE, nullcontext)
    return outside()
