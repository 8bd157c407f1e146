"""The event log: numbered without gaps, followed from any replica, from anywhere in it."""

import asyncio
from pathlib import Path

import pytest

from backend.app.bootstrap import Container
from backend.app.db.notify import Bell
from backend.app.domain.runs import NOTIFY_CHANNEL
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


class DeafBell(Bell):
    """Every wake-up is lost."""

    def _ring(self, *_rung: object) -> None:
        return

    def _ring_all(self) -> None:
        return


@pytest.mark.parametrize("bell", [Bell, DeafBell])
async def test_a_lost_wake_up_is_only_a_delay(
    container: Container, database_url: str, tmp_path: Path, bell: type[Bell]
) -> None:
    world, handed = World(), bell(database_url, NOTIFY_CHANNEL)
    async with replica(database_url, world, tmp_path, bell=handed) as one:
        thread_id = await one.new()
        pending = one.engine.launch(await one.take(thread_id), {"log": []})
        await world.working.wait()

        async def follow() -> list[str]:
            return [event.kind async for event in one.events.follow(thread_id, 1)]

        follower = asyncio.ensure_future(follow())
        await asyncio.sleep(0.05)
        world.gate.set()
        async with asyncio.timeout(5):
            kinds = await follower
        await pending

    assert kinds == ["end"]


def test_readers_of_one_thread_come_and_go_in_any_order() -> None:
    bell = Bell("postgresql://nowhere/none", NOTIFY_CHANNEL)
    first, second, third = (bell.ringing("thread") for _ in range(3))
    with second as stays:
        first.__enter__()
        first.__exit__(None, None, None)
        with third as late:
            bell.ring("thread")
            assert late.is_set()
        assert stays.is_set()
    bell.ring("thread")  # to nobody


async def test_a_finished_thread_is_followed_to_its_end_at_once(
    container: Container, database_url: str, tmp_path: Path
) -> None:
    world = World()
    async with replica(database_url, world, tmp_path) as one:
        thread_id, question = await one.to_question(world)
        await one.run(thread_id, answer(question, "yes"))
        kinds = [event.kind async for event in one.events.follow(thread_id, 0)]

    assert kinds == ["step", "end", "end"]
