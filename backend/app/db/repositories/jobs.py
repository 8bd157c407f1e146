"""Jobs, through the functions of procrastinate's schema but in transactions of ours."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.domain.jobs import Arguments, Attempt, JobId, Stranded, job_name

_ONE_WAITS = "procrastinate_jobs_queueing_lock_idx_v1"

# Each name is a queue of its own, so that a worker fetches only what it knows: one of an older
# version would mark a job that it never heard of as failed.
_DEFER = sa.text("""
    SELECT unnest(procrastinate_defer_jobs_v1(ARRAY[ROW(
        CAST(:name AS varchar), CAST(:name AS varchar), 0, CAST(:lock AS text),
        CAST(:queueing_lock AS text), CAST(:arguments AS jsonb), CAST(:at AS timestamptz)
    )::procrastinate_job_to_defer_v1]))
""")

# The row locks make two sweeps share the work, and keep a job that is just being settled out of it.
_STRANDED = sa.text("""
    SELECT job.id, job.task_name, job.attempts
    FROM procrastinate_jobs AS job
    WHERE job.status = 'doing' AND job.task_name = ANY(:names)
      AND (
        NOT EXISTS (
            SELECT FROM procrastinate_workers AS worker
            WHERE worker.id = job.worker_id
              AND worker.last_heartbeat >= now() - CAST(:stalled AS interval)
        )
        OR (job.id, job.worker_id, job.attempts) IN (
            SELECT * FROM unnest(
                CAST(:ids AS bigint[]), CAST(:workers AS bigint[]), CAST(:earlier AS integer[])
            )
        )
      )
    ORDER BY job.id
    FOR UPDATE OF job SKIP LOCKED
""")

_AGAIN = sa.text("SELECT procrastinate_retry_job_v2(:id, now(), NULL, NULL, NULL)")
_GIVE_UP = sa.text("SELECT procrastinate_finish_job_v1(:id, 'failed', false)")

_FORGET = sa.text("""
    DELETE FROM procrastinate_jobs AS job
    WHERE job.status NOT IN ('todo', 'doing') AND NOT EXISTS (
        SELECT FROM procrastinate_events AS event
        WHERE event.job_id = job.id AND event.at >= now() - CAST(:kept AS interval)
    )
""")


def _as_json(arguments: Arguments) -> str:
    for name, value in arguments.items():
        if not isinstance(value, (UUID, int)):
            raise TypeError(f"a job's argument is an id or a number, and {name} is neither")
    return json.dumps({k: str(v) if isinstance(v, UUID) else v for k, v in arguments.items()})


def _is_one_waiting(error: IntegrityError) -> bool:
    return _ONE_WAITS in str(error.orig)


class JobRepository:
    """Jobs as they are asked for and as they are swept up. A worker fetches them by itself."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def defer(
        self,
        name: str,
        arguments: Arguments | None = None,
        *,
        lock: str | None = None,
        queueing_lock: str | None = None,
        at: datetime | None = None,
    ) -> JobId | None:
        """Ask for a job, to be done once this transaction is committed, at least once.

        Args:
            name: the one under which the job is registered.
            arguments: ids and numbers; a job reads everything else itself.
            lock: of the jobs with the same one, one runs at a time, in the order of asking.
            queueing_lock: of the jobs with the same one, one waits at a time.
            at: not before this time.

        Returns:
            The job's id, or None when one with the ``queueing_lock`` waits already.

        Raises:
            TypeError: an argument is neither an id nor a number.
            ValueError: no job can have this name.
        """
        values = {
            "name": job_name(name),
            "lock": lock,
            "queueing_lock": queueing_lock,
            "arguments": _as_json(arguments or {}),
            "at": at,
        }
        try:
            # A savepoint: that one waits already must not undo what the caller has done.
            async with self._session.begin_nested():
                return JobId((await self._session.execute(_DEFER, values)).scalar_one())
        except IntegrityError as error:
            if queueing_lock is None or not _is_one_waiting(error):
                raise
            return None

    async def stranded(
        self, names: Collection[str], *, stalled: timedelta, ended: Collection[Attempt]
    ) -> list[Stranded]:
        """Jobs that count as running and are not; their rows stay locked until the commit.

        Args:
            names: of the jobs to look at.
            stalled: a worker that was silent for so long is dead.
            ended: attempts that have ended and whose end may not have been recorded.
        """
        values: Mapping[str, object] = {
            "names": list(names),
            "stalled": stalled,
            "ids": [one.job_id for one in ended],
            "workers": [one.worker_id for one in ended],
            "earlier": [one.earlier for one in ended],
        }
        rows = await self._session.execute(_STRANDED, values)
        return [Stranded(JobId(job_id), name, earlier) for job_id, name, earlier in rows]

    async def again(self, job_id: JobId) -> None:
        """Let a job that `stranded` found be fetched anew."""
        await self._session.execute(_AGAIN, {"id": job_id})

    async def give_up(self, job_id: JobId) -> None:
        """Mark a job that `stranded` found as failed."""
        await self._session.execute(_GIVE_UP, {"id": job_id})

    async def forget(self, *, older_than: timedelta) -> None:
        """Delete jobs that ended longer ago than this."""
        await self._session.execute(_FORGET, {"kept": older_than})
