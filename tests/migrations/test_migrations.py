"""The schema: one way up, the same way down, and equal to the models."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from pydantic import SecretStr
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.ext.asyncio import create_async_engine

from backend.app.core.settings import DatabaseSettings
from backend.app.db.engine import (
    DatabaseUnavailable,
    SchemaNotCurrent,
    alembic_config,
    create_engine,
    is_ours,
    migrate,
    refuse_unless_current,
)
from backend.app.db.models import Base
from backend.tests.support.plugin import on_server

ROOT = Path(__file__).resolve().parents[2]


@pytest_asyncio.fixture
async def empty_url(postgres_url: str) -> AsyncIterator[str]:
    """An empty database."""
    name = f"helpdesk_migration_{os.getpid()}"
    await on_server(postgres_url, f"CREATE DATABASE {name}")
    yield make_url(postgres_url).set(database=name).render_as_string(False)
    await on_server(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")


def _tables(connection: Connection) -> set[str]:
    return set(sa.inspect(connection).get_table_names())


async def _read(url: str, what: object) -> object:
    engine = create_async_engine(url)
    try:
        async with engine.connect() as connection:
            return await connection.run_sync(what)  # type: ignore[arg-type]
    finally:
        await engine.dispose()


def test_there_is_one_head() -> None:
    assert len(ScriptDirectory.from_config(alembic_config()).get_heads()) == 1


async def test_up_down_up_on_an_empty_database(empty_url: str) -> None:
    await migrate(empty_url)
    first = await _read(empty_url, _tables)
    await asyncio.to_thread(command.downgrade, alembic_config(empty_url), "base")
    between = await _read(empty_url, _tables)
    await migrate(empty_url)

    assert between == {"alembic_version"}
    assert await _read(empty_url, _tables) == first


async def test_up_down_up_with_rows_in_the_way(empty_url: str) -> None:
    await migrate(empty_url)
    rows = sa.text(
        "INSERT INTO users (id, username, display_name, role, password_hash)"
        " VALUES (gen_random_uuid(), 'rita', 'Rita', 'requester', 'x')"
    )
    engine = create_async_engine(empty_url)
    async with engine.begin() as connection:
        await connection.execute(rows)
    await engine.dispose()
    await asyncio.to_thread(command.downgrade, alembic_config(empty_url), "base")
    await migrate(empty_url)

    assert "users" in await _read(empty_url, _tables)  # type: ignore[operator]


async def test_models_and_migrations_are_the_same(empty_url: str) -> None:
    await migrate(empty_url)

    def differences(connection: Connection) -> object:
        options = {
            "compare_type": True,
            "compare_server_default": True,
            "include_name": is_ours,
        }
        context = MigrationContext.configure(connection, opts=options)
        return compare_metadata(context, Base.metadata)

    assert await _read(empty_url, differences) == []


async def test_two_deployers_at_once_both_end_well(empty_url: str) -> None:
    async def deploy() -> int:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "alembic", "upgrade", "head"),
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": empty_url},
            stderr=asyncio.subprocess.DEVNULL,
        )
        return await process.wait()

    assert set(await asyncio.gather(deploy(), deploy(), deploy())) == {0}
    assert "facts" in await _read(empty_url, _tables)  # type: ignore[operator]


async def test_a_schema_that_is_not_current_is_refused(empty_url: str) -> None:
    engine = create_engine(DatabaseSettings(url=SecretStr(empty_url)))
    try:
        with pytest.raises(SchemaNotCurrent, match="empty"):
            await refuse_unless_current(engine)
        await migrate(empty_url)
        await refuse_unless_current(engine)
        async with engine.begin() as connection:
            await connection.execute(sa.text("UPDATE alembic_version SET version_num = 'future'"))
        with pytest.raises(SchemaNotCurrent, match="future"):
            await refuse_unless_current(engine)
        with pytest.raises(SchemaNotCurrent, match="cannot be migrated"):
            await migrate(empty_url)
    finally:
        await engine.dispose()


async def test_a_database_that_cannot_be_reached_is_said_without_its_password() -> None:
    with pytest.raises(DatabaseUnavailable) as refused:
        await migrate("postgresql+asyncpg://u:hunter2@127.0.0.1:1/none")

    assert "hunter2" not in refused.value.detail
