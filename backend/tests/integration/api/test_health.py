"""Health through all layers."""

import httpx

from backend.app import __version__


async def test_health_tells_of_the_database_and_the_page(anonymous: httpx.AsyncClient) -> None:
    answer = await anonymous.get("/api/health")

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "version": __version__,
        "database": "ok",
        "ui": "off",
        "semantic": "on",
    }


async def test_liveness_says_nothing_of_what_it_depends_on(anonymous: httpx.AsyncClient) -> None:
    answer = await anonymous.get("/api/health/live")

    assert answer.json() == {"status": "ok"}
