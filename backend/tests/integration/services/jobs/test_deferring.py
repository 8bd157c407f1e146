"""A job belongs to the transaction that asks for it."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from backend.app.bootstrap import Container
from backend.app.db.uow import UnitOfWork
from backend.app.domain.events import KnowledgeRemoved
from backend.tests.integration.services.jobs.rig import Diary, jobs_of, rows, until_rows

WAITING = "SELECT task_name, status::text FROM procrastinate_jobs ORDER BY id"


async def test_a_job_runs_after_the_commit_however_late_that_is(
    container: Container, uow: UnitOfWork
) -> None:
    diary, jobs = Diary(), jobs_of(container)
    late, other = uuid4(), uuid4()
    jobs.register("note", diary.done)
    asked, may_commit = asyncio.Event(), asyncio.Event()

    async def commit_late() -> None:
        async with uow() as work:
            await work.jobs.defer("note", {"subject": late})
            asked.set()
            await may_commit.wait()

    async with jobs.working(), asyncio.TaskGroup() as group:
        group.create_task(commit_late())
        await asked.wait()
        async with uow() as work:
            await work.jobs.defer("note", {"subject": other})
        await diary.until(other)  # asked for later, and done by now
        assert diary.noted == [other]
        may_commit.set()
        await diary.until(late)

    assert diary.noted == [other, late]
    assert await rows(container.engine, WAITING) == []


async def test_a_job_never_runs_after_a_rollback(container: Container, uow: UnitOfWork) -> None:
    diary, jobs = Diary(), jobs_of(container)
    undone, other = uuid4(), uuid4()
    jobs.register("note", diary.done)

    async def fail() -> None:
        async with uow() as work:
            await work.jobs.defer("note", {"subject": undone})
            raise ZeroDivisionError

    async with jobs.working():
        with pytest.raises(ZeroDivisionError):
            await fail()
        async with uow() as work:
            await work.jobs.defer("note", {"subject": other})
        await diary.until(other)

    assert diary.noted == [other]
    assert await rows(container.engine, WAITING) == []


async def test_a_waiting_worker_is_woken_by_the_commit(
    container: Container, uow: UnitOfWork
) -> None:
    diary, jobs = Diary(), jobs_of(container, poll_seconds=300)
    jobs.register("note", diary.noting("woken"))
    listening = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND query LIKE 'LISTEN%#note%' AND state = 'idle'"
    )
    async with jobs.working():
        await until_rows(container.engine, listening, [(1,)])
        async with uow() as work:
            await work.jobs.defer("note")
        await diary.until("woken")


async def test_a_job_can_be_put_off(container: Container, uow: UnitOfWork) -> None:
    diary, jobs = Diary(), jobs_of(container)
    jobs.register("note", diary.done)
    now, later, due = datetime.now(UTC), uuid4(), uuid4()
    async with uow() as work:
        await work.jobs.defer("note", {"subject": later}, at=now + timedelta(hours=1))
        await work.jobs.defer("note", {"subject": due}, at=now - timedelta(hours=1))
    async with jobs.working():
        await diary.until(due)

    assert diary.noted == [due]
    assert await rows(container.engine, WAITING) == [("note", "todo")]


async def test_that_one_waits_already_undoes_nothing_else(
    container: Container, uow: UnitOfWork
) -> None:
    async with uow() as work:
        first = await work.jobs.defer("note", queueing_lock="one")
    async with uow() as work:
        await work.facts.tell(KnowledgeRemoved(collection="x", articles=1))
        second = await work.jobs.defer("note", queueing_lock="one")

    assert (first, second) == (1, None)
    assert await rows(container.engine, "SELECT count(*) FROM facts") == [(1,)]
    assert await rows(container.engine, WAITING) == [("note", "todo")]


async def test_jobs_with_one_lock_run_one_at_a_time_in_order(
    container: Container, uow: UnitOfWork
) -> None:
    diary, jobs = Diary(), jobs_of(container)

    async def work_on(number: int) -> None:
        await diary.note(("begun", number))
        await asyncio.sleep(0)
        await diary.note(("ended", number))

    jobs.register("work_on", work_on)
    async with uow() as work:
        for number in range(4):
            await work.jobs.defer("work_on", {"number": number}, lock="thing")
    async with jobs.working():
        await diary.until(*(("ended", number) for number in range(4)))

    assert diary.noted == [(what, n) for n in range(4) for what in ("begun", "ended")]


@pytest.mark.parametrize("argument", ["my printer is on fire", None, 1.5, ["x"]])
async def test_a_job_is_told_no_text(uow: UnitOfWork, argument: Any) -> None:
    async with uow() as work:
        with pytest.raises(TypeError, match="neither"):
            await work.jobs.defer("note", {"subject": argument})


@pytest.mark.parametrize("name", ["", "Note", "note 1", "n" * 41])
async def test_a_job_has_a_plain_name(container: Container, uow: UnitOfWork, name: str) -> None:
    async with uow() as work:
        with pytest.raises(ValueError, match="called"):
            await work.jobs.defer(name)
    with pytest.raises(ValueError, match="called"):
        jobs_of(container).register(name, Diary().noting(name))


async def test_the_longest_name_can_still_ring(uow: UnitOfWork) -> None:
    async with uow() as work:
        assert await work.jobs.defer("n" * 40) == 1


async def test_a_name_is_registered_once(container: Container) -> None:
    jobs = jobs_of(container)
    jobs.register("note", Diary().noting("note"))
    with pytest.raises(ValueError, match="registered already"):
        jobs.register("note", Diary().noting("note"))
