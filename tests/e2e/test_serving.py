"""What the server answers besides the API: page, assets, headers, and real refusals."""

import re

import pytest

from tests.e2e.support.server import Helpdesk

pytestmark = pytest.mark.e2e

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types vue"
)
NAVIGATION = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


async def asset_of(helpdesk: Helpdesk) -> str:
    async with helpdesk.client() as client:
        page = await client.get("/", headers=NAVIGATION)
    found = re.search(r'src="(/assets/index-[^"]+\.js)"', page.text)
    assert found, page.text
    return found[1]


@pytest.mark.parametrize("path", ["/", "/chat", "/login", "/articles/x", "/nowhere"])
async def test_every_address_of_the_page_answers_with_it_and_is_asked_for_anew(
    helpdesk: Helpdesk, path: str
) -> None:
    async with helpdesk.client() as client:
        page = await client.get(path, headers=NAVIGATION)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert '<div id="app">' in page.text
    assert page.headers["cache-control"] == "no-cache"
    assert page.headers["etag"]


async def test_page_asset_and_refusal_carry_the_same_security_headers(helpdesk: Helpdesk) -> None:
    asset = await asset_of(helpdesk)
    async with helpdesk.client() as client:
        for path in ("/", asset, "/theme.js", "/api/health", "/api/auth/me", "/assets/gone.js"):
            headers = (await client.get(path)).headers
            assert headers["content-security-policy"] == POLICY, path
            assert headers["x-content-type-options"] == "nosniff", path
            assert headers["x-frame-options"] == "DENY", path
            assert headers["referrer-policy"] == "strict-origin-when-cross-origin", path
            assert headers["cross-origin-opener-policy"] == "same-origin", path
            assert "camera=()" in headers["permissions-policy"], path
            assert "server" not in headers, path


@pytest.mark.parametrize(
    ("accepted", "used"), [("gzip, br", "br"), ("gzip", "gzip"), ("identity", None)]
)
async def test_an_asset_is_kept_for_ever_and_comes_compressed(
    helpdesk: Helpdesk, accepted: str, used: str | None
) -> None:
    asset = await asset_of(helpdesk)
    async with (
        helpdesk.client() as client,
        client.stream("GET", asset, headers={"Accept-Encoding": accepted}) as answer,
    ):
        size = len(b"".join([chunk async for chunk in answer.aiter_raw()]))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers.get("content-encoding") == used
    assert size == int(answer.headers["content-length"])


async def test_an_asset_that_is_gone_is_missing_even_for_a_browser(helpdesk: Helpdesk) -> None:
    async with helpdesk.client() as client:
        answer = await client.get("/assets/ChatView-gone1234.js", headers=NAVIGATION)
    assert answer.status_code == 404
    assert "immutable" not in answer.headers.get("cache-control", "")
    assert '<div id="app">' not in answer.text


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
async def test_an_unknown_api_address_is_a_refusal_even_for_a_browser(
    helpdesk: Helpdesk, method: str
) -> None:
    async with helpdesk.client() as client:
        answer = await client.request(method, "/api/typo", headers=NAVIGATION)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["error"] == "not_found"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/.vite/manifest.json",
        "/../package.json",
        "/%2e%2e/package.json",
        "/assets/..%2f..%2fpackage.json",
        "/assets/%2e%2e/%2e%2e/package.json",
    ],
)
async def test_nothing_but_the_built_page_is_served(helpdesk: Helpdesk, path: str) -> None:
    async with helpdesk.client() as client:
        answer = await client.get(path)
    assert answer.status_code == 404
