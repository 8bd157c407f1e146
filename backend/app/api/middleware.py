"""What happens to every request: host check, headers, measure. Pure ASGI, so that streams stay
streams.
"""

import time
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.app.api.errors import body_too_large, refusal

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
        host = Headers(scope=scope).get("host", "").lower()
        name = host[1 : host.find("]")] if host.startswith("[") else host.partition(":")[0]
        return self._allowed is not None and name in self._allowed


class BodyLimit:
    """Refuses a body that is too large: by its announced length, or when it turns out so."""

    def __init__(self, app: ASGIApp, *, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > self._limit:
            answer = refusal(413, "body_too_large", f"At most {self._limit} bytes are accepted.")
            await answer(scope, receive, send)
            return
        seen = 0

        async def receive_and_count() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
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
