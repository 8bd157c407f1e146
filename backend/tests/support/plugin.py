"""Fixtures of every tier: a real PostgreSQL built by the real migrations, the services over it,
clients.

The database is built once per run and emptied between tests. Everything commits for real, since
what is told to readers, and who wins a race, only shows after a commit.
"""

import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import asyncpg
import httpx
import pytest
import pytest_asyncio
import sqlalchemy as sa
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from backend.app.bootstrap import Container, build
from backend.app.core.settings import (
    DatabaseSettings,
    Environment,
    ObservabilitySettings,
    ServerSettings,
    Settings,
)
from backend.app.db import embedded
from backend.app.db.engine import migrate
from backend.app.db.models import Base
from backend.app.db.uow import UnitOfWork
from backend.app.domain.principals import Role
from backend.app.main import create_app
from backend.tests.support.people import People, Person

_LIBRARIES_TABLES = {
    *("checkpoints", "checkpoint_blobs", "checkpoint_writes"),
    *("procrastinate_jobs", "procrastinate_events"),
    *("procrastinate_periodic_defers", "procrastinate_workers"),
}
#: Hold one row that a migration made.
_KEPT_TABLES = {"fact_epochs", "instance_keys"}

_OURS = ("HELPDESK_", "DATABASE_", "GITHUB_", "LANGCHAIN_", "LANGSMITH_")
for name in [name for name in os.environ if name.startswith(_OURS)]:
    del os.environ[name]  # a developer's own settings are no part of a test


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the scenarios in ``backend/tests/eval``, known wherever a run begins."""
    group = parser.getgroup("scenarios")
    group.addoption("--show-trace", action="store_true", help="tell how a scenario that fails went")
    group.addoption(
        "--every-goal", action="store_true", help="each hostile goal against every scenario"
    )


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A server: the one that TEST_DATABASE_URL names, else an embedded one that is thrown away."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield make_url(given).set(drivername="postgresql+asyncpg").render_as_string(False)
        return
    with _open_folder() as folder, embedded.start(folder / "postgres", throwaway=True) as server:
        yield server.url


@contextmanager
def _open_folder() -> Iterator[Path]:
    # pytest's own folders are closed to the account that an embedded server runs as under root.
    with tempfile.TemporaryDirectory(prefix="helpdesk-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A temporary folder in which an embedded server can live."""
    with _open_folder() as folder:
        yield folder


async def on_server(url: str, statement: str) -> None:
    """Run one statement outside a transaction."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(False)
    connection = await asyncpg.connect(plain)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest_asyncio.fixture(scope="session")
async def database_url(postgres_url: str) -> AsyncIterator[str]:
    """A database of this run's own, migrated to the newest version."""
    name = f"helpdesk_test_{os.getpid()}"
    await on_server(postgres_url, f"CREATE DATABASE {name}")
    url = make_url(postgres_url).set(database=name).render_as_string(False)
    try:
        await migrate(url)
        yield url
    finally:
        await on_server(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")


def settings_for(url: str, logs: Path, **server: object) -> Settings:
    """Settings as tests want them."""
    return Settings(
        server=ServerSettings.model_validate(
            {"environment": Environment.TEST, "ui_enabled": False, **server}
        ),
        database=DatabaseSettings(url=SecretStr(url)),
        observability=ObservabilitySettings(
            log_dir=logs, log_level="error", fact_poll_seconds=0.05
        ),
    )


@pytest.fixture(scope="session")
def settings(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of the shared application."""
    return settings_for(database_url, tmp_path_factory.mktemp("logs"))


@pytest_asyncio.fixture(scope="session")
async def _application(settings: Settings) -> AsyncIterator[tuple[object, Container]]:
    # Without the lifespan's background work: what reads facts does so when a test says so.
    app = create_app(settings)
    async with build(settings, demo=True) as built:
        app.state.services = built
        yield app, built


@pytest_asyncio.fixture
async def container(_application: tuple[object, Container]) -> AsyncIterator[Container]:
    """The services over an empty database."""
    _, built = _application
    tables = ", ".join(set(Base.metadata.tables) - _KEPT_TABLES | _LIBRARIES_TABLES)
    async with built.engine.begin() as connection:
        await connection.execute(sa.text(f"TRUNCATE {tables} RESTART IDENTITY CASCADE"))
    yield built
    await built.tasks.drain(5)


@pytest.fixture
def uow(container: Container) -> UnitOfWork:
    """Units of work over the empty database."""
    return container.uow


@pytest.fixture
def people(container: Container) -> People:
    """Makes accounts."""
    return People(container)


@pytest_asyncio.fixture
async def requester(people: People) -> Person:
    """A requester."""
    return await people.make("rita", Role.REQUESTER)


@pytest_asyncio.fixture
async def stranger(people: People) -> Person:
    """Another requester."""
    return await people.make("sam", Role.REQUESTER)


@pytest_asyncio.fixture
async def anonymous(
    container: Container, _application: tuple[object, Container]
) -> AsyncIterator[httpx.AsyncClient]:
    """A client without credentials, straight into the application."""
    transport = httpx.ASGITransport(app=_application[0], raise_app_exceptions=False)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


@pytest_asyncio.fixture
async def client(
    anonymous: httpx.AsyncClient, requester: Person, _application: tuple[object, Container]
) -> AsyncIterator[httpx.AsyncClient]:
    """A client signed in as ``requester`` by access token."""
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(_as(requester, _application[0]))


@pytest_asyncio.fixture
async def strangers_client(
    stranger: Person, _application: tuple[object, Container]
) -> AsyncIterator[httpx.AsyncClient]:
    """A client signed in as ``stranger`` by access token."""
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(_as(stranger, _application[0]))


def _as(person: Person, app: object) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app, raise_app_exceptions=False),  # type: ignore[arg-type]
        base_url="http://localhost",
        headers={"Authorization": f"Bearer {person.token}"},
    )
