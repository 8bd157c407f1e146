"""Workers: each job once, again after a failure, and an orderly end."""

import asyncio
from collections import Counter
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from structlog.testing import capture_logs

from backend.app.bootstrap import Container, background, build
from backend.app.db.uow import UnitOfWork
from backend.tests.integration.services.jobs.rig import (
    Diary,
    execute,
    jobs_of,
    rows,
    until_rows,
)

STATUS = "SELECT status::text, attempts FROM procrastinate_jobs ORDER BY id"
WORKERS = "SELECT count(*) FROM procrastinate_workers"


async def test_of_two_workers_one_runs_a_job(container: Container, uow: UnitOfWork) -> None:
    diary, one, two = Diary(), jobs_of(container), jobs_of(container)
    subjects = [uuid4() for _ in range(40)]
    for jobs in (one, two):
        jobs.register("note", diary.done)
    async with one.working(), two.working():
        await until_rows(container.engine, WORKERS, [(2,)])
        for subject in subjects:
            async with uow() as work:
                await work.jobs.defer("note", {"subject": subject})
        await diary.until(*subjects)

    assert Counter(diary.noted) == Counter(subjects)
    assert await rows(container.engine, STATUS) == []


async def test_a_failing_job_is_retried_and_then_failed_without_a_word_of_what_it_was_about(
    container: Container, uow: UnitOfWork, caplog: pytest.LogCaptureFixture
) -> None:
    diary, jobs, subject = Diary(), jobs_of(container), uuid4()

    async def fail(subject: UUID) -> None:
        await diary.note(subject)
        raise ValueError("canary-7f3a in a message")

    jobs.register("fail", fail, retries=2, wait=timedelta(0))
    with capture_logs() as told:
        async with jobs.working():
            async with uow() as work:
                await work.jobs.defer("fail", {"subject": subject})
            await until_rows(container.engine, STATUS, [("failed", 3)])

    assert diary.noted == [subject] * 3
    last = told[-1]
    assert (last["event"], last["job"], last["attempt"]) == ("job_failed", "fail", 3)
    assert last["error"] == "ValueError"
    for words in (repr(told), caplog.text):
        assert "canary-7f3a" not in words
        assert str(subject) not in words


async def test_a_worker_leaves_what_it_does_not_know_to_others(
    container: Container, uow: UnitOfWork
) -> None:
    diary, older = Diary(), jobs_of(container)
    older.register("note", diary.noting("known"))
    async with uow() as work:
        await work.jobs.defer("of_tomorrow")
        await work.jobs.defer("note")
    async with older.working():
        await diary.until("known")

    assert await rows(container.engine, STATUS) == [("todo", 0)]


async def test_a_tick_is_asked_for_once_by_two_workers(container: Container) -> None:
    diary, one, two = Diary(), jobs_of(container), jobs_of(container)
    for name, jobs in (("one", one), ("two", two)):
        jobs.register("tick", diary.noting("tick"), cron="0 0 * * *")
        # Asked for after it: when this was done, that worker has tried to ask for the tick.
        jobs.register(f"after_{name}", diary.noting(name), cron="0 0 * * *")
    async with one.working(), two.working():
        await diary.until("tick", "one", "two")

    assert Counter(diary.noted) == Counter(["tick", "one", "two"])
    assert await rows(container.engine, STATUS) == []


async def test_ticks_go_on(container: Container) -> None:
    diary, jobs = Diary(), jobs_of(container)
    jobs.register("tick", diary.noting("tick"), cron="* * * * * *")
    async with jobs.working():
        await diary.until("tick", "tick", "tick")


async def test_a_stop_waits_for_what_runs(container: Container, uow: UnitOfWork) -> None:
    diary, jobs, gate = Diary(), jobs_of(container), asyncio.Event()

    async def work_on() -> None:
        await diary.note("begun")
        await gate.wait()
        await diary.note("ended")

    jobs.register("work_on", work_on)
    async with jobs.working():
        async with uow() as work:
            await work.jobs.defer("work_on")
        await diary.until("begun")
        asyncio.get_running_loop().call_later(0.3, gate.set)

    assert diary.noted == ["begun", "ended"]
    assert await rows(container.engine, STATUS) == []
    assert await rows(container.engine, WORKERS) == [(0,)]


async def test_a_stop_hands_back_what_is_too_late(container: Container, uow: UnitOfWork) -> None:
    diary, slow, quick = Diary(), jobs_of(container, drain_seconds=0), jobs_of(container)

    async def never_end() -> None:
        await diary.note("begun")
        await asyncio.Event().wait()

    slow.register("work_on", never_end, retries=0)
    quick.register("work_on", diary.noting("ended"), retries=0)
    async with slow.working():
        async with uow() as work:
            await work.jobs.defer("work_on")
        await diary.until("begun")
    assert await rows(container.engine, STATUS) == [("todo", 1)]

    async with quick.working():
        await diary.until("ended")
    assert await rows(container.engine, STATUS) == []


