"""Units of work: short, atomic, never nested, and honest about an outage."""

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from backend.app.bootstrap import Container
from backend.app.core.settings import DatabaseSettings
from backend.app.db import embedded
from backend.app.db.engine import DatabaseBusy, DatabaseUnavailable, answers, create_engine, migrate
from backend.app.db.uow import (
    TransactionHeldAcrossWait,
    UnitOfWork,
    refuse_inside_unit_of_work,
    unit_of_work,
)
from backend.app.domain.events import KnowledgeRemoved


async def test_what_fails_leaves_nothing_behind(uow: UnitOfWork) -> None:
    async def fail() -> None:
        async with uow() as work:
            await work.facts.tell(KnowledgeRemoved(collection="x", articles=1))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    async with uow() as work:
        assert await work.facts.unread("test", limit=10) == []


async def test_a_second_unit_of_work_inside_one_is_refused(uow: UnitOfWork) -> None:
    async with uow():
        with pytest.raises(TransactionHeldAcrossWait):
            async with uow():
                pass


async def test_the_outside_world_is_out_of_reach_inside_one(uow: UnitOfWork) -> None:
    refuse_inside_unit_of_work("A model call")
    async with uow():
        with pytest.raises(TransactionHeldAcrossWait, match="A model call"):
            refuse_inside_unit_of_work("A model call")
    refuse_inside_unit_of_work("A model call")


async def test_two_tasks_may_each_have_one(uow: UnitOfWork) -> None:
    both = asyncio.Barrier(2)

    async def hold() -> None:
        async with uow():
            await both.wait()

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(hold())
        group.create_task(hold())


async def test_a_database_that_goes_away_is_unavailable_and_comes_back(open_folder: Path) -> None:
    server = embedded.start(open_folder / "postgres", throwaway=True)
    await migrate(server.url)
    engine = create_engine(DatabaseSettings(url=SecretStr(server.url), pool_size=2))
    work_units = unit_of_work(engine)
    try:
        await _read(work_units)
        assert await answers(engine)
        server.stop()
        with pytest.raises(DatabaseUnavailable) as refused:
            await _read(work_units)
        assert refused.value.retry_after is not None
        assert not await answers(engine)
        server = embedded.start(open_folder / "postgres", throwaway=True)
        assert await _read(work_units) == []
    finally:
        await engine.dispose()
        server.stop()


async def test_an_exhausted_pool_is_unavailable_and_not_a_hang(database_url: str) -> None:
    settings = DatabaseSettings(url=SecretStr(database_url), pool_size=1, pool_timeout_seconds=0.05)
    engine = create_engine(settings)
    work_units = unit_of_work(engine)
    holding, release = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with work_units() as work:
            await work.facts.counters()
            holding.set()
            await release.wait()

    try:
        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            group.create_task(hold())
            await holding.wait()
            with pytest.raises(DatabaseUnavailable):
                await _read(work_units)
            release.set()
    finally:
        await engine.dispose()


async def _read(work_units: UnitOfWork) -> list[tuple[str, dict[str, str], float]]:
    async with work_units() as work:
        return await work.facts.counters()


@pytest.mark.parametrize("state", ["57014", "55P03", "40P01", "40001"])
async def test_what_is_given_up_for_others_sake_is_busy_and_not_a_fault(
    uow: UnitOfWork, container: Container, state: str
) -> None:
    raising = f"DO $$ BEGIN RAISE EXCEPTION 'given up' USING ERRCODE = '{state}'; END $$"

    async def give_up() -> None:
        async with uow() as work:
            await work.facts._session.execute(sa.text(raising))

    with pytest.raises(DatabaseBusy):
        await give_up()
