"""The connection pool, and the questions one asks of the database itself."""

import asyncio
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError, InterfaceError, InvalidatePoolError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from backend.app.core.errors import Unavailable
from backend.app.core.settings import DatabaseSettings

#: A connection that was used within so many seconds is taken to be alive.
TRUSTED_SECONDS = 1.0
_ROOT = Path(__file__).resolve().parents[3]
#: How long a transaction may stand still, in milliseconds. A process that was stopped within one
#: holds its locks so long; who waits for them must outlast that (a statement may take longer).
IDLE_IN_TRANSACTION = "5000"


class DatabaseUnavailable(Unavailable):
    """The database does not answer right now; nothing was lost, try again shortly."""

    retry_after = timedelta(seconds=2)


class DatabaseBusy(Unavailable):
    """The database is too busy for this right now; nothing was changed, try again shortly."""

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
    url, name = split_application_name(settings.url.get_secret_value())
    engine = create_async_engine(
        url,
        pool_size=settings.pool_size,
        max_overflow=0,
        pool_timeout=settings.pool_timeout_seconds,
        hide_parameters=True,  # what people wrote stands in them, and errors end in logs
        connect_args={
            "timeout": settings.connect_timeout_seconds,
            "command_timeout": settings.statement_timeout_seconds,
            "server_settings": {
                "application_name": name or "helpdesk-agent",
                "statement_timeout": str(int(settings.statement_timeout_seconds * 1000)),
                "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION,
                "timezone": "UTC",
                "jit": "off",
            },
        },
    )
    _try_after_idling(engine)
    return engine


def _try_after_idling(engine: AsyncEngine) -> None:
    """Try a connection that idled before it is used, as SQLAlchemy's own pre-ping would each time:
    a connection dies while nobody looks, and one that was used just now need not be tried.
    """
    dialect = engine.sync_engine.dialect

    @event.listens_for(engine.sync_engine, "checkin")
    def note_when(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info["given_back"] = time.monotonic()

    @event.listens_for(engine.sync_engine, "checkout")
    def try_if_idle(connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
        given_back = record.info.get("given_back")
        if given_back is None or time.monotonic() - given_back < TRUSTED_SECONDS:
            return
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error


def split_application_name(url: str) -> tuple[sa.URL, str | None]:
    """The URL, and the name in it apart: asyncpg takes that as a setting of the session only."""
    parsed = sa.make_url(url)
    name = parsed.query.get("application_name")
    return parsed.difference_update_query(["application_name"]), (
        name if isinstance(name, str) else None
    )


def for_libpq(url: str) -> str:
    """The same URL for psycopg, which takes TLS and the name in the way of libpq."""
    parsed = sa.make_url(url).set(drivername="postgresql")
    if "ssl" in parsed.query:
        mode = parsed.query["ssl"]
        parsed = parsed.difference_update_query(["ssl"]).update_query_dict({"sslmode": mode})
    return parsed.render_as_string(hide_password=False)


def is_outage(error: BaseException) -> bool:
    """Whether ``error`` means that the database cannot be reached, rather than that a statement is
    wrong or was cancelled for taking too long.
    """
    if isinstance(error, DBAPIError):
        state = getattr(error.orig, "sqlstate", None) or ""
        # The driver raises the same class for a lost connection as for arguments it cannot send.
        is_lost = isinstance(error, sa.exc.InterfaceError) and "connection" in str(error.orig)
        is_away = state[:2] in {"08", "53", "57"} and state != "57014"
        return bool(error.connection_invalidated or is_lost or is_away)
    return isinstance(error, (TimeoutError, sa.exc.TimeoutError))


def create_probe(settings: DatabaseSettings) -> AsyncEngine:
    """An engine to ask how the database is: apart from the pool, which work may have used up."""
    return create_engine(settings.model_copy(update={"pool_size": 1, "pool_timeout_seconds": 1.0}))


#: A statement over its time, a lock not had in time, a deadlock, two writers of one thing.
_CONTENTION = {"57014", "55P03", "40P01", "40001"}


def is_contention(error: BaseException) -> bool:
    """Whether a statement was given up because of what else was going on."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in _CONTENTION


async def answers(engine: AsyncEngine, *, within_seconds: float = 2.0) -> bool:
    """Whether the database answers a trivial question in time."""
    try:
        async with asyncio.timeout(within_seconds), engine.connect() as connection:
            await connection.execute(sa.text("SELECT 1"))
    except (DBAPIError, OSError, TimeoutError, sa.exc.TimeoutError, sa.exc.InterfaceError):
        return False
    return True


#: How the names of LangGraph's and procrastinate's tables begin.
_LIBRARIES_TABLES = ("checkpoint", "procrastinate_")


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Whether Alembic compares an object: tables that a library shapes are left out."""
    return not (kind == "table" and name is not None and name.startswith(_LIBRARIES_TABLES))


def alembic_config(url: str | None = None) -> Config:
    """Alembic's configuration for this source tree, with ``url`` handed in."""
    config = Config(_ROOT / "alembic.ini")
    config.attributes["url"] = url
    return config


async def migrate(url: str) -> None:
    """Bring the schema at ``url`` up to this version.

    Raises:
        DatabaseUnavailable: the database does not answer, or does not let us in.
        SchemaNotCurrent: the schema is a newer version's.
    """
    plain, _ = split_application_name(url)
    config = alembic_config(plain.render_as_string(hide_password=False))
    try:
        await asyncio.to_thread(command.upgrade, config, "head")
    except CommandError as error:
        raise SchemaNotCurrent(f"The database cannot be migrated: {error}") from error
    except (DBAPIError, OSError) as error:
        if not _is_closed(error):
            raise
        raise DatabaseUnavailable(f"The database cannot be reached: {_reason(error)}") from error


def _is_closed(error: BaseException) -> bool:
    """Whether nobody gets a connection: the server is away, refuses us, or TLS is not as asked."""
    if isinstance(error, DBAPIError):
        state = getattr(error.orig, "sqlstate", None) or ""
        # 28: who we are, 3D: no such database. An InterfaceError comes before any statement.
        return state[:2] in {"28", "3D"} or isinstance(error, InterfaceError) or is_outage(error)
    return isinstance(error, OSError) or is_outage(error)


def _reason(error: Exception) -> str:
    """What a driver says without the statement and its values."""
    said = str(getattr(error, "orig", None) or error) or type(error).__name__
    return said.splitlines()[0][:200]


async def refuse_unless_current(engine: AsyncEngine) -> None:
    """Refuse a database that has not exactly this version's schema.

    Raises:
        DatabaseUnavailable: it does not answer, or does not let us in.
        SchemaNotCurrent: it has another schema, or none.
    """
    head = ScriptDirectory.from_config(alembic_config()).get_current_head()
    try:
        async with engine.connect() as connection:
            found = await connection.run_sync(
                lambda sync: MigrationContext.configure(sync).get_current_revision()
            )
    except (SQLAlchemyError, OSError) as error:
        if not _is_closed(error):
            raise
        raise DatabaseUnavailable(f"The database cannot be reached: {_reason(error)}") from error
    if found != head:
        raise SchemaNotCurrent(
            f"The database's schema is {found or 'empty'}, this version needs {head}."
        )