async def test_an_end_that_could_not_be_recorded_is_tried_again(
    container: Container, uow: UnitOfWork
) -> None:
    diary, jobs = Diary(), jobs_of(container, stalled_seconds=1)
    jobs.register("note", diary.noting("done"))
    await execute(
        container.engine,
        "CREATE SEQUENCE refused",  # moves on though its transaction is undone
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN PERFORM nextval('refused'); RAISE 'the disk is full'; END $$",
        "CREATE TRIGGER refuse BEFORE DELETE ON procrastinate_jobs FOR EACH ROW"
        " EXECUTE FUNCTION refuse()",
    )
    try:
        async with jobs.working():
            async with uow() as work:
                await work.jobs.defer("note")
            await diary.until("done")
            await until_rows(container.engine, "SELECT is_called FROM refused", [(True,)])
            await execute(container.engine, "DROP FUNCTION refuse CASCADE")
            await diary.until("done", "done")
    finally:
        away = ("DROP FUNCTION IF EXISTS refuse CASCADE", "DROP SEQUENCE refused")
        await execute(container.engine, *away)

    assert await rows(container.engine, STATUS) == []


async def test_a_job_that_ends_each_of_its_workers_is_given_up(
    container: Container, uow: UnitOfWork
) -> None:
    jobs = jobs_of(container)
    jobs.register("poison", Diary().noting("done"), retries=2)
    async with uow() as work:
        await work.jobs.defer("poison")
        await work.jobs.defer("of_another_version")
    orphan = "UPDATE procrastinate_jobs SET status = 'doing'"
    for earlier in (1, 2):
        await execute(container.engine, orphan)
        await jobs.recover()
        assert await rows(container.engine, STATUS) == [("todo", earlier), ("doing", 0)]
    await execute(container.engine, orphan)
    await jobs.recover()

    assert await rows(container.engine, STATUS) == [("failed", 3), ("doing", 0)]


async def test_four_sweeps_at_once_recover_a_job_once(
    container: Container, uow: UnitOfWork
) -> None:
    sweepers = [jobs_of(container) for _ in range(4)]
    for jobs in sweepers:
        jobs.register("note", Diary().noting("done"))
    async with uow() as work:
        await work.jobs.defer("note")
    await execute(container.engine, "UPDATE procrastinate_jobs SET status = 'doing'")
    await asyncio.gather(*(jobs.recover() for jobs in sweepers))

    assert await rows(container.engine, STATUS) == [("todo", 1)]


async def test_a_worker_that_was_taken_for_dead_begins_anew(
    container: Container, uow: UnitOfWork
) -> None:
    diary, jobs = Diary(), jobs_of(container)
    jobs.register("note", diary.noting("done"))
    async with jobs.working():
        await until_rows(container.engine, WORKERS, [(1,)])
        await execute(container.engine, "DELETE FROM procrastinate_workers")
        async with uow() as work:
            await work.jobs.defer("note")
        await diary.until("done")


async def test_a_worker_outlives_the_loss_of_its_connections(
    container: Container, uow: UnitOfWork
) -> None:
    diary, jobs = Diary(), jobs_of(container)
    jobs.register("note", diary.noting("done"))
    cut = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = 'helpdesk-agent-jobs'"
    )
    async with jobs.working():
        for done in range(1, 3):
            async with uow() as work:
                await work.jobs.defer("note")
            await diary.until(*["done"] * done)
            assert await rows(container.engine, cut)


async def test_failed_jobs_are_forgotten_after_their_time(
    container: Container, uow: UnitOfWork
) -> None:
    jobs = jobs_of(container, failed_kept_days=14)
    async with uow() as work:
        for _ in range(3):
            await work.jobs.defer("note")
    await execute(
        container.engine,
        "UPDATE procrastinate_jobs SET status = 'doing' WHERE id < 3",
        "UPDATE procrastinate_jobs SET status = 'failed' WHERE id < 3",
        "UPDATE procrastinate_events SET at = now() - interval '15 days' WHERE job_id <> 2",
    )
    await jobs.forget_old()

    assert await rows(container.engine, STATUS) == [("failed", 0), ("todo", 0)]


@pytest.mark.parametrize("in_process", [True, False])
async def test_the_web_process_works_unless_workers_of_their_own_do(
    container: Container, in_process: bool
) -> None:
    settings = container.settings
    chosen = settings.jobs.model_copy(update={"run_in_process": in_process})
    # An application of its own: one whose background has ended begins no run any more.
    own = settings.model_copy(update={"jobs": chosen})
    async with build(own) as web, background(web):
        if in_process:
            asked = "SELECT count(DISTINCT task_name) FROM procrastinate_periodic_defers"
            periodic = len(container.jobs.names) - 1  # a filing's job comes when it is asked for
            await until_rows(container.engine, asked, [(periodic,)])
        assert await rows(container.engine, WORKERS) == [(int(in_process),)]

    assert await rows(container.engine, WORKERS) == [(0,)]
