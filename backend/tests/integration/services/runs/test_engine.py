"""Runs under a claim: one owner and one effect, whoever dies.

Each pit of LangGraph that the engine guards against has a test that fails without its guard:

| Pit | Test |
|---|---|
| two processes resume one thread, and both run | test_engine: of_two_answers_at_once_one_counts; |
| | test_processes: simultaneous_starts_in_two_processes_run_once |
| an answer on an unknown thread starts the graph | test_engine: |
| | an_answer_on_an_unknown_thread_starts_nothing |
| a late answer answers whatever is open now | test_engine: |
| | an_answer_to_a_question_that_is_not_open_changes_nothing |
| a clock that is behind hides the end of a run | test_processes: a_process_whose_clock_is_*; |
| | test_fitness; test_endings: an_end_that_a_clock_hides_is_no_end |
| effects run although an earlier step is not saved | test_pits: |
| | no_step_runs_after_one_that_could_not_be_saved |
| the saver does one operation at a time | test_pits: the_saver_works_for_many_at_once |
| what is in a config is stored in clear | test_pits: nothing_of_a_claim_is_stored_with_a_thread |
| a run in flight overwrites what ended it | test_engine: |
| | an_abort_of_a_dead_owners_run_is_seized_and_the_owner_fenced |
| ten thousand steps before a loop ends | test_pits: a_graph_that_never_ends_is_ended |
| a client that goes away cancels the run | test_engine: a_client_that_goes_away_changes_nothing |
| a stream left early freezes its run | test_endings: |
| | a_stop_seen_while_something_is_told_ends_the_run_and_its_node |
| the tables drift from the library's | tests/migrations/test_checkpoint_tables.py |
"""

import asyncio

import pytest

from backend.app.core.periodic import every
from backend.app.domain.runs import AbortReason
from backend.app.services.runs.claims import RunInProgress
from backend.app.services.runs.endings import Failed, Finished, Handed, Paused, Stopped
from backend.tests.integration.services.runs.rig import (
    LEASE,
    Replica,
    World,
    answer,
)


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
