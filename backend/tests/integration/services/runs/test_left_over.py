"""What a run leaves when it goes wrong, and graphs that are saved where they pause."""

import asyncio

import pytest

from backend.app.core.errors import Unavailable
from backend.app.services.runs.endings import Finished, Handed, Paused
from backend.tests.integration.services.runs.rig import LEASE, Replica, World, answer


async def _lapsed() -> None:
    await asyncio.sleep(LEASE * 1.2)  # a lease is the database's time, and cannot be handed in


async def test_a_claim_that_its_process_drives_no_more_lapses_beside_one_that_it_does(
    one: Replica, two: Replica, world: World
) -> None:
    thread_id, _ = await one.to_question(world)
    await one.take(thread_id)  # and then never launched, as after a cancel or a fault
    world.gate.clear()
    alive = one.engine.launch(await one.take(await one.new()), {"log": []})
    for _ in range(4):
        await asyncio.sleep(LEASE * 0.4)
        await one.claims.beat()
    await two.engine.sweep()
    await two.engine.tasks.drain(5)

    async with two.uow() as work:
        status = await work.runs.status(thread_id)
    assert status is not None
    assert not status.is_running
    world.gate.set()
    assert isinstance(await alive, Paused)


async def test_an_orphan_that_cannot_be_read_costs_the_others_nothing(
    one: Replica, two: Replica, world: World
) -> None:
    threads = [(await one.to_question(world))[0] for _ in range(3)]
    for thread_id in threads:
        await one.take(thread_id)
    await _lapsed()
    two.driver.unreadable.add(threads[0])
    await two.engine.sweep()
    await two.engine.tasks.drain(5)
    assert [type(ending) for ending in two.driver.settled] == [Paused, Paused]

    two.driver.unreadable.clear()
    await two.engine.sweep()
    await two.engine.tasks.drain(5)
    assert [type(ending) for ending in two.driver.settled] == [Paused] * 3


async def test_a_graph_that_is_saved_at_its_pauses_goes_on_from_there(
    one: Replica, two: Replica, world: World
) -> None:
    one.driver.durability = two.driver.durability = "exit"
    thread_id, question = await one.to_question(world)
    events = [event.kind async for event in two.events.follow(thread_id, 0)]
    ending = await two.run(thread_id, answer(question, "yes"))

    assert events == ["step", "end"]
    assert isinstance(ending, Finished)
    assert ending.values["log"] == ["worked", "yes", "done"]
    assert world.works == 1


async def test_a_pause_is_stored_with_what_was_told_before_it_and_how_it_was_settled_or_not_at_all(
    one: Replica, two: Replica, world: World
) -> None:
    for each in (one, two):
        each.driver.durability, each.driver.tells_at_once = "exit", False
    world.gate.set()
    world.settle_fault = Unavailable()
    thread_id = await one.new()
    with pytest.raises(Unavailable):  # as if its process had died before it could settle
        await one.run(thread_id, {"log": []})
    assert await two.engine.checkpoints.head(thread_id) is None
    assert (await two.events.after(thread_id, 0))[0] == []
    world.settle_fault = None
    two.driver.given = {"log": []}  # as a driver that keeps what its runs are given
    await _lapsed()
    await two.engine.sweep()
    await two.engine.tasks.drain(5)

    assert await two.engine.checkpoints.head(thread_id) is not None
    assert [event.kind async for event in two.events.follow(thread_id, 0)] == ["step", "end"]


async def test_what_a_fenced_owner_saves_on_its_way_out_changes_nothing(
    one: Replica, two: Replica, world: World
) -> None:
    one.driver.durability = two.driver.durability = "exit"
    thread_id = await one.new()
    late = one.engine.launch(await one.take(thread_id), {"log": []})
    await world.working.wait()
    await _lapsed()
    await two.engine.sweep()  # nothing was saved, so there is nothing to go on with
    await two.engine.tasks.drain(5)
    world.gate.set()

    assert isinstance(await late, Handed)
    assert len(two.driver.settled) == 1
    assert one.driver.settled == []
    assert await two.engine.checkpoints.head(thread_id) is None
