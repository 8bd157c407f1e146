"""Deny by default: every route is public by name or asks who is there first."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute

from backend.app.api.deps import SignedInRoute
from backend.app.main import create_app
from backend.tests.support.plugin import settings_for

#: Everything that works without sign-in, and why it may.
PUBLIC = {
    ("GET", "/api/health"): "load balancers",
    ("GET", "/api/health/live"): "container engines",
    ("POST", "/api/auth/login"): "limited per account and source",
    ("POST", "/api/integrations/github/webhook"): "signed with a secret; none, and it is not there",
    ("GET", "/metrics"): "loopback or scrape token",
    ("GET", "/"): "the built-in page",
}
NOWHERE = "00000000-0000-4000-8000-000000000000"


def _flat(routes: Iterable[Any]) -> Iterator[APIRoute]:
    """All routes; FastAPI keeps an included router as one entry."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        elif (router := getattr(route, "original_router", None)) is not None:
            yield from _flat(router.routes)


def _routes() -> list[tuple[str, str, APIRoute]]:
    app = create_app(settings_for("postgresql+asyncpg://nowhere/none", Path("/nonexistent")))
    return [
        (method, route.path, route)
        for route in _flat(app.routes)
        for method in sorted(route.methods or ())
    ]


ROUTES = _routes()
GUARDED = [(method, path) for method, path, route in ROUTES if isinstance(route, SignedInRoute)]


def test_every_route_is_guarded_or_named_as_public() -> None:
    open_ones = {
        (method, path) for method, path, route in ROUTES if not isinstance(route, SignedInRoute)
    }

    assert open_ones == set(PUBLIC)
    assert len(GUARDED) > 12


@pytest.mark.parametrize(("method", "path"), GUARDED)
async def test_nobody_gets_in_without_signing_in(
    anonymous: httpx.AsyncClient, method: str, path: str
) -> None:
    address = re.sub(r"\{\w+\}", NOWHERE, path)
    credentials: list[dict[str, str]] = [
        {},
        {"Authorization": "Bearer hda_x"},
        {"Cookie": "helpdesk_session=x"},
    ]
    for headers in credentials:
        answer = await anonymous.request(method, address, headers=headers)

        assert answer.status_code == 401, (method, path, headers)
        assert answer.json()["error"] == "sign_in_required"
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/api/nothing", "/api", "/api/chat", "/api/auth/login/x"])
async def test_an_unknown_address_is_not_the_page(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path, headers={"Accept": "text/html"})

    assert answer.status_code == 404
    assert answer.json()["error"] == "not_found"
