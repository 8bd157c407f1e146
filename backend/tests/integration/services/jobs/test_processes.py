"""Workers as processes of their own: killed, stopped, and ended in order."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from backend.app.bootstrap import Container
from backend.app.db.uow import UnitOfWork
from backend.tests.integration.services.jobs.rig import Diary, jobs_of, rows, until_rows

STATUS = "SELECT status::text, attempts FROM procrastinate_jobs ORDER BY id"
WORKERS = "SELECT count(*) FROM procrastinate_workers"


@asynccontextmanager
async def process(*arguments: str, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    made = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *arguments),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path.cwd()), **environment},
    )
    try:
        yield made
    finally:
        if made.returncode is None:
            made.kill()
        await made.wait()


async def says(made: asyncio.subprocess.Process) -> str:
    assert made.stdout is not None
    async with asyncio.timeout(60):
        return (await made.stdout.readline()).decode().strip()


async def test_a_job_of_a_killed_worker_runs_again(
    container: Container, uow: UnitOfWork, database_url: str
) -> None:
    diary, jobs, subject = Diary(), jobs_of(container, stalled_seconds=1), uuid4()
    jobs.register("work_on", diary.done)
    async with uow() as work:
        await work.jobs.defer("work_on", {"subject": subject})
    async with process("backend.tests.integration.services.jobs.worker", database_url) as killed:
        assert await says(killed) == str(subject)
        killed.send_signal(signal.SIGKILL)
        await killed.wait()
    assert await rows(container.engine, STATUS) == [("doing", 0)]

    async with jobs.working():
        await diary.until(subject)

    assert diary.noted == [subject]
    assert await rows(container.engine, STATUS) == []


async def test_a_job_of_a_stopped_worker_runs_elsewhere(
    container: Container, uow: UnitOfWork, database_url: str
) -> None:
    diary, jobs, subject = Diary(), jobs_of(container, stalled_seconds=1), uuid4()
    jobs.register("work_on", diary.done)
    async with process("backend.tests.integration.services.jobs.worker", database_url) as stopped:
        async with uow() as work:
            await work.jobs.defer("work_on", {"subject": subject})
        assert await says(stopped) == str(subject)
        stopped.send_signal(signal.SIGSTOP)
        async with jobs.working():
            await diary.until(subject)
        again = uuid4()
        async with uow() as work:
            await work.jobs.defer("work_on", {"subject": again})
        stopped.send_signal(signal.SIGCONT)

        assert await says(stopped) == str(again)  # it goes on with what is there now


async def test_the_worker_command_works_until_it_is_told_to_stop(
    container: Container, database_url: str
) -> None:
    asked = "SELECT count(DISTINCT task_name) FROM procrastinate_periodic_defers"
    async with process("scripts.worker", DATABASE_URL=database_url) as worker:
        assert (
            await says(worker)
            == "Doing background jobs: fact_retention, file_issue, identity_sweep, issue_sweep,"
            " job_retention, session_sweep, ticket_vectors."
        )
        await until_rows(container.engine, asked, [(6,)])
        worker.send_signal(signal.SIGTERM)
        async with asyncio.timeout(30):
            assert await worker.wait() == 0

    assert await rows(container.engine, WORKERS) == [(0,)]
    assert "doing" not in [status for status, _ in await rows(container.engine, STATUS)]
