"""Work that outlives its request."""

import asyncio

import pytest

from backend.app.core.errors import Conflict, Internal
from backend.app.core.periodic import every
from backend.app.core.tasks import Tasks


async def test_work_goes_on_when_its_waiter_is_gone() -> None:
    tasks, done, gate = Tasks(), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await gate.wait()
        done.set()

    async def wait_for_it() -> None:
        await asyncio.shield(tasks.start(work()))

    waiter = asyncio.ensure_future(wait_for_it())
    await asyncio.sleep(0)
    waiter.cancel()
    gate.set()
    await tasks.drain(5)

    assert done.is_set()
    assert tasks.running == 0


async def test_an_unforeseen_failure_arrives_as_internal() -> None:
    async def work() -> None:
        raise ValueError("secret text")

    with pytest.raises(Internal) as refused:
        await Tasks().start(work())

    assert "secret" not in refused.value.detail


async def test_a_refusal_arrives_as_it_is() -> None:
    async def work() -> None:
        raise Conflict("Not now.")

    with pytest.raises(Conflict, match="Not now"):
        await Tasks().start(work())


async def test_draining_cancels_what_does_not_end() -> None:
    tasks = Tasks()
    task = tasks.start(asyncio.Event().wait())
    await tasks.drain(0.01)

    assert task.cancelled()


async def test_periodic_work_goes_on_after_an_outage_and_ends_with_its_block() -> None:
    tries, third = [], asyncio.Event()

    async def work() -> None:
        tries.append(1)
        if len(tries) == 3:
            third.set()
        raise OSError("away")

    async with every((0.001, "work", work)):
        async with asyncio.timeout(5):
            await third.wait()
    seen = len(tries)
    await asyncio.sleep(0.01)

    assert len(tries) == seen


async def test_a_fault_in_periodic_work_ends_neither_it_nor_its_neighbours() -> None:
    faults, neighbours, enough = [], [], asyncio.Event()

    async def fault() -> None:
        faults.append(1)
        raise KeyError("deadlock, or a fault of ours")

    async def neighbour() -> None:
        neighbours.append(1)
        if len(faults) > 2 and len(neighbours) > 2:
            enough.set()

    async with every((0.001, "fault", fault), (0.001, "neighbour", neighbour)):
        async with asyncio.timeout(5):
            await enough.wait()


async def test_periodic_work_that_fails_over_its_end_ends_all_the_same() -> None:
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise OSError("away, just when it was to say goodbye")

    async with asyncio.timeout(5), every((0.001, "work", work)):
        await begun.wait()
