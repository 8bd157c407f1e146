"""The connection pool, and the questions one asks of the database itself."""

import asyncio
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from backend.app.core.errors import Unavailable
from backend.app.core.settings import DatabaseSettings

_ROOT = Path(__file__).resolve().parents[3]


class DatabaseUnavailable(Unavailable):
    """The database does not answer right now; nothing was lost, try again shortly."""

    retry_after = timedelta(seconds=2)


class SchemaNotCurrent(Unavailable):
    """The database's schema is not the one this version needs; run the migrations."""


def create_engine(settings: DatabaseSettings) -> AsyncEngine:
    """A pool for ``settings.url``; connects when first used.

    A waiting caller gives up after the pool timeout, a statement after the statement timeout, so
    that no request hangs on a silent database.
    """
    if settings.url is None:
        raise ValueError("settings.url is not set")
    return create_async_engine(
        settings.url.get_secret_value(),
        pool_size=settings.pool_size,
        max_overflow=0,
        pool_timeout=settings.pool_timeout_seconds,
        pool_pre_ping=True,
        connect_args={
            "timeout": settings.connect_timeout_seconds,
            "command_timeout": settings.statement_timeout_seconds,
            "server_settings": {
                "application_name": "helpdesk-agent",
                "statement_timeout": str(int(settings.statement_timeout_seconds * 1000)),
                "idle_in_transaction_session_timeout": "30000",
                "timezone": "UTC",
                "jit": "off",
            },
        },
    )


def is_outage(error: BaseException) -> bool:
    """Whether ``error`` means that the database cannot be reached, rather than that a statement is
    wrong.
    """
    if isinstance(error, DBAPIError):
        state = getattr(error.orig, "sqlstate", None) or ""
        return bool(error.connection_invalidated or state[:2] in {"08", "53", "57"})
    return isinstance(error, (TimeoutError, sa.exc.TimeoutError, sa.exc.InterfaceError))


async def answers(engine: AsyncEngine, *, within_seconds: float = 2.0) -> bool:
    """Whether the database answers a trivial question in time."""
    try:
        async with asyncio.timeout(within_seconds), engine.connect() as connection:
            await connection.execute(sa.text("SELECT 1"))
    except (DBAPIError, OSError, TimeoutError, sa.exc.TimeoutError, sa.exc.InterfaceError):
        return False
    return True


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Whether Alembic compares an object: tables that a library shapes are left out."""
    return not (kind == "table" and name is not None and name.startswith("checkpoint"))


def alembic_config(url: str | None = None) -> Config:
    """Alembic's configuration for this source tree, with ``url`` handed in."""
    config = Config(_ROOT / "alembic.ini")
    config.attributes["url"] = url
    return config


async def migrate(url: str) -> None:
    """Bring the schema at ``url`` up to this version.

    Raises:
        DatabaseUnavailable: the database does not answer.
        SchemaNotCurrent: the schema is a newer version's.
    """
    try:
        await asyncio.to_thread(command.upgrade, alembic_config(url), "head")
    except CommandError as error:
        raise SchemaNotCurrent(f"The database cannot be migrated: {error}") from error
    except (DBAPIError, OSError) as error:
        if not isinstance(error, OSError) and not is_outage(error):
            raise
        raise DatabaseUnavailable(f"The database cannot be reached: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """What a driver says without the statement and its values."""
    return str(getattr(error, "orig", None) or error).splitlines()[0][:200]


async def refuse_unless_current(engine: AsyncEngine) -> None:
    """Raise `SchemaNotCurrent` unless the database has exactly this version's schema."""
    head = ScriptDirectory.from_config(alembic_config()).get_current_head()
    async with engine.connect() as connection:
        found = await connection.run_sync(
            lambda sync: MigrationContext.configure(sync).get_current_revision()
        )
    if found != head:
        raise SchemaNotCurrent(
            f"The database's schema is {found or 'empty'}, this version needs {head}."
        )
