"""Checks of the database: the server, the schema, clocks, connections and what waits in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from backend.app.core.clock import Clock
from backend.app.core.settings import CheckpointBackend, Settings
from backend.app.db.inspection import Inspection
from backend.app.domain.checkup import Finding, fail, not_checked, ok, warn
from backend.app.services.checkup.checks import Check
from backend.app.services.runs.checkpoint import LIBRARY_VERSIONS

#: The first server with 64-bit transaction ids, which facts are ordered by.
_OLDEST_SERVER = 130_000
_BEHIND_SECONDS = 60.0
_DUE_SECONDS = 300.0
_LEFT_OVER_SECONDS = 60.0
#: One listens, one asks how the database is, one listens for jobs.
_CONNECTIONS_BESIDE_POOLS = 3
_EXTENSIONS = {
    "vector": "Searches go by words alone.",
    "pg_trgm": "Misspelt words are not matched.",
}


@dataclass(frozen=True, slots=True)
class DatabaseChecks:
    """Looks at the database that the settings name."""

    inspection: Inspection
    settings: Settings
    clock: Clock

    def checks(self) -> list[Check]:
        """The server first: the others need it."""
        later = {
            "extensions": self.extensions,
            "schema": self.schema,
            "checkpoint_tables": self.checkpoint_tables,
            "clock": self.skew,
            "connections": self.connections,
            "jobs": self.jobs,
            "fact_readers": self.fact_readers,
            "runs": self.runs,
        }
        return [
            Check("database", self.server),
            *(Check(part, look, needs_database=True) for part, look in later.items()),
        ]

    async def server(self) -> Sequence[Finding]:
        """Whether it answers, and is new enough."""
        server = await self.inspection.server()
        if server.number < _OLDEST_SERVER:
            told = f"PostgreSQL {server.version} is too old."
            return [fail("database", told, "Use PostgreSQL 13 or newer, better 17 or newer.")]
        return [ok("database", f"PostgreSQL {server.version} answers.")]

    async def extensions(self) -> Sequence[Finding]:
        """Which of the extensions are there that make searches better."""
        there = await self.inspection.extensions(*_EXTENSIONS)
        found = []
        for name, without in _EXTENSIONS.items():
            if name not in there:
                advice = f"Install {name} on the database server."
                found.append(warn(f"extension_{name}", f"Not on this server. {without}", advice))
            else:
                state = there[name] or "available, nothing has asked for it"
                found.append(ok(f"extension_{name}", f"{state}."))
        return found

    async def schema(self) -> Sequence[Finding]:
        """Whether the tables are this version's."""
        found, head = await self.inspection.schema()
        if found != head:
            told = f"The schema is {found or 'empty'}, this version needs {head}."
            advice = "Start by ./scripts/serve, which migrates; or run the version that did."
            return [fail("schema", told, advice)]
        return [ok("schema", f"{head} is current.")]

    async def checkpoint_tables(self) -> Sequence[Finding]:
        """Whether the checkpoint tables are the installed library's."""
        part, backend = "checkpoint_tables", self.settings.checkpoints.backend
        if backend is not CheckpointBackend.POSTGRES:
            return [not_checked(part, f"Checkpoints are kept in {backend.value}.")]
        versions = await self.inspection.checkpoint_versions()
        if versions != LIBRARY_VERSIONS:
            told = (
                f"The tables have {len(versions)} of the library's migrations, it knows"
                f" {len(LIBRARY_VERSIONS)}."
            )
            return [fail(part, told, "Install the packages of this version's lock file.")]
        return [ok(part, "What the installed library needs.")]

    async def skew(self) -> Sequence[Finding]:
        """How far this machine's clock is from the database's."""
        began = self.clock.monotonic()
        theirs = await self.inspection.now()
        ours = self.clock.now()
        half = timedelta(seconds=(self.clock.monotonic() - began) / 2)
        skew, allowed = (ours - half - theirs).total_seconds(), self.settings.runs
        told = f"This machine's is {abs(skew):.2f} s {'ahead of' if skew > 0 else 'behind'} the"
        told += " database's."
        if abs(skew) > allowed.max_clock_skew_seconds:
            return [fail("clock", told, "Let NTP set the clocks of both machines.")]
        return [ok("clock", told)]

    async def connections(self) -> Sequence[Finding]:
        """Whether the server has room for this process's pools."""
        server, jobs = await self.inspection.server(), self.settings.jobs
        needed = self.settings.database.pool_size + _CONNECTIONS_BESIDE_POOLS
        if self.settings.checkpoints.backend is CheckpointBackend.POSTGRES:
            needed += self.settings.checkpoints.pool_size
        if jobs.run_in_process:
            needed += jobs.pool_size
        told = (
            f"One process takes up to {needed}; {server.connections} of {server.max_connections}"
            " are in use."
        )
        if needed > server.max_connections:
            advice = "Lower DATABASE_POOL_SIZE, or raise max_connections on the server."
            return [fail("connections", told, advice)]
        if server.connections > 0.9 * server.max_connections:
            return [warn("connections", told, "Raise max_connections, or stop what holds them.")]
        return [ok("connections", told)]

    async def jobs(self) -> Sequence[Finding]:
        """Whether jobs get done."""
        due, failed = await self.inspection.jobs()
        stalled = self.settings.jobs.stalled_seconds
        workers = await self.inspection.workers(stalled_seconds=stalled)
        told = f"{due.waiting} are due, the oldest for {due.oldest_seconds:.0f} s;"
        told += f" {workers} workers; {failed} failed."
        if due.waiting and due.oldest_seconds > _DUE_SECONDS:
            advice = "Start a server or a worker, or see what keeps it busy."
            return [warn("jobs", told, advice)]
        if failed:
            return [warn("jobs", told, "Look for job_failed and job_given_up in the log.")]
        return [ok("jobs", told)]

    async def fact_readers(self) -> Sequence[Finding]:
        """Whether audit lines and counters keep up."""
        readers = await self.inspection.fact_readers()
        if not readers:
            return [ok("fact_readers", "None has read yet.")]
        told = "; ".join(
            f"{one.name} {one.waiting} behind, the oldest for {one.oldest_seconds:.0f} s"
            for one in readers
        )
        if any(one.waiting and one.oldest_seconds > _BEHIND_SECONDS for one in readers):
            advice = (
                "A running server moves them on: start one; if one runs, look for"
                " periodic_work_failed in its log and at the log folder's disk."
            )
            return [warn("fact_readers", f"{told}.", advice)]
        return [ok("fact_readers", f"{told}.")]

    async def runs(self) -> Sequence[Finding]:
        """Whether runs of dead processes are taken over."""
        left = await self.inspection.runs_left_over(grace_seconds=_LEFT_OVER_SECONDS)
        if left:
            told = f"{left} are left over by processes that died over a minute ago."
            return [warn("runs", told, "Start a server: its sweep goes on with them.")]
        return [ok("runs", "None is left over.")]
