"""How runs end: each in one way that is settled once, whatever the graph or its process meets."""

import asyncio
import time
from datetime import timedelta
from typing import Any

import pytest
from langgraph.types import Command

from backend.app.domain.runs import AbortReason
from backend.app.services.runs.endings import (
    Failed,
    Finished,
    Handed,
    LaterCheckpointUnseen,
    Paused,
    RunStopped,
    Stopped,
)
from backend.tests.integration.services.runs.rig import (
    GRACE,
    Replica,
    World,
    answer,
)


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
    slow = await one.new(allowance=timedelta(seconds=0.1))

    assert isinstance(ending, Finished)
    assert await one.run(slow, {"log": []}) == Stopped(AbortReason.BUDGET_EXHAUSTED)


async def test_a_run_past_its_allowance_has_a_grace_to_end_well(one: Replica, world: World) -> None:
    spent = await one.new(allowance=timedelta(0))
    claim = await one.take(spent)
    pending = one.engine.launch(claim, {"log": []})
    async with asyncio.timeout(5):
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


async def test_a_stop_seen_while_something_is_told_ends_the_run_and_its_node(
    one: Replica, world: World
) -> None:
    world.told_fault = RunStopped(AbortReason.KILL_SWITCH)
    thread_id = await one.new()
    ending = await one.run(thread_id, {"log": []})  # the node itself would wait for ever
    events = [event.kind async for event in one.events.follow(thread_id, 0)]

    assert ending == Stopped(AbortReason.KILL_SWITCH)
    assert events == ["step", "end"]  # what was told is stored with how the run ended
    assert one.driver.at_work_then == [0]  # the node had ended before the run was settled


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


async def test_a_command_is_no_way_around_the_fence(
    one: Replica, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    thread_id, question = await one.to_question(world)
    old = await one.take(thread_id)
    async with one.uow() as work:
        await work.runs.release(old)
    ending = await one.engine.launch(old, Command(resume={question: {"reply": "yes"}}))

    assert ending == Handed()
    assert world.effects == []
    assert caplog.records == []  # being fenced is no noise in an operator's log


class Stale(Waiting):
    """A graph whose state is that of an earlier step, as a clock that was set back makes it."""

    async def aget_state(self, config: Any) -> Any:
        state = await self.graph.aget_state(config)
        return state._replace(next=("effect",), interrupts=())


async def test_an_end_that_a_clock_hides_is_no_end(one: Replica, world: World) -> None:
    thread_id, question = await one.to_question(world)
    one.driver.graph = Stale(one.driver.graph)
    ending = await one.run(thread_id, answer(question, "yes"))

    assert isinstance(ending, Failed)
    assert isinstance(ending.error, LaterCheckpointUnseen)
