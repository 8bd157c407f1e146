"""Runs under a claim: one owner, one effect, every ending settled once, whoever dies."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langgraph.types import Command

from backend.app.bootstrap import Container
from backend.app.core.periodic import every
from backend.app.domain.runs import AbortReason
from backend.app.services.runs.claims import RunInProgress
from backend.app.services.runs.engine import (
    Failed,
    Finished,
    Handed,
    Paused,
    RunStopped,
    Stopped,
)
from backend.tests.integration.services.runs.rig import (
    GRACE,
    LEASE,
    Replica,
    World,
    answer,
    replica,
)


@pytest.fixture
def world() -> World:
    return World()


@pytest_asyncio.fixture
async def one(
    container: Container, database_url: str, world: World, tmp_path: Path
) -> AsyncIterator[Replica]:
    async with replica(database_url, world, tmp_path) as made:
        yield made


@pytest_asyncio.fixture
async def two(
    container: Container, database_url: str, world: World, tmp_path: Path
) -> AsyncIterator[Replica]:
    async with replica(database_url, world, tmp_path) as made:
        yield made


async def test_a_run_pauses_and_another_replica_goes_on_with_it(
    one: Replica, two: Replica, world: World
) -> None:
    thread_id, question = await one.to_question(world)
    ending = await two.run(thread_id, answer(question, "yes"))

    assert isinstance(ending, Finished)
    assert ending.values["log"] == ["worked", "yes", "done"]
    assert world.effects == ["yes"]


async def test_of_many_starts_at_once_on_two_replicas_one_runs(
    one: Replica, two: Replica, world: World
) -> None:
    thread_id = await one.new()
    starts = [asyncio.ensure_future(each.run(thread_id, {"log": []})) for each in [one, two] * 10]
    pending = set(starts)
    async with asyncio.timeout(5):
        while len(pending) > 1:
            _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
    world.gate.set()
    endings = await asyncio.gather(*starts, return_exceptions=True)

    assert sum(isinstance(ending, Paused) for ending in endings) == 1
    assert sum(isinstance(ending, RunInProgress) for ending in endings) == 19
    assert world.works == 1


async def test_of_two_answers_at_once_one_counts(one: Replica, two: Replica, world: World) -> None:
    for _ in range(10):
        world.effects.clear()
        thread_id, question = await one.to_question(world)
        endings = await asyncio.gather(
            one.run(thread_id, answer(question, "one")),
            two.run(thread_id, answer(question, "two")),
            return_exceptions=True,
        )

        assert sum(isinstance(ending, Finished) for ending in endings) >= 1
        assert len(world.effects) == 1


@pytest.mark.parametrize("stale", ["0" * 32, "after the end"])
async def test_an_answer_to_a_question_that_is_not_open_changes_nothing(
    one: Replica, world: World, stale: str
) -> None:
    thread_id, question = await one.to_question(world)
    if stale == "after the end":
        await one.run(thread_id, answer(question, "yes"))
    asked = question if stale == "after the end" else stale
    ending = await one.run(thread_id, answer(asked, "late"))

    assert isinstance(ending, Failed)
    assert world.effects == (["yes"] if stale == "after the end" else [])


async def test_an_answer_on_an_unknown_thread_starts_nothing(one: Replica, world: World) -> None:
    ending = await one.run(await one.new(), answer("0" * 32, "yes"))

    assert isinstance(ending, Failed)
    assert world.works == 0


async def test_a_client_that_goes_away_changes_nothing(one: Replica, world: World) -> None:
    thread_id = await one.new()
    pending = one.engine.launch(await one.take(thread_id), {"log": []})
    waiter = asyncio.ensure_future(_wait(pending))
    await world.working.wait()
    waiter.cancel()
    world.gate.set()
    await one.engine.tasks.drain(5)

    assert [type(ending) for ending in one.driver.settled] == [Paused]


async def _wait(pending: object) -> None:
    await pending  # type: ignore[misc]


async def test_an_abort_from_another_replica_ends_the_run_soon(
    one: Replica, two: Replica, world: World
) -> None:
    thread_id = await one.new()
    pending = one.engine.launch(await one.take(thread_id), {"log": []})
    await world.working.wait()
    async with every((0.1, "beat", one.claims.beat)):
        async with asyncio.timeout(2):
            seized = await two.controls.stop(thread_id, AbortReason.USER)
            ending = await pending

    assert seized is None
    assert ending == Stopped(AbortReason.USER)
    assert one.driver.settled == [Stopped(AbortReason.USER)]


async def test_an_abort_of_a_dead_owners_run_is_seized_and_the_owner_fenced(
    one: Replica, two: Replica, world: World
) -> None:
    thread_id = await one.new()
    pending = one.engine.launch(await one.take(thread_id), {"log": []})
    await world.working.wait()
    seized = await two.controls.stop(thread_id, AbortReason.USER)
    assert seized is not None
    await two.engine.end(seized, AbortReason.USER)
    world.gate.set()

    assert await pending == Handed()
    assert one.driver.settled == []
    assert two.driver.settled == [Stopped(AbortReason.USER)]
    assert world.effects == []


async def test_an_abort_of_what_nobody_drives_is_the_callers(one: Replica, world: World) -> None:
    thread_id, _ = await one.to_question(world)

    assert await one.controls.stop(thread_id, AbortReason.USER) is None
    assert (await one.take(thread_id)).epoch == 2


async def test_a_stalled_owner_is_taken_over_and_its_writes_are_refused(
    one: Replica, two: Replica, world: World
) -> None:
    thread_id = await one.new()
    stalled = one.engine.launch(await one.take(thread_id), {"log": []})  # without a heartbeat
    await world.working.wait()
    await two.engine.sweep()
    early = list(two.claims.held)
    async with asyncio.timeout(20):
        while not two.claims.held:
            await asyncio.sleep(0.05)
            await two.engine.sweep()
    world.gate.set()
    await two.engine.tasks.drain(5)

    assert early == []
    assert await stalled == Handed()
    assert one.driver.settled == []
    assert [type(ending) for ending in two.driver.settled] == [Paused]
    assert world.works == 2


async def test_a_heartbeat_keeps_a_slow_run_from_being_taken(
    one: Replica, two: Replica, world: World
) -> None:
    thread_id = await one.new()
    pending = one.engine.launch(await one.take(thread_id), {"log": []})
    await world.working.wait()
    async with every((0.1, "beat", one.claims.beat), (0.05, "sweep", two.engine.sweep)):
        await asyncio.sleep(2.5 * LEASE)  # two and a half leases: time itself is under test
    world.gate.set()

    assert isinstance(await pending, Paused)
    assert world.works == 1


async def test_a_run_that_was_taken_over_too_often_is_given_up(
    one: Replica, two: Replica, world: World
) -> None:
    thread_id = await one.new()
    one.engine.launch(await one.take(thread_id), {"log": []})
    await world.working.wait()
    async with asyncio.timeout(30):
        while Stopped(AbortReason.SERVER_RESTART) not in two.driver.settled:
            await asyncio.sleep(0.05)
            await two.engine.sweep()

    assert world.works == 2
    async with two.uow() as work:
        status = await work.runs.status(thread_id)
    assert status is not None
    assert not status.is_running


async def test_a_claim_that_died_before_the_first_checkpoint_is_settled(
    one: Replica, two: Replica, world: World
) -> None:
    thread_id = await one.new()
    await one.take(thread_id)  # and its process is gone
    async with asyncio.timeout(30):
        while not two.driver.settled:
            await asyncio.sleep(0.05)
            await two.engine.sweep()
            await two.engine.tasks.drain(1)

    assert two.driver.settled == [Stopped(AbortReason.SERVER_RESTART)]
    assert world.works == 0
    assert (await one.take(thread_id)).attempt == 1


async def test_four_sweeps_at_once_have_one_effect(
    one: Replica, two: Replica, world: World
) -> None:
    threads = [await one.new() for _ in range(5)]
    for thread_id in threads:
        one.engine.launch(await one.take(thread_id), {"log": []})
    await asyncio.sleep(1.3 * LEASE)  # the leases lapse: time itself is under test
    await asyncio.gather(*(each.engine.sweep() for each in (one, two, one, two)))
    world.gate.set()
    await one.engine.tasks.drain(5)
    await two.engine.tasks.drain(5)
    settled = one.driver.settled + two.driver.settled

    assert [type(ending) for ending in settled] == [Paused] * 5


async def test_active_time_is_limited_and_a_persons_thinking_is_free(
    one: Replica, world: World
) -> None:
    world.gate.set()
    thread_id = await one.new(allowance=timedelta(seconds=0.6))
    paused = await one.run(thread_id, {"log": []})
    assert isinstance(paused, Paused)
    await asyncio.sleep(0.7)  # a person thinks for longer than the whole allowance
    ending = await one.run(thread_id, answer(paused.interrupts[0].id, "yes"))
    world.gate.clear()
    slow = await one.new(allowance=timedelta(seconds=0.2))

    assert isinstance(ending, Finished)
    assert await one.run(slow, {"log": []}) == Stopped(AbortReason.BUDGET_EXHAUSTED)


async def test_a_run_past_its_allowance_has_a_grace_to_end_well(one: Replica, world: World) -> None:
    spent = await one.new(allowance=timedelta(0))
    claim = await one.take(spent)
    pending = one.engine.launch(claim, {"log": []})
    await world.working.wait()
    world.gate.set()

    assert claim.allowance == timedelta(0)  # by which the graph knows to ask no more
    assert isinstance(await pending, Paused)
    world.gate.clear()
    began = time.monotonic()
    cut = await one.run(await one.new(allowance=timedelta(0)), {"log": []})
    assert cut == Stopped(AbortReason.BUDGET_EXHAUSTED)
    assert time.monotonic() - began >= GRACE


async def test_what_is_used_up_stays_used_up(one: Replica, world: World) -> None:
    thread_id, _ = await one.to_question(world)
    claim = await one.take(thread_id)
    await asyncio.sleep(0.2)
    async with one.uow() as work:
        await work.runs.release(claim)

    assert (await one.take(thread_id)).allowance < timedelta(seconds=29.85)


async def test_a_fault_in_a_node_is_an_ending_too(one: Replica, world: World) -> None:
    world.fault = ValueError("broken")
    ending = await one.run(await one.new(), {"log": []})

    assert isinstance(ending, Failed)
    assert isinstance(ending.error, ValueError)
    assert [type(settled) for settled in one.driver.settled] == [Failed]


@pytest.mark.parametrize(
    "fault",
    [
        RunStopped(AbortReason.KILL_SWITCH),
        ExceptionGroup("tasks", [ValueError(), RunStopped(AbortReason.KILL_SWITCH)]),
    ],
)
async def test_a_stop_raised_in_a_node_ends_the_run_as_stopped(
    one: Replica, world: World, fault: Exception
) -> None:
    world.fault = fault
    thread_id = await one.new()

    assert await one.run(thread_id, {"log": []}) == Stopped(AbortReason.KILL_SWITCH)
    assert one.driver.settled == [Stopped(AbortReason.KILL_SWITCH)]


class Flaky(Exception):
    """What the node's retry policy does try again."""


