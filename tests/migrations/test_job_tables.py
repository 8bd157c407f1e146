"""The job tables: ours are the library's, and an upgrade of the library is noticed."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest
from alembic import command
from procrastinate import App, PsycopgConnector
from sqlalchemy.engine import make_url

from backend.app.db.engine import alembic_config, for_libpq, migrate
from backend.app.services.jobs.runner import JobSchemaNotCurrent, refuse_unless_known
from backend.tests.support.plugin import on_server

_BEFORE = "7a48ebd1e818"

#: Everything in the catalogue that bears the library's name, as far as its meaning goes.
_CATALOGUE = (
    """
    SELECT table_name, column_name, ordinal_position, udt_name, character_maximum_length,
           is_nullable, column_default, is_identity, identity_generation
    FROM information_schema.columns WHERE table_name LIKE 'procrastinate%' ORDER BY 1, 3
    """,
    "SELECT indexname, indexdef FROM pg_indexes WHERE tablename LIKE 'procrastinate%' ORDER BY 1",
    """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE conrelid::regclass::text LIKE 'procrastinate%' ORDER BY 1, 2
    """,
    """
    SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger
    WHERE NOT tgisinternal AND tgname LIKE 'procrastinate%' ORDER BY 1
    """,
    """
    SELECT typname, array(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = pg_type.oid
                          ORDER BY enumsortorder)
    FROM pg_type WHERE typname LIKE '%procrastinate%' ORDER BY 1
    """,
    """
    SELECT proname, pg_get_function_arguments(oid), pg_get_function_result(oid),
           provolatile, proisstrict, prosecdef, regexp_replace(prosrc, '\\s+', ' ', 'g')
    FROM pg_proc WHERE proname LIKE 'procrastinate%' ORDER BY 1, 2
    """,
    "SELECT relname, relkind FROM pg_class WHERE relname LIKE '%procrastinate%' ORDER BY 1",
)


@asynccontextmanager
async def database(postgres_url: str, name: str) -> AsyncIterator[str]:
    name = f"{name}_{os.getpid()}"
    await on_server(postgres_url, f"CREATE DATABASE {name}")
    try:
        yield make_url(postgres_url).set(database=name).render_as_string(False)
    finally:
        await on_server(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")


async def _catalogue(url: str) -> list[list[tuple[object, ...]]]:
    async with await psycopg.AsyncConnection.connect(for_libpq(url)) as connection:
        return [await (await connection.execute(query)).fetchall() for query in _CATALOGUE]


def test_a_start_is_refused_when_the_library_wants_another_schema() -> None:
    refuse_unless_known()
    with pytest.raises(JobSchemaNotCurrent):
        refuse_unless_known("of another version")


async def test_our_schema_is_what_the_library_would_make(postgres_url: str) -> None:
    async with (
        database(postgres_url, "our_jobs") as ours,
        database(postgres_url, "their_jobs") as theirs,
    ):
        await migrate(ours)
        async with App(connector=PsycopgConnector(conninfo=for_libpq(theirs))).open_async() as app:
            await app.schema_manager.apply_schema_async()
        expected = await _catalogue(theirs)

        assert all(expected)
        assert await _catalogue(ours) == expected, (
            "the library has another schema: add a revision that makes it"
        )


async def test_going_back_leaves_nothing_behind(postgres_url: str) -> None:
    async with database(postgres_url, "jobs_back") as url:
        await migrate(url)
        made = await _catalogue(url)
        await asyncio.to_thread(command.downgrade, alembic_config(url), _BEFORE)

        assert not any(await _catalogue(url))
        await migrate(url)
        assert await _catalogue(url) == made
