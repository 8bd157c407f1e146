"""What one asks the database about itself, its tables and its backlog. Reads only, changes nothing.

Each question is a transaction of its own, so that one which fails spoils no other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.app.core.errors import Unavailable
from backend.app.db.engine import alembic_config

_SERVER = """
    SELECT current_setting('server_version') AS version,
           current_setting('server_version_num')::int AS number,
           current_setting('max_connections')::int AS max_connections,
           (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')
               AS connections
"""
_EXTENSIONS = """
    SELECT name, installed_version AS installed FROM pg_available_extensions
    WHERE name = ANY(:names)
"""
_CHECKPOINTS = "SELECT v FROM checkpoint_migrations ORDER BY v"
_JOBS = """
    SELECT
      count(*) FILTER (WHERE status = 'todo' AND coalesce(scheduled_at, now()) <= now()) AS due,
      coalesce(extract(epoch FROM now() - min(coalesce(
          scheduled_at, (SELECT min(at) FROM procrastinate_events e WHERE e.job_id = job.id)
      )) FILTER (WHERE status = 'todo' AND coalesce(scheduled_at, now()) <= now())), 0)::float8
          AS oldest_seconds,
      count(*) FILTER (WHERE status = 'failed') AS failed
    FROM procrastinate_jobs job
"""
_WORKERS = """
    SELECT count(*) FROM procrastinate_workers
    WHERE last_heartbeat >= now() - make_interval(secs => :stalled)
"""
_READERS = """
    SELECT r.name, count(f.id) AS behind,
           coalesce(extract(epoch FROM now() - min(f.at)), 0)::float8 AS oldest_seconds
    FROM fact_readers r
    LEFT JOIN facts f ON (f.epoch, f.xid, f.id) > (r.epoch, r.xid, r.fact_id)
    GROUP BY r.name ORDER BY r.name
"""
_LEFT_OVER = """
    SELECT count(*) FROM runs
    WHERE owner IS NOT NULL AND lease_until < now() - make_interval(secs => :grace)
"""


class QuestionRefused(Unavailable):
    """The database did not answer a question about itself."""


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """A server's version as text and as a number, and its connections."""

    version: str
    number: int
    max_connections: int
    connections: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits to be done, and for how long the oldest of it has."""

    name: str
    waiting: int
    oldest_seconds: float


@dataclass(frozen=True, slots=True)
class Inspection:
    """Questions over one engine.

    Every method raises `QuestionRefused` when the database is away or has no such table; its text
    is the driver's first line, in which no password stands.
    """

    engine: AsyncEngine

    async def _rows(self, query: str, values: Mapping[str, Any] | None = None) -> list[Any]:
        try:
            async with self.engine.connect() as connection:
                return list((await connection.execute(sa.text(query), values)).all())
        except (SQLAlchemyError, OSError) as error:
            raise QuestionRefused(_reason(error)) from error

    async def server(self) -> ServerFacts:
        """The server's version and connections."""
        [row] = await self._rows(_SERVER)
        return ServerFacts(row.version, row.number, row.max_connections, row.connections)

    async def now(self) -> datetime:
        """The database's clock."""
        [row] = await self._rows("SELECT clock_timestamp() AS now")
        now: datetime = row.now
        return now

    async def extensions(self, *names: str) -> dict[str, str | None]:
        """Of these extensions those that the server has, with the version that is installed."""
        rows = await self._rows(_EXTENSIONS, {"names": list(names)})
        return {row.name: row.installed for row in rows}

    async def schema(self) -> tuple[str | None, str | None]:
        """The schema's version as it is, and as this program needs it."""
        head = ScriptDirectory.from_config(alembic_config()).get_current_head()
        try:
            async with self.engine.connect() as connection:
                found = await connection.run_sync(
                    lambda sync: MigrationContext.configure(sync).get_current_revision()
                )
        except (SQLAlchemyError, OSError) as error:
            raise QuestionRefused(_reason(error)) from error
        return found, head

    async def checkpoint_versions(self) -> list[int]:
        """Which of the checkpoint library's own migrations the tables have."""
        return [row.v for row in await self._rows(_CHECKPOINTS)]

    async def jobs(self) -> tuple[Backlog, int]:
        """Jobs that are due, and how many have failed."""
        [row] = await self._rows(_JOBS)
        return Backlog("jobs", row.due, row.oldest_seconds), row.failed

    async def workers(self, *, stalled_seconds: float) -> int:
        """Workers that were heard of lately."""
        [row] = await self._rows(_WORKERS, {"stalled": stalled_seconds})
        return int(row[0])

    async def fact_readers(self) -> list[Backlog]:
        """How far each reader of facts is behind."""
        rows = await self._rows(_READERS)
        return [Backlog(row.name, row.behind, row.oldest_seconds) for row in rows]

    async def runs_left_over(self, *, grace_seconds: float) -> int:
        """Runs whose owner has been silent for so long beyond its lease."""
        [row] = await self._rows(_LEFT_OVER, {"grace": grace_seconds})
        return int(row[0])


def _reason(error: Exception) -> str:
    """What the driver says, without the statement."""
    said = str(getattr(error, "orig", None) or error) or type(error).__name__
    # The driver's own class stands in front of its words.
    return said.splitlines()[0].rpartition(">: ")[2][:200]