async def test_a_stop_is_not_tried_again_like_an_error(one: Replica, world: World) -> None:
    world.fault = RunStopped(AbortReason.KILL_SWITCH)
    await one.run(await one.new(), {"log": []})
    stopped, world.works = world.works, 0
    world.fault = Flaky()
    await one.run(await one.new(), {"log": []})

    assert stopped == 1
    assert world.works == 3


async def test_a_stop_raised_while_recording_ends_the_run_and_its_node(
    one: Replica, world: World
) -> None:
    world.told_fault = RunStopped(AbortReason.KILL_SWITCH)
    thread_id = await one.new()
    ending = await one.run(thread_id, {"log": []})  # the node itself would wait for ever
    events = [event.kind async for event in one.events.follow(thread_id, 0)]

    assert ending == Stopped(AbortReason.KILL_SWITCH)
    assert events == [
        "end"
    ]  # what was told is not stored: its transaction was the one that stopped
    assert world.effects == []


async def test_a_timeout_inside_a_node_is_not_the_runs_deadline(one: Replica, world: World) -> None:
    world.fault = TimeoutError()

    assert isinstance(await one.run(await one.new(), {"log": []}), Failed)


async def test_a_drained_run_is_gone_on_with_elsewhere(
    one: Replica, two: Replica, world: World
) -> None:
    thread_id = await one.new()
    pending = one.engine.launch(await one.take(thread_id), {"log": []})
    await world.working.wait()
    draining = asyncio.ensure_future(one.engine.drain(5))
    await asyncio.sleep(0)
    world.gate.set()
    await draining
    await two.engine.sweep()
    await two.engine.tasks.drain(5)

    assert await pending == Handed()
    assert one.driver.settled == []
    assert [type(ending) for ending in two.driver.settled] == [Paused]
    assert world.works == 1


