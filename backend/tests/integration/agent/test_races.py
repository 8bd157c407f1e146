"""Two replicas, and clients who do the same thing at the same moment."""

import asyncio
from collections import Counter
from collections.abc import Awaitable

import pytest

from backend.app.bootstrap import Container
from backend.tests.integration.agent.history import (
    STRAIGHT_TO_DRAFT,
    Call,
    History,
    Told,
    User,
    new_key,
)
from backend.tests.integration.agent.invariants import check
from backend.tests.integration.agent.replica import Replicas
from backend.tests.support.people import Person


@pytest.mark.parametrize("with_key", [True, False])
async def test_simultaneous_starts_in_one_chat_make_one_session(
    container: Container, replicas: Replicas, requester: Person, with_key: bool
) -> None:
    both, user = await replicas.both(), User(requester, History())
    rounds, joined = 4, 0
    for _ in range(rounds):
        chat_id = await user.chat(both[0])
        key = new_key() if with_key else None
        calls = await asyncio.gather(*(user.start(both[n % 2], chat_id, key) for n in range(20)))
        ok = [call for call in calls if call.outcome is Told.OK]
        refused = [call for call in calls if call.outcome is Told.REFUSED]
        assert len({call.session_id for call in calls}) == 1  # a refusal names it too
        assert len(ok) + len(refused) == len(calls)
        assert len(ok) == (len(calls) if with_key else 1)
        assert {call.answer["error"] for call in refused} <= {"session_open"}
        joined += len(calls) - 1
        await user.to_the_end(both[1], str(ok[0].session_id))
    print(f"\n0 second sessions in {rounds} rounds of 20 starts, {joined} joined or refused")
    database = await check(container.engine, user.history, filed=rounds)
    assert len(database.sessions) == rounds
    repeated = sum(n for (_, kind), n in database.facts.items() if kind == "agent.request_repeated")
    assert repeated == (joined if with_key else 0)


async def test_of_simultaneous_answers_one_is_taken_and_kept(
    container: Container, replicas: Replicas, requester: Person
) -> None:
    both, user = await replicas.both(), User(requester, History())
    rounds, others = 6, 0
    for n in range(rounds):
        asked = (await user.start(both[n % 2])).turn
        replies = [f"it hits person number {k}" for k in range(6)]
        calls = await asyncio.gather(
            *(user.resume(both[k % 2], asked, reply=reply) for k, reply in enumerate(replies))
        )
        (won,) = [call for call in calls if call.outcome is Told.OK]
        assert {call.status for call in calls if call is not won} == {409}
        others += len(calls) - 1
        # The older call again, after the newer one.
        again = await user.resume(both[n % 2], asked, reply=replies[0])
        assert (again.status, again.answer["error"]) == (409, "stale_question")
        ended = await user.to_the_end(both[(n + 1) % 2], str(won.session_id))
        assert [one["reply"] for one in ended["exchanges"]] == [won.body["reply"]]
    print(f"\n0 second answers taken in {rounds} rounds of 6, {others} refused")
    database = await check(container.engine, user.history, filed=rounds)
    assert sum(n for (_, kind), n in database.facts.items() if kind == "agent.resumed") == rounds


async def test_simultaneous_confirms_file_one_ticket(
    container: Container, replicas: Replicas, requester: Person
) -> None:
    both = await replicas.both(agent=STRAIGHT_TO_DRAFT)
    user, rounds, refused = User(requester, History()), 8, 0
    for n in range(rounds):
        shown = await user.drafted(both[n % 2])
        edited = await user.edited(both[n % 2], shown, f"Edited in round {n}")
        calls = await asyncio.gather(
            *(user.confirm(both[k % 2], (shown, edited)[k // 2 % 2]) for k in range(20))
        )
        assert {call.status for call in calls} <= {200, 409}
        filed = [call for call in calls if call.outcome is Told.OK]
        assert len({call.turn["ticket_number"] for call in filed}) == 1
        for turn in (shown, edited):  # and afterwards: the same again
            calls.append(await user.confirm(both[n % 2], turn))
            assert calls[-1].turn["ticket_number"] == filed[0].turn["ticket_number"]
        refused += len(calls) - len(filed)
    print(f"\n0 second tickets in {rounds} rounds of 20 confirms, {refused} refused")
    await check(container.engine, user.history, filed=rounds)


async def test_a_confirm_and_an_abort_at_the_same_instant_leave_one_outcome(
    container: Container, replicas: Replicas, requester: Person
) -> None:
    both = await replicas.both(agent=STRAIGHT_TO_DRAFT)
    user, rounds, lead = User(requester, History()), 50, 0.0
    outcomes: Counter[str] = Counter()

    async def after(seconds: float, call: Awaitable[Call]) -> Call:
        await asyncio.sleep(max(0.0, seconds))
        return await call

    for n in range(rounds):
        shown = await user.drafted(both[n % 2])
        confirmed, aborted = await asyncio.gather(
            after(-lead, user.confirm(both[n % 2], shown)),
            after(lead, user.abort(both[n // 2 % 2], shown["session_id"])),
        )
        assert aborted.status == 200  # an abort is never refused
        assert confirmed.status in {200, 409}
        outcome = aborted.turn["kind"]
        assert (outcome == "filed") == (confirmed.status == 200)
        outcomes[outcome] += 1
        # Whoever has won is held back a little, so that the two stay at each other's heels.
        lead += -0.002 if outcome == "filed" else 0.002
    print(f"\n0 of both or neither in {rounds} rounds: {dict(outcomes)}")
    await check(container.engine, user.history, filed=outcomes["filed"])
    assert set(outcomes) == {"filed", "aborted"}
    assert min(outcomes.values()) >= rounds // 10
