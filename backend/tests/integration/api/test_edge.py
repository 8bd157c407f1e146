"""What every answer carries, who may scrape, which host names are ours, and the page's files."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from backend.app.api.middleware import CONTENT_SECURITY_POLICY
from backend.app.bootstrap import Container
from backend.app.core.settings import ObservabilitySettings, Settings
from backend.app.db.engine import create_engine
from backend.app.main import create_app
from backend.tests.support.people import Person
from backend.tests.support.plugin import settings_for


@asynccontextmanager
async def serving(
    container: Container, settings: Settings, *, peer: str = "127.0.0.1", base: str = "localhost"
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application over the same services with other settings."""
    app = create_app(settings)
    app.state.services = container
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False, client=(peer, 5))
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{base}") as client:
        yield client


def other(container: Container, **server: object) -> Settings:
    url = container.settings.database.url
    assert url is not None
    return settings_for(url.get_secret_value(), Path("/nonexistent"), **server)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/health", 200),
        ("GET", "/api/nothing", 404),
        ("GET", "/api/auth/me", 401),
        ("POST", "/api/auth/login", 422),
        ("PUT", "/metrics", 405),
        ("GET", "/", 200),
        ("GET", "/nothing", 404),
    ],
)
async def test_every_answer_has_the_security_headers(
    anonymous: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await anonymous.request(method, path)

    assert answer.status_code == status
    assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "strict-origin-when-cross-origin"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert "permissions-policy" in answer.headers
    assert "strict-transport-security" not in answer.headers
    if path.startswith("/api"):
        assert answer.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in answer.headers


async def test_an_unforeseen_fault_is_a_small_500_with_headers(container: Container) -> None:
    app = create_app(other(container))
    app.state.services = container

    async def fault() -> None:
        raise ValueError("a secret from the database")

    app.add_api_route("/fault", fault)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.get("/fault")

    assert answer.status_code == 500
    assert answer.json() == {"error": "internal", "detail": "Something went wrong on our side."}
    assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY


FOREIGN_HOSTS = ["evil.example", "localhost.evil", "127.0.0.1:x@evil.com", "[::1]x/y", ""]


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
async def test_a_foreign_host_name_is_not_ours(anonymous: httpx.AsyncClient, host: str) -> None:
    answer = await anonymous.get("/api/auth/me", headers={"Host": host})
    health = await anonymous.get("/api/health", headers={"Host": host})

    assert (answer.status_code, answer.json()["error"]) == (421, "host_not_allowed")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert health.status_code == 200  # probes come by any address


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000"])
async def test_loopback_names_are_ours(anonymous: httpx.AsyncClient, host: str) -> None:
    assert (await anonymous.get("/api/auth/me", headers={"Host": host})).status_code == 401


async def test_behind_https_the_cookie_is_bound_to_the_host(
    container: Container, requester: Person
) -> None:
    settings = other(container, public_url="https://help.example.org")
    services = _with_settings(container, settings)
    async with serving(services, settings, base="help.example.org") as client:
        answer = await client.post(
            "/api/auth/login",
            json={"username": "rita", "password": requester.password},
            headers={"Origin": "https://help.example.org"},
        )
        cookie = answer.headers["set-cookie"]

        assert cookie.startswith("__Host-helpdesk_session=")
        assert "Secure" in cookie
        assert "Path=/" in cookie
        assert "Domain" not in cookie
        assert answer.headers["strict-transport-security"].startswith("max-age=")


def _with_settings(container: Container, settings: Settings) -> Container:

    return replace(container, settings=settings)


async def test_metrics_count_answers_and_requests(
    client: httpx.AsyncClient, container: Container
) -> None:
    session = (await client.post("/api/chat/sessions", json={})).json()["id"]
    await client.post(f"/api/chat/sessions/{session}/messages", json={"text": "hello there"})
    await container.facts.read_all()
    page = (await client.get("/metrics")).text

    assert 'chatbot_answers_total{kb_resolved="false"} 1.0' in page
    assert 'route="/api/chat/sessions/{chat_session_id}/messages",status="201"' in page
    assert session not in page


@pytest.mark.parametrize(
    ("peer", "headers", "server", "status"),
    [
        ("127.0.0.1", {}, {}, 200),
        ("::1", {}, {}, 200),
        ("10.0.0.5", {}, {}, 404),
        ("127.0.0.1", {"X-Forwarded-For": "1.2.3.4"}, {}, 404),
        ("127.0.0.1", {"Forwarded": "for=1.2.3.4"}, {}, 404),
        ("127.0.0.1", {}, {"public_url": "https://help.example.org"}, 404),
        ("127.0.0.1", {}, {"trusted_proxies": "127.0.0.1"}, 404),
    ],
)
async def test_metrics_are_for_this_machine(
    container: Container,
    peer: str,
    headers: dict[str, str],
    server: dict[str, object],
    status: int,
) -> None:
    settings = other(container, **server)
    async with serving(_with_settings(container, settings), settings, peer=peer) as client:
        assert (await client.get("/metrics", headers=headers)).status_code == status


@pytest.mark.parametrize(
    ("presented", "status"),
    [("Bearer scrape-me", 200), ("Bearer wrong", 404), ("scrape-me", 200), ("", 404)],
)
async def test_with_a_scrape_token_only_the_token_counts(
    container: Container, presented: str, status: int
) -> None:
    observability = ObservabilitySettings(metrics_token=SecretStr("scrape-me"))
    settings = other(container).model_copy(update={"observability": observability})
    async with serving(_with_settings(container, settings), settings, peer="10.0.0.5") as client:
        answer = await client.get("/metrics", headers={"Authorization": presented})

        assert answer.status_code == status


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "counted"),
    [
        ("", "10.0.0.5", "1.2.3.4", "10.0.0.5"),
        ("10.0.0.0/8", "10.0.0.5", "1.2.3.4", "1.2.3.4"),
        ("10.0.0.0/8", "10.0.0.5", "9.9.9.9, 1.2.3.4", "1.2.3.4"),
        ("10.0.0.0/8", "10.0.0.5", "1.2.3.4, 10.0.0.6", "1.2.3.4"),
        ("10.0.0.0/8", "11.0.0.5", "1.2.3.4", "11.0.0.5"),
        ("10.0.0.0/8", "10.0.0.5", "", "10.0.0.5"),
        ("10.0.0.0/8", "10.0.0.5", "1.2.3.4:5678", "1.2.3.4"),
        ("10.0.0.0/8", "10.0.0.5", "[2001:db8::7]:443", "2001:db8::9"),
        ("10.0.0.0/8", "10.0.0.5", "2001:db8::7", "2001:db8::1"),
    ],
)
async def test_a_proxy_is_believed_only_when_it_is_trusted(
    container: Container, trusted: str, peer: str, forwarded: str, counted: str
) -> None:
    settings = other(container, trusted_proxies=trusted)
    async with serving(_with_settings(container, settings), settings, peer=peer) as client:
        for _ in range(50):
            await client.post(
                "/api/auth/login",
                json={"username": f"u{_}", "password": "x"},
                headers={"X-Forwarded-For": forwarded} if forwarded else {},
            )
    direct = other(container)
    async with serving(_with_settings(container, direct), direct, peer=counted) as client:
        answer = await client.post("/api/auth/login", json={"username": "u", "password": "x"})

        assert answer.status_code == 429


