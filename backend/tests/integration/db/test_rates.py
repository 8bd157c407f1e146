"""Counted attempts: exact under parallel calls, over when the window is."""

import asyncio
from datetime import timedelta

import sqlalchemy as sa

from backend.app.bootstrap import Container
from backend.app.db.uow import UnitOfWork

MINUTE = timedelta(minutes=1)


async def _hit(uow: UnitOfWork, limit: int = 3) -> timedelta | None:
    async with uow() as work:
        return (await work.rates.hit("b", limit=limit, window=MINUTE)).wait


async def test_parallel_attempts_pass_exactly_up_to_the_limit(uow: UnitOfWork) -> None:
    waits = await asyncio.gather(*(_hit(uow) for _ in range(10)))

    assert waits.count(None) == 3
    assert all(wait is None or timedelta(0) < wait <= MINUTE for wait in waits)


async def test_a_window_that_is_over_starts_anew(uow: UnitOfWork, container: Container) -> None:
    waits = [await _hit(uow) for _ in range(4)]
    async with container.engine.begin() as connection:
        await connection.execute(sa.text("UPDATE rates SET window_start = now() - interval '61 s'"))

    assert waits[-1] is not None
    assert await _hit(uow) is None


async def test_cleared_attempts_are_forgotten(uow: UnitOfWork) -> None:
    for _ in range(4):
        await _hit(uow)
    async with uow() as work:
        await work.rates.clear("b")

    assert await _hit(uow) is None