async def test_without_the_database_a_run_ends_before_its_lease(one: Replica, world: World) -> None:
    thread_id = await one.new()
    pending = one.engine.launch(await one.take(thread_id), {"log": []})
    await world.working.wait()
    one.claims.uow = _away  # type: ignore[assignment]
    async with asyncio.timeout(10):
        while one.claims.held:
            await one.claims.beat()
            await asyncio.sleep(0.05)

    assert await pending == Handed()


def _away() -> object:
    raise TimeoutError


class Waiting:
    """A graph whose state is only told when the test says so."""

    def __init__(self, graph: Any) -> None:
        self.graph, self.asked, self.go_on = graph, asyncio.Event(), asyncio.Event()

    def astream(self, *given: Any, **options: Any) -> Any:
        return self.graph.astream(*given, **options)

    async def aget_state(self, config: Any) -> Any:
        self.asked.set()
        await self.go_on.wait()
        return await self.graph.aget_state(config)


async def test_an_ending_is_settled_under_the_claim_or_not_at_all(
    one: Replica, two: Replica, world: World
) -> None:
    world.gate.set()
    waiting = one.driver.graph = Waiting(one.driver.graph)
    thread_id = await one.new()
    pending = one.engine.launch(await one.take(thread_id), {"log": []})
    await waiting.asked.wait()
    async with two.uow() as work:
        seized = await work.runs.seize(thread_id, two.claims.owner, lease=timedelta(seconds=5))
    waiting.go_on.set()

    assert seized is not None
    assert await pending == Handed()
    assert one.driver.settled == []


async def test_a_command_is_no_way_around_the_fence(one: Replica, world: World) -> None:
    thread_id, question = await one.to_question(world)
    old = await one.take(thread_id)
    async with one.uow() as work:
        await work.runs.release(old)
    ending = await one.engine.launch(old, Command(resume={question: {"reply": "yes"}}))

    assert ending == Handed()
    assert world.effects == []
