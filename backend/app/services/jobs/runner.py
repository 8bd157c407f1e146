"""The worker: runs the jobs that are registered, in this process, until its block is left.

A job runs at least once: after its worker's death, an end that could not be recorded or a shutdown
it runs again, so it must not mind. It is handed in as a plain callable and decides everything
itself; here is no rule but how often a job is tried.
"""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job as LibraryJob
from procrastinate.schema import SchemaManager
from procrastinate.worker import Worker
from psycopg_pool import AsyncConnectionPool

from backend.app.core.errors import Unavailable
from backend.app.core.job_settings import JobSettings
from backend.app.core.logging import described, get_logger, silence
from backend.app.core.periodic import every
from backend.app.core.settings import DatabaseSettings
from backend.app.db.engine import for_libpq
from backend.app.db.uow import UnitOfWork
from backend.app.domain.jobs import Attempt, JobId, job_name

#: Of the library's schema without comments, as the migration *jobs* makes it.
KNOWN_SCHEMA = "d6d67256f90bd662"
_RESTART_SECONDS = 1.0
#: Longer than a busy pool needs, and not so long that a stop waits for a database that is away.
_CONNECTION_SECONDS = 1.0
#: A tick that was missed is made up for if it is not older than this.
_MISSED_SECONDS = 86_400.0
_LONGEST_DOUBLING = 10


class JobSchemaNotCurrent(Unavailable):
    """The job tables are not the ones that the installed procrastinate needs."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A job that this process can do: ``retries`` times again, the first after ``wait``."""

    name: str
    call: Callable[..., Awaitable[object]]
    retries: int
    wait: timedelta
    cron: str | None


def schema_digest() -> str:
    """Names the schema that the installed library works on; changes when the schema does."""
    text = re.sub(r"--[^\n]*", "", SchemaManager.get_schema())
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]


def refuse_unless_known(known: str = KNOWN_SCHEMA) -> None:
    """Refuse an installed library that works on another schema than the migrations make.

    Raises:
        JobSchemaNotCurrent: it does.
    """
    if schema_digest() != known:
        raise JobSchemaNotCurrent


def _given(arguments: dict[str, Any]) -> dict[str, UUID | int]:
    """Arguments as they were asked for: what is text in the row was an id."""
    return {k: UUID(v) if isinstance(v, str) else v for k, v in arguments.items()}


