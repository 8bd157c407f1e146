"""The event log: numbered without gaps, followed from any replica, from anywhere in it."""

import asyncio
from pathlib import Path

import pytest

from backend.app.bootstrap import Container
from backend.tests.integration.services.runs.rig import World, answer, replica


async def test_a_reader_elsewhere_sees_everything_once_in_order(
    container: Container, database_url: str, tmp_path: Path
) -> None:
    world = World()
    async with (
        replica(database_url, world, tmp_path) as one,
        replica(database_url, world, tmp_path) as two,
    ):
        thread_id = await one.new()
        pending = one.engine.launch(await one.take(thread_id), {"log": []})

        async def follow() -> list[tuple[int, str]]:
            return [(event.seq, event.kind) async for event in two.events.follow(thread_id, 0)]

        reader = asyncio.ensure_future(follow())
        await world.working.wait()
        world.gate.set()
        async with asyncio.timeout(5):
            seen = await reader
        await pending
        late = [(event.seq, event.kind) async for event in two.events.follow(thread_id, 1)]

    assert seen == [(1, "step"), (2, "end")]
    assert late == [(2, "end")]


@pytest.mark.parametrize("listening", [True, False])
async def test_a_lost_wake_up_is_only_a_delay(
    container: Container, database_url: str, tmp_path: Path, listening: bool
) -> None:
    world = World()
    async with replica(database_url, world, tmp_path) as one:
        thread_id = await one.new()
        pending = one.engine.launch(await one.take(thread_id), {"log": []})
        await world.working.wait()
        if not listening:
            one.bell._waiting = {}
        follower = asyncio.ensure_future(anext(one.events.follow(thread_id, 1)))
        await asyncio.sleep(0.05)
        if not listening:
            one.bell._waiting.clear()
            one.bell._ring = lambda *_: None  # type: ignore[method-assign]
        world.gate.set()
        async with asyncio.timeout(5):
            event = await follower
        await pending

    assert event.kind == "end"


async def test_a_finished_thread_is_followed_to_its_end_at_once(
    container: Container, database_url: str, tmp_path: Path
) -> None:
    world = World()
    async with replica(database_url, world, tmp_path) as one:
        thread_id, question = await one.to_question(world)
        await one.run(thread_id, answer(question, "yes"))
        kinds = [event.kind async for event in one.events.follow(thread_id, 0)]

    assert kinds == ["step", "end", "end"]
