"""What is told of a session reaches whoever follows it at another replica."""

import asyncio
import json
from typing import Any

import sqlalchemy as sa

from backend.app.bootstrap import Container
from backend.tests.integration.agent.history import History, User
from backend.tests.integration.agent.invariants import check
from backend.tests.integration.agent.replica import Replica, Replicas
from backend.tests.integration.agent.server import AGENT, Fault
from backend.tests.integration.agent.test_kills import points_of
from backend.tests.support.people import Person

_DEAFEN = """
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND (query ILIKE 'LISTEN%' OR query = 'SELECT 1')
"""


async def followed(user: User, replica: Replica, session_id: str, after: int) -> list[Any]:
    """The numbered events behind ``after``, until the stream ends."""
    told: list[Any] = []
    url = f"{AGENT}sessions/{session_id}/events"
    headers = {"Last-Event-ID": str(after)}
    number = after
    async with replica.client(user.person.token).stream("GET", url, headers=headers) as answer:
        if answer.status_code == 204:
            return told
        async for line in answer.aiter_lines():
            if line.startswith("id: "):
                number = int(line[4:])
            if line.startswith("data: "):
                told.append(json.loads(line[6:]))
            if not line and told and number > after + len(told) - 1:
                assert number == after + len(told)  # in order, none missing, none twice
    return told


async def test_followers_get_everything_though_every_wake_up_is_lost(
    container: Container, replicas: Replicas, requester: Person
) -> None:
    (one, two), user = await replicas.both(), User(requester, History())
    cut, rounds, over = 0, 0, asyncio.Event()

    async def deafen() -> None:
        nonlocal cut
        while not over.is_set():
            async with container.engine.connect() as connection:
                cut += int((await connection.execute(sa.text(_DEAFEN))).scalar_one())
            await asyncio.sleep(0.05)

    deafening, seen = asyncio.ensure_future(deafen()), 0
    while min(rounds, cut) < 6:  # a listener comes back after a second
        rounds += 1
        assert rounds < 60, cut
        chat_id = await user.chat(one)
        started = asyncio.ensure_future(user.start(one, chat_id))
        while not (found := await user.of_chat(two, chat_id)):
            continue
        session_id = found[0]["session_id"]
        told = await followed(user, two, session_id, 0)
        turn = (await started).turn
        assert told[-1]["pending_question_id"] == turn["pending_question_id"]
        # A second tab answers as soon as it sees the question, and another follows from there.
        resumed = asyncio.ensure_future(user.resume(two, turn, choice="My team"))
        draft = (await resumed).turn
        told += await followed(user, one, session_id, len(told))
        assert told[-1]["draft_digest"] == draft["draft_digest"]
        await user.confirm(one, draft)
        told += await followed(user, two, session_id, len(told))
        assert told[-1]["kind"] == "filed"
        async with container.engine.connect() as connection:
            query = "SELECT count(*) FROM run_events WHERE thread_id::text = :id"
            stored = await connection.execute(sa.text(query), {"id": session_id})
            assert stored.scalar_one() == len(told)
        seen += len(told)
    over.set()
    await deafening
    print(f"\n0 of {seen} events missed by followers in {rounds} rounds, {cut} listeners cut off")
    await check(container.engine, user.history, filed=rounds)


async def persistent(user: User, replica: Replica, turn: dict[str, Any]) -> None:
    """Answer until it is taken: what was stopped may hold a lock for a while."""
    call = await user.resume(replica, turn, choice="My team")
    if call.status in {409, 503}:
        await asyncio.sleep(0.2)
        await persistent(user, replica, turn)


async def test_a_call_is_answered_with_its_own_turn_though_another_tab_was_quicker(
    container: Container, replicas: Replicas, requester: Person
) -> None:
    other, user = await replicas.start(), User(requester, History())
    points = await points_of(user, "start", replicas, other, container.engine)
    # From when the question is stored (the first commit after the last checkpoint's writes) on,
    # until its own call has been answered with it.
    saved = len(points) - 1 - points[::-1].index("writes.after")
    chosen = range(points.index("commit.after", saved) + 1, len(points) + 1)
    for at in chosen:
        owner = await replicas.start(fault=Fault("stop", "start", at))
        quick = await replicas.start(fault=Fault("hang", "resume", "decide"))
        chat_id = await user.chat(other)
        started = asyncio.ensure_future(user.start(owner, chat_id))
        await owner.stopped()
        (seen,) = await user.of_chat(other, chat_id)
        assert seen["turn"], (at, owner.met("start"))
        resumed = asyncio.ensure_future(persistent(user, quick, seen["turn"]))
        hanging = asyncio.ensure_future(quick.until("hangs"))
        await asyncio.wait([resumed, hanging], return_when=asyncio.FIRST_COMPLETED)
        assert not resumed.done(), (at, user.history.calls[-1])
        await hanging
        owner.go_on()
        told = await started
        assert told.status == 200, (at, points[at - 1], told.answer)
        assert told.turn["pending_question_id"] == seen["turn"]["pending_question_id"]
        quick.kill()
        await resumed
        await user.to_the_end(other, str(told.session_id))
        await owner.leave()
        await quick.leave()
    print(f"\n0 of {len(chosen)} calls answered with another call's turn, or with none")
    await check(container.engine, user.history, filed=len(chosen) + 1)
