"""Where an instance lives: its data folder, its database, and how a command finds the running one.

DATA/
    postgres/      the embedded server's own folder
    logs/          the audit file
    server.json    address and database of the running server (0600)
    demo.json      the demo people (0600, only with --demo)
"""

import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError

from backend.app.bootstrap import Container, build
from backend.app.core.settings import SETTINGS_GROUPS, Settings
from backend.app.db.embedded import EmbeddedPostgres, EmbeddedPostgresFailed, start
from backend.app.db.engine import answers, create_engine, migrate

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_ARTICLES = ROOT / "backend" / "sample_kb"


def write_private(path: Path, value: Any) -> None:
    """Write JSON that only the owner can read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with os.fdopen(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        json.dump(value, file, indent=2)
        file.write("\n")
    fresh.replace(path)


def read_private(path: Path) -> Any:
    """What `write_private` wrote, or None."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def what_is_wrong(error: ValidationError) -> str:
    """Which settings are not valid and why, without the values: one may be a password."""
    group = next((made for made in SETTINGS_GROUPS if made.__name__ == error.title), None)
    prefix = group.model_config.get("env_prefix", "") if group else ""
    return "; ".join(
        f"{prefix}{'.'.join(str(part) for part in one['loc'])}".upper() + f": {one['msg']}"
        for one in error.errors()
    )


@contextmanager
def database(settings: Settings, data: Path) -> Iterator[tuple[Settings, EmbeddedPostgres | None]]:
    """The settings with a database URL, and its server if that is an embedded one, which this block
    then runs.
    """
    if settings.database.url is not None:
        yield settings, None
        return
    with start(data / "postgres") as server:
        yield with_database(settings, server.url), server


def with_database(settings: Settings, url: str) -> Settings:
    """The same settings over another database."""
    chosen = settings.database.model_copy(update={"url": SecretStr(url)})
    return settings.model_copy(update={"database": chosen})


async def migrate_database(settings: Settings) -> None:
    """Bring the schema up to this version."""
    assert settings.database.url is not None  # `database` gave one
    await migrate(settings.database.url.get_secret_value())


async def running_database(data: Path) -> str | None:
    """The URL of the embedded server that a running instance on this data folder owns."""
    running = read_private(data / "server.json")
    if not isinstance(running, dict) or not running.get("database_url"):
        return None
    settings = with_database(Settings(), running["database_url"])
    engine = create_engine(settings.database)
    try:
        return running["database_url"] if await answers(engine) else None
    finally:
        await engine.dispose()


@asynccontextmanager
async def attached(data: Path) -> AsyncIterator[Container]:
    """The instance's services for a command: over DATABASE_URL, the running instance's server, or
    one of our own. Only the last is migrated: nobody else can be using it.

    Raises:
        DatabaseUnavailable: the database does not answer, or does not let us in.
        EmbeddedPostgresFailed: the embedded server cannot be started.
        SchemaNotCurrent: the database that others may be using has another version's schema.
    """
    settings = Settings()
    url = None if settings.database.url is not None else await running_database(data)
    if url is not None:
        settings = with_database(settings, url)
    if settings.database.url is not None:
        async with build(settings) as built:
            yield built
        return
    if not (data / "postgres").exists():
        raise EmbeddedPostgresFailed(
            f"There is no helpdesk in {data}: start ./scripts/serve once, or set DATABASE_URL."
        )
    with database(settings, data) as (settings, _):
        await migrate_database(settings)
        async with build(settings) as built:
            yield built
