"""What happens to every request: host check, headers, measure. Pure ASGI, so that streams stay
streams.
"""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.app.api.errors import body_too_large, refusal, too_late, unforeseen

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types vue",
    )
)

_EVERYWHERE = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Frame-Options": "DENY",
}
_HSTS = "max-age=31536000; includeSubDomains"

#: What a request is measured by: method, route template, status, seconds.
Observe = Callable[[str, str, int, float], None]


class SecurityHeaders:
    """Puts the security headers on every answer, errors included; private answers are not to be
    stored.
    """

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._headers = {**_EVERYWHERE, **({"Strict-Transport-Security": _HSTS} if https else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
                if scope["path"].startswith(("/api/", "/metrics")):
                    headers["Cache-Control"] = "no-store"
                # A page is asked for anew each time (its ETag makes that cheap), or an old one
                # would go on asking for scripts that are gone.
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        await self._app(scope, receive, send_with_headers)


_HOST = re.compile(r"(?:\[(?P<literal>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::[0-9]{1,5})?")


class HostCheck:
    """Refuses requests for a host name that is not ours, which is how DNS rebinding would reach a
    local server.
    """

    def __init__(self, app: ASGIApp, *, allowed: frozenset[str] | None) -> None:
        self._app = app
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or self._allowed is None or self._is_allowed(scope):
            await self._app(scope, receive, send)
            return
        answer = refusal(
            421,
            "host_not_allowed",
            "The helpdesk does not answer to this address (HELPDESK_PUBLIC_URL).",
        )
        await answer(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        if scope["path"].startswith("/api/health"):
            return True  # probes come by whatever address they know, and learn nothing here
        host = _HOST.fullmatch(Headers(scope=scope).get("host", "").lower())
        if host is None or self._allowed is None:
            return False
        return (host["literal"] or host["name"]) in self._allowed


class HeadIsGet:
    """Answers HEAD below ``/api`` as GET without a body, as probes and monitors expect."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        is_head = scope["type"] == "http" and scope["method"] == "HEAD"
        if not is_head or not scope["path"].startswith("/api/"):
            await self._app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            bare = {**message, "body": b""} if message["type"] == "http.response.body" else message
            await send(bare)

        await self._app({**scope, "method": "GET"}, receive, send_without_body)


class LastResort:
    """Answers what nobody foresaw, and within a time, so that no fault and no silence goes on.

    ``longer`` names the paths that may take longer, with the seconds that they may.

    An error that passed this point would be printed by the server with all it holds. A request
    that waits for something silent is answered although what it waits for may not even let go.
    """

    def __init__(
        self, app: ASGIApp, *, seconds: float, longer: Mapping[str, float] | None = None
    ) -> None:
        self._app = app
        self._seconds = seconds
        self._longer = longer or {}
        self._late: set[asyncio.Future[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, is_over = asyncio.Event(), False

        async def send_unless_over(message: Message) -> None:
            begun.set()  # from here on a stream may take as long as somebody reads it
            if not is_over:
                await send(message)

        work = asyncio.ensure_future(self._app(scope, receive, send_unless_over))
        try:
            await self._until(work, begun, self._longer.get(scope["path"], self._seconds))
            if work.done() or begun.is_set():
                await work
                return
            is_over = True
            self._leave(work)
            await too_late()(scope, receive, send)
        except asyncio.CancelledError:
            work.cancel()
            if not begun.is_set():  # the server is going down, and would say a bare 500 itself
                is_over = True
                await too_late()(scope, receive, send)
            raise
        except Exception as error:  # noqa: BLE001 -- one of the named places
            answer = unforeseen(error, str(scope["method"]))
            if not begun.is_set():
                await answer(scope, receive, send)

    async def _until(
        self, work: asyncio.Future[None], begun: asyncio.Event, seconds: float
    ) -> None:
        beginning: asyncio.Future[Any] = asyncio.ensure_future(begun.wait())
        try:
            await asyncio.wait(
                [work, beginning], timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            beginning.cancel()

    def _leave(self, work: asyncio.Future[None]) -> None:
        """Cancel late work without waiting: giving back a silent connection takes its time too."""
        self._late.add(work)
        work.add_done_callback(self._late.discard)
        work.add_done_callback(lambda done: done.cancelled() or done.exception())
        work.cancel()


#: What anybody may make the server read and parse without signing in.
_SIGN_IN = "/api/auth/login"
_SIGN_IN_BYTES = 8192
_LIMITS = {_SIGN_IN: _SIGN_IN_BYTES, "/api/integrations/github/webhook": 1_048_576}


class BodyLimit:
    """Refuses a body that is too large: by its announced length, or when it turns out so."""

    def __init__(self, app: ASGIApp, *, limit: int) -> None:
        self._app = app
        self._limit = limit

    def _limit_of(self, scope: Scope) -> int:
        return min(self._limit, _LIMITS.get(scope["path"], self._limit))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_of(scope)
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and (len(announced) > 18 or int(announced) > limit):
            answer = refusal(413, "body_too_large", f"At most {limit} bytes are accepted.")
            await answer(scope, receive, send)
            return
        seen = 0

        async def receive_and_count() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise body_too_large()
            return message

        await self._app(scope, receive_and_count, send)


class Measure:
    """Counts and times every request under its route template, never under its path."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500

        async def send_and_see(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_see)
        finally:
            observe: Observe = scope["app"].state.services.observe_request
            observe(_method(scope), _template(scope), status, time.perf_counter() - began)


_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def _method(scope: Scope) -> str:
    return str(scope["method"]) if scope["method"] in _METHODS else "other"


def _template(scope: Scope) -> str:
    return getattr(scope.get("route"), "path", None) or "unmatched"