async def test_a_proxy_that_adds_a_line_of_its_own_is_heard(container: Container) -> None:
    settings = other(container, trusted_proxies="10.0.0.0/8")
    async with serving(_with_settings(container, settings), settings, peer="10.0.0.5") as client:
        answers = []
        for number in range(51):
            lines = [("X-Forwarded-For", f"9.9.9.{number}"), ("X-Forwarded-For", "1.2.3.4")]
            body = {"username": f"u{number}", "password": "x"}
            answers.append(await client.post("/api/auth/login", json=body, headers=lines))

        assert answers[-1].status_code == 429


async def test_what_is_silent_is_answered_in_time(container: Container) -> None:
    app = create_app(other(container, request_seconds=0.05))
    app.state.services = container
    let_go = asyncio.Event()

    async def silent() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await let_go.wait()  # it does not even let go when it is told to

    app.add_api_route("/silent", silent)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        async with asyncio.timeout(5):
            answer = await client.get("/silent")
        let_go.set()

    assert (answer.status_code, answer.json()["error"]) == (503, "took_too_long")
    assert answer.headers["retry-after"] == "2"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("HEAD", "/api/health", 200),
        ("HEAD", "/api/auth/me", 401),
        ("DELETE", "/api/health", 405),
        ("PUT", "/api/chat/sessions", 405),
        ("OPTIONS", "/api/auth/login", 405),
        ("GET", "/api", 404),
        ("POST", "/api/", 404),
        ("BREW", "/api/tea", 404),
    ],
)
async def test_methods_are_told_apart_from_addresses(
    anonymous: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await anonymous.request(method, path)

    assert answer.status_code == status
    assert (answer.content == b"") is (method == "HEAD")


async def test_logs_of_a_fault_hold_nothing_of_what_it_was_about(
    container: Container, capfd: pytest.CaptureFixture[str]
) -> None:
    app = create_app(other(container))
    app.state.services = container

    async def fault() -> None:
        raise ValueError("canary-7f3a in a parameter")

    app.add_api_route("/fault", fault)
    transport = httpx.ASGITransport(app=app)  # what the application lets out would be raised here
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.get("/fault")

    assert answer.status_code == 500
    assert "canary-7f3a" not in "".join(capfd.readouterr())


@pytest.fixture
def built_page(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>Page</title>")
    (tmp_path / "assets" / "app-1a2b.js").write_text("plain")
    (tmp_path / "assets" / "app-1a2b.js.br").write_bytes(b"brotli")
    (tmp_path / "assets" / "app-1a2b.js.gz").write_bytes(b"gzip")
    (tmp_path.parent / "secret.txt").write_text("outside")
    return tmp_path


async def test_the_page_answers_to_people_and_assets_are_kept_for_a_year(
    container: Container, built_page: Path
) -> None:
    settings = other(container, ui_enabled=True, ui_dir=built_page)
    async with serving(container, settings) as client:
        page = await client.get("/chat/anything", headers={"Accept": "text/html"})
        program = await client.get("/chat/anything", headers={"Accept": "application/json"})
        script = "/assets/app-1a2b.js"
        async with client.stream("GET", script, headers={"Accept-Encoding": "gzip, br"}) as best:
            raw = b"".join([chunk async for chunk in best.aiter_raw()])
        plain = await client.get(script, headers={"Accept-Encoding": "identity"})
        missing = await client.get("/assets/gone-9z.js", headers={"Accept": "text/html"})
        escape = await client.get("/assets/..%2f..%2fsecret.txt")
        odd = [
            (await client.get(path, headers={"Accept-Encoding": "br"})).status_code
            for path in ("/assets/a%00b", f"/assets/{'a' * 300}", "/assets/", "/assets")
        ]
        refused = await client.get(script, headers={"Accept-Encoding": "br;q=0, gzip;q=0"})
        posted = await client.post(script)
        nothing = await client.get("/api", headers={"Accept": "text/html"})
        health = await client.get("/api/health")

    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-cache"
    assert program.status_code == 404
    assert (raw, best.headers["content-encoding"]) == (b"brotli", "br")
    assert best.headers["content-type"].startswith("text/javascript")
    assert best.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert plain.text == "plain"
    assert plain.headers["vary"] == "Accept-Encoding"
    assert missing.status_code == 404
    assert set(odd) <= {404, 405, 200}
    assert odd[:3] == [404, 404, 404]
    assert refused.text == "plain"
    assert posted.status_code == 405
    assert nothing.status_code == 404
    assert escape.status_code == 404
    assert health.json()["ui"] == "built"


@pytest.mark.parametrize(("enabled", "word"), [(True, "missing"), (False, "off")])
async def test_without_a_build_a_plain_page_says_so(
    container: Container, tmp_path: Path, enabled: bool, word: str
) -> None:
    settings = other(container, ui_enabled=enabled, ui_dir=tmp_path)
    async with serving(container, settings) as client:
        page = await client.get("/", headers={"Accept": "text/html"})
        health = await client.get("/api/health")

    assert page.status_code == 200
    assert "web page is" in page.text
    assert health.json()["ui"] == word


async def test_health_is_red_while_the_database_is_away(
    container: Container, settings: Settings
) -> None:
    gone = settings_for("postgresql+asyncpg://u@127.0.0.1:1/none", Path("/nonexistent"))

    broken = replace(container, probe=create_engine(gone.database))
    async with serving(broken, settings) as client:
        answer = await client.get("/api/health")
        alive = await client.get("/api/health/live")

    assert (answer.status_code, answer.json()["database"]) == (503, "unavailable")
    assert alive.status_code == 200


async def test_health_is_green_while_work_has_used_up_the_pool(
    anonymous: httpx.AsyncClient, container: Container
) -> None:
    async with AsyncExitStack() as held:
        for _ in range(container.settings.database.pool_size):
            connection = await held.enter_async_context(container.engine.connect())
            await connection.execute(sa.text("SELECT 1"))
        answer = await anonymous.get("/api/health")

    assert answer.status_code == 200


async def test_a_failing_statement_names_no_value(
    container: Container, client: httpx.AsyncClient, capfd: pytest.CaptureFixture[str]
) -> None:
    async with container.engine.begin() as connection:
        await connection.execute(sa.text("ALTER TABLE kb_postings RENAME COLUMN term TO word"))
    try:
        session = (await client.post("/api/chat/sessions", json={})).json()["id"]
        asked = {"text": "canary-7f3a where are you"}
        answer = await client.post(f"/api/chat/sessions/{session}/messages", json=asked)
    finally:
        async with container.engine.begin() as connection:
            await connection.execute(sa.text("ALTER TABLE kb_postings RENAME COLUMN word TO term"))

    assert answer.status_code == 500
    assert "canary-7f3a" not in "".join(capfd.readouterr())
