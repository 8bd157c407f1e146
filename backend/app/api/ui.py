"""The built web page: hashed assets for a year and precompressed, pages by ``index.html``, a plain
page without a build.
"""

import os
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Match
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from backend.app.core.errors import NotFound

_BUILT_IN_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Helpdesk</title></head><body><main><h1>Helpdesk</h1>
<p>The server is running, but its web page is {why}. The API answers under <code>/api</code>;
<a href="/api/health">health</a> tells more.</p><p>{remedy}</p></main></body></html>
"""
_MISSING = {
    "why": "not built",
    "remedy": "Start with <code>./scripts/serve</code>, which builds it.",
}
_OFF = {"why": "switched off", "remedy": "Start without <code>--no-ui</code> to have it."}

_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
_REFUSED = {"q=0", "q=0.0", "q=0.00", "q=0.000"}


class Assets(StaticFiles):
    """Files with a hash in their name: cached for a year, and sent as compressed at build time."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, in the best encoding that the client takes; StaticFiles judges the request."""
        plain = await super().get_response(path, scope)
        if plain.status_code != 200 or not isinstance(plain, FileResponse):
            return _for_a_year(plain)
        accepted = _accepted(Headers(scope=scope).get("accept-encoding", ""))
        for encoding, suffix in _ENCODINGS:
            compressed = f"{plain.path}{suffix}"
            if encoding in accepted and os.path.isfile(compressed):  # noqa: PTH113, ASYNC240 -- one stat
                better = FileResponse(compressed, media_type=_media_type(path))
                better.headers["Content-Encoding"] = encoding
                return _for_a_year(better)
        return _for_a_year(plain)


def _accepted(header: str) -> set[str]:
    """The encodings that an Accept-Encoding header takes: those without a quality of nought."""
    parts = (part.strip().partition(";") for part in header.lower().split(","))
    return {name.strip() for name, _, rest in parts if rest.replace(" ", "") not in _REFUSED}


def _media_type(path: str) -> str | None:
    known = {
        ".js": "text/javascript",
        ".css": "text/css",
        ".svg": "image/svg+xml",
        ".json": "application/json",
    }
    return known.get(Path(path).suffix)


def _for_a_year(response: Response) -> Response:
    if response.status_code < 400:
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        response.headers["Vary"] = "Accept-Encoding"
    return response


class _NothingElseBelowApi(BaseRoute):
    """Refuses what no other route takes below ``/api``, where else the page would answer.

    A partial match only, and the last one: a route that takes the address by another method is
    asked first, and says which methods it takes.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether the address lies below ``/api``."""
        is_below = scope["type"] == "http" and f"{scope['path']}/".startswith("/api/")
        return (Match.PARTIAL if is_below else Match.NONE), {}

    async def handle(self, _scope: Scope, _receive: Receive, _send: Send) -> None:
        """There is nothing here."""
        raise NotFound


def install(app: FastAPI, folder: Path, *, enabled: bool) -> str:
    """Serve the page from ``folder``; returns what health says of it: ``built``, ``missing`` or
    ``off``.
    """
    app.router.routes.append(_NothingElseBelowApi())
    if enabled and (folder / "index.html").is_file():
        if (folder / "assets").is_dir():
            app.mount("/assets", Assets(directory=folder / "assets"), name="assets")
        app.frontend("/", directory=folder, fallback="index.html")
        return "built"
    page = _BUILT_IN_PAGE.format(**(_MISSING if enabled else _OFF))

    @app.get("/", include_in_schema=False)
    async def built_in_page() -> Any:
        """What stands at the address when there is no page to show."""
        return HTMLResponse(page)

    return "missing" if enabled else "off"
