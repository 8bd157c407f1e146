"""Ending a session of another replica: of one that works, one that hangs and one that is dead."""

import asyncio

import pytest

from backend.app.bootstrap import Container
from backend.tests.integration.agent.history import History, Told, User
from backend.tests.integration.agent.invariants import check
from backend.tests.integration.agent.replica import Replicas
from backend.tests.integration.agent.server import REFUSED_TO_START, Fault
from backend.tests.support.people import Person

#: So long that nothing happens in these tests because a lease has lapsed; seconds.
_LONG = {"lease_seconds": 120.0}
#: How soon an abort is settled, whatever its owner does; seconds.
_SETTLED = 2.0


@pytest.mark.parametrize("owner_is", ["hanging", "killed", "stopped"])
async def test_an_abort_by_another_replica_is_settled_within_two_seconds(
    container: Container, replicas: Replicas, requester: Person, owner_is: str
) -> None:
    other, user, took = await replicas.start(runs=_LONG), User(requester, History()), []
    for n in range(2):
        hung = Fault("hang", "start", ("web", "decide")[n % 2])
        owner = await replicas.start(fault=hung, runs=_LONG)
        chat_id = await user.chat(other)
        started = asyncio.ensure_future(user.start(owner, chat_id))
        await owner.until("hangs")
        session_id = (await user.of_chat(other, chat_id))[0]["session_id"]
        if owner_is == "killed":
            owner.kill()
            await owner.ended()
        if owner_is == "stopped":
            owner.stop()
        aborted = await user.abort(other, session_id)
        took.append(aborted.seconds)
        assert aborted.turn["kind"] == "aborted"
        assert aborted.turn["reason"] == "user"
        view = await user.view(other, session_id)
        assert (view["status"], view["reason"]) == ("ended", "user")
        turn = await user.drafted(other, chat_id)  # the chat is free again
        assert (await user.confirm(other, turn)).turn["kind"] == "filed"
        owner.go_on()
        told = await started
        assert told.outcome is (Told.UNKNOWN if owner_is == "killed" else Told.OK)
        if told.outcome is Told.OK:
            assert told.turn["kind"] == "aborted"
        await owner.leave()
    print(
        f"\n0 of {len(took)} aborts of {owner_is} owners took over {_SETTLED} s: {max(took):.2f} s"
    )
    database = await check(container.engine, user.history, filed=len(took))
    assert max(took) < _SETTLED
    assert sum(n for (_, kind), n in database.facts.items() if kind == "agent.aborted") == len(took)


async def test_a_replica_whose_clock_is_off_does_not_serve(
    container: Container, replicas: Replicas
) -> None:
    for seconds in (-60, 60, -7200):
        off = await replicas.start(serves=False, clock=seconds)
        assert await off.ended() == REFUSED_TO_START
        assert "clock" in off.errors


async def test_a_replica_whose_clock_falls_back_files_nothing_twice_and_hides_nothing(
    container: Container, replicas: Replicas, requester: Person
) -> None:
    other, behind = await replicas.start(), await replicas.start(later=-60.0)
    user, took = User(requester, History()), []
    asked = [(await user.start(other)).turn for _ in range(4)]
    drafts = [await user.drafted(other) for _ in range(4)]
    behind.shift_clock()
    for turn in asked:
        call = await user.resume(behind, turn, choice="My team")
        assert call.turn["kind"] == "draft_ready", call.answer  # as another went on with it
        took.append(call.seconds)
        ended = await user.to_the_end(other, turn["session_id"])
        assert [one["reply"] for one in ended["exchanges"]] == ["My team"]
    assert "checkpoint.before" not in behind.met("resume")
    for turn in drafts:
        confirmed = await user.confirm(behind, turn)
        assert confirmed.status == 200, confirmed.answer  # it was filed, and is told so
        again = await user.confirm(other, turn)
        assert again.turn["ticket_number"] == confirmed.turn["ticket_number"]
    print("\n0 second tickets by a replica that is behind; 0 of 4 answers lost there")
    print(f"  another went on with them within {max(took):.1f} s")
    await check(container.engine, user.history, filed=8)