class _Patience(BaseRetryStrategy):
    """Whether a job that failed is tried again; the one place that tells of a failure."""

    def __init__(self, registered: Registered, log: Any) -> None:
        self._registered = registered
        self._log = log

    def get_retry_decision(
        self, *, exception: BaseException, job: LibraryJob
    ) -> RetryDecision | None:
        """When to try again, or None for never."""
        told = {"job": job.task_name, "job_id": job.id, "attempt": job.attempts + 1}
        if isinstance(exception, asyncio.CancelledError):
            self._log.info("job_handed_back", **told)
            return RetryDecision(retry_at=None)
        if job.attempts >= self._registered.retries:
            self._log.error("job_failed", **told, **described(exception))
            return None
        self._log.warning("job_to_be_retried", **told, **described(exception))
        doublings = min(job.attempts, _LONGEST_DOUBLING)
        wait = self._registered.wait * 2**doublings
        return RetryDecision(retry_in={"milliseconds": wait // timedelta(milliseconds=1)})


class Jobs:
    """What can be done in the background, and the worker that does it."""

    def __init__(self, uow: UnitOfWork, settings: JobSettings, database: DatabaseSettings) -> None:
        self._uow = uow
        self._settings = settings
        self._database = database
        self._registered: dict[str, Registered] = {}
        self._ended: list[Attempt] = []
        self._ended_before: list[Attempt] = []
        self._log = get_logger("jobs")
        for library in ("procrastinate", "psycopg.pool"):
            silence(library)  # their lines hold arguments, and what errors say

    def register(
        self,
        name: str,
        call: Callable[..., Awaitable[object]],
        *,
        retries: int = 3,
        wait: timedelta = timedelta(seconds=10),
        cron: str | None = None,
    ) -> None:
        """Make a job known; before the worker is started.

        Args:
            name: what `work.jobs.defer` asks for.
            call: takes the arguments that were given there, by name. It may run more than once,
                and ends soon after it is cancelled.
            retries: how often it is tried again, deaths of workers and shutdowns counted in.
            wait: before the first retry; doubled each time.
            cron: when it is to be asked for by itself, without arguments, once across all workers.

        Raises:
            ValueError: the name is taken, or no job can have it.
        """
        if name in self._registered:
            raise ValueError(f"the job {name} is registered already")
        self._registered[job_name(name)] = Registered(name, call, retries, wait, cron)

    @property
    def names(self) -> list[str]:
        """What this process can do."""
        return sorted(self._registered)

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Do jobs until the block is left; then wait for those that run, and hand back the late.

        Raises:
            JobSchemaNotCurrent: the installed library needs other tables than ours.
        """
        refuse_unless_known()
        async with self._pool() as pool:
            app = self._app()
            await app.open_async(pool)
            async with every(
                (_RESTART_SECONDS, "job_worker", partial(self._work, app)),
                (self._settings.stalled_seconds / 2, "job_sweep", self.recover),
            ):
                yield

    async def recover(self) -> None:
        """One sweep: jobs of dead workers, and ends that were not recorded, are tried again."""
        # Only what had ended at the sweep before: the end of a later one may be on its way.
        ended, self._ended_before, self._ended = self._ended_before, self._ended, []
        async with self._uow() as work:
            for job in await work.jobs.stranded(
                self._registered, stalled=self._settings.stalled, ended=ended
            ):
                told = {"job": job.name, "job_id": job.job_id, "attempt": job.earlier + 1}
                if job.earlier >= self._registered[job.name].retries:
                    self._log.error("job_given_up", **told)
                    await work.jobs.give_up(job.job_id)
                else:
                    self._log.warning("job_recovered", **told)
                    await work.jobs.again(job.job_id)

    async def forget_old(self) -> None:
        """Delete jobs that failed long ago; those that succeeded are deleted at once."""
        async with self._uow() as work:
            await work.jobs.forget(older_than=self._settings.failed_kept)

    async def _work(self, app: App) -> None:
        settings = self._settings
        await app.run_worker_async(
            queues=list(self._registered),
            concurrency=settings.concurrency,
            fetch_job_polling_interval=settings.poll_seconds,
            shutdown_graceful_timeout=settings.drain_seconds,
            delete_jobs="successful",
            install_signal_handlers=False,
            update_heartbeat_interval=settings.stalled_seconds / 4,
            stalled_worker_timeout=settings.stalled_seconds,
            worker_middleware=[self._noting],
        )
        # Nobody stopped it: its listener or heartbeat failed. `every` begins a new one.
        self._log.warning("job_worker_ended")

    async def _noting(
        self, call_next: Callable[[], Awaitable[Any]], context: JobContext, worker: Worker
    ) -> Any:
        try:
            return await call_next()
        finally:
            job = context.job
            if job.id is not None and worker.worker_id is not None:
                self._ended.append(Attempt(JobId(job.id), worker.worker_id, job.attempts))

    def _app(self) -> App:
        app = App(connector=PsycopgConnector(), periodic_defaults={"max_delay": _MISSED_SECONDS})
        for one in self._registered.values():
            patience = _Patience(one, self._log)
            task: Any = app.task(name=one.name, queue=one.name, retry=patience)(_task(one))
            if one.cron is not None:
                # Ticks do not pile up while no worker is free.
                app.periodic(cron=one.cron, queueing_lock=one.name)(task)
        return app

    def _pool(self) -> AsyncConnectionPool[Any]:
        database = self._database
        assert database.url is not None  # the engine beside has refused that
        return AsyncConnectionPool(
            for_libpq(database.url.get_secret_value()),
            min_size=2,
            max_size=self._settings.pool_size,
            timeout=_CONNECTION_SECONDS,
            kwargs={
                "application_name": "helpdesk-agent-jobs",
                "connect_timeout": max(1, int(database.connect_timeout_seconds)),
                "options": f"-c statement_timeout={int(database.statement_timeout_seconds * 1000)}",
                "prepare_threshold": None,  # a pooler in between may not know a prepared statement
            },
            open=False,
            check=AsyncConnectionPool.check_connection,
        )


def _task(one: Registered) -> Callable[..., Awaitable[None]]:
    async def run(**arguments: Any) -> None:
        if one.cron is not None:
            arguments.pop("timestamp", None)  # which tick it was concerns nobody
        await one.call(**_given(arguments))  # what it gives back would stand in the library's log

    return run
