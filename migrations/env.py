"""How Alembic runs: against the URL handed in as the ``url`` attribute, or ``DATABASE_URL`` on the
command line.

One transaction per migration, short timeouts so that a migration waits for nobody for long, and an
advisory lock around the whole run so that two deployers cannot race.
"""

import asyncio

import sqlalchemy as sa
from alembic import context
from sqlalchemy.engine import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from backend.app.core.settings import DatabaseSettings
from backend.app.db.engine import is_ours, split_application_name
from backend.app.db.models import Base

_LOCK_KEY = 7_305_412_018  # any number, but always this one


def _run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        include_name=is_ours,
        compare_type=True,
        compare_server_default=True,
        transaction_per_migration=True,
    )
    connection.execute(sa.text("SET statement_timeout = '60s'"))
    connection.execute(sa.text("SELECT pg_advisory_lock(:key)"), {"key": _LOCK_KEY})
    # Only now: waiting for another deployer may take its migrations' time.
    connection.execute(sa.text("SET lock_timeout = '4s'"))
    connection.execute(sa.text("SET statement_timeout = '5s'"))
    connection.commit()
    try:
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()
    finally:
        connection.rollback()
        connection.execute(sa.text("SELECT pg_advisory_unlock(:key)"), {"key": _LOCK_KEY})
        connection.commit()


async def _run_online(url: str) -> None:
    engine = create_async_engine(split_application_name(url)[0], poolclass=sa.pool.NullPool)
    try:
        async with engine.connect() as connection:
            await connection.run_sync(_run)
    finally:
        await engine.dispose()


def _url() -> str:
    handed_in = context.config.attributes.get("url")
    if isinstance(handed_in, str):
        return handed_in
    configured = DatabaseSettings().url
    if configured is None:
        raise SystemExit("Set DATABASE_URL to the database to migrate")
    return configured.get_secret_value()


if context.is_offline_mode():
    raise SystemExit("Offline SQL is not supported: run against a database")
asyncio.run(_run_online(_url()))
