"""The built web page: hashed assets for a year and precompressed, pages by ``index.html``, a plain
page without a build.
"""

from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.datastructures import Headers
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

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
_EVERY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


class Assets(StaticFiles):
    """Files with a hash in their name: cached for a year, sent as compressed at build time when the
    client can.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, in the best encoding that the client takes."""
        accepted = Headers(scope=scope).get("accept-encoding", "")
        for encoding, suffix in _ENCODINGS:
            if encoding in accepted:
                full_path, stat = self.lookup_path(path + suffix)
                if stat is not None:
                    media_type = _media_type(path)
                    response: Response = FileResponse(
                        full_path, stat_result=stat, media_type=media_type
                    )
                    response.headers["Content-Encoding"] = encoding
                    return _for_a_year(response)
        return _for_a_year(await super().get_response(path, scope))


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


def _nothing_else_below_api(app: FastAPI) -> None:
    unknown = APIRouter()

    @unknown.api_route("/api/{rest:path}", methods=_EVERY_METHOD, include_in_schema=False)
    async def unknown_address(rest: str) -> None:  # noqa: ARG001 -- the path names it
        """Without this the page would answer for a mistyped API address."""
        raise NotFound

    app.include_router(unknown)


def install(app: FastAPI, folder: Path, *, enabled: bool) -> str:
    """Serve the page from ``folder``; returns what health says of it: ``built``, ``missing`` or
    ``off``.
    """
    _nothing_else_below_api(app)
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
