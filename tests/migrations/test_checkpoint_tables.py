"""The checkpoint tables: ours are the library's, and an upgrade of the library is noticed."""

import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from sqlalchemy.engine import make_url

from backend.app.core.settings import CheckpointSettings
from backend.app.db.engine import migrate
from backend.app.services.runs.checkpoint import CheckpointSchemaNotCurrent, checkpoints
from backend.tests.support.plugin import on_server

#: Of the library's own list of migrations, as the revision *runs and checkpoints* makes them.
KNOWN = "085124b3c20d25e5"

_CATALOGUE = """
    SELECT table_name, column_name, data_type, is_nullable, column_default
    FROM information_schema.columns
    WHERE table_name LIKE 'checkpoint%' ORDER BY table_name, column_name
"""
_INDEXES = """
    SELECT tablename, indexname, indexdef FROM pg_indexes
    WHERE tablename LIKE 'checkpoint%' ORDER BY indexname
"""


@asynccontextmanager
async def database(postgres_url: str, name: str) -> AsyncIterator[str]:
    name = f"{name}_{os.getpid()}"
    await on_server(postgres_url, f"CREATE DATABASE {name}")
    try:
        yield make_url(postgres_url).set(database=name).render_as_string(False)
    finally:
        await on_server(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")


def _dsn(url: str) -> str:
    return url.replace("postgresql+asyncpg://", "postgresql://")


async def _catalogue(url: str) -> list[object]:
    async with await psycopg.AsyncConnection.connect(_dsn(url)) as connection:
        columns = await (await connection.execute(_CATALOGUE)).fetchall()
        indexes = await (await connection.execute(_INDEXES)).fetchall()
        rows = await connection.execute("SELECT v FROM checkpoint_migrations ORDER BY v")
        return [columns, indexes, await rows.fetchall()]


def test_the_librarys_list_of_migrations_is_the_one_we_know() -> None:
    normalised = "\n".join(" ".join(entry.split()) for entry in AsyncPostgresSaver.MIGRATIONS)

    assert hashlib.sha256(normalised.encode()).hexdigest()[:16] == KNOWN, (
        "the saver has new migrations: add a revision that makes them, then change KNOWN"
    )


async def test_our_tables_are_what_the_library_would_make(postgres_url: str) -> None:
    async with (
        database(postgres_url, "ours") as ours,
        database(postgres_url, "theirs") as theirs,
    ):
        await migrate(ours)
        async with AsyncPostgresSaver.from_conn_string(_dsn(theirs)) as saver:
            await saver.setup()
        expected = await _catalogue(theirs)

        assert await _catalogue(ours) == expected
        async with AsyncPostgresSaver.from_conn_string(_dsn(ours)) as saver:
            await saver.setup()
        assert await _catalogue(ours) == expected


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM checkpoint_migrations WHERE v = 9",
        "INSERT INTO checkpoint_migrations VALUES (10)",
    ],
)
async def test_a_start_on_other_tables_is_refused(postgres_url: str, change: str) -> None:
    async with database(postgres_url, "other") as url:
        await migrate(url)
        async with await psycopg.AsyncConnection.connect(_dsn(url)) as connection:
            await connection.execute(change)
        with pytest.raises(CheckpointSchemaNotCurrent):
            async with checkpoints(CheckpointSettings(), url):
                pass
