"""A replica is killed between any two steps of a request, and its client goes on with another."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from signal import SIGKILL
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.app.bootstrap import Container
from backend.tests.integration.agent.history import Call, History, Told, User, new_key
from backend.tests.integration.agent.invariants import check
from backend.tests.integration.agent.replica import Replica, Replicas
from backend.tests.integration.agent.server import LEASE, SWEEP, Fault
from backend.tests.support.people import People

#: So many processes are killed side by side.
LANES = 6
#: A busy machine's share; seconds.
MARGIN = 20.0
#: A request meets a point less now and then; seconds until that is taken to be so.
AFTER_ANSWER = 3.0

Request = Callable[[Replica, str], Awaitable[Call]]


async def prepared(user: User, request: str, replica: Replica) -> Request:
    """The request under test, ready to be made of any replica under one key."""
    chat_id = await user.chat(replica)
    if request == "start":
        return lambda one, key: user.start(one, chat_id, key)
    if request == "resume":
        turn = (await user.start(replica, chat_id)).turn
        return lambda one, key: user.resume(one, turn, key, choice="My team")
    shown = await user.drafted(replica, chat_id)
    return lambda one, key: user.confirm(one, shown, key)


_IS_AT_REST = """
    SELECT (SELECT owner IS NULL FROM runs WHERE thread_id::text = :id)
        AND NOT EXISTS (SELECT FROM checkpoints WHERE thread_id = :id)
"""


async def at_rest(engine: AsyncEngine, session_id: str) -> None:
    """Wait until the ended session's thread is driven by nobody and its checkpoints are gone."""
    async with asyncio.timeout(LEASE + SWEEP + MARGIN):
        while True:
            async with engine.connect() as connection:
                found = await connection.execute(sa.text(_IS_AT_REST), {"id": session_id})
                if found.scalar_one():
                    return
            await asyncio.sleep(0.1)


async def points_of(
    user: User, request: str, replicas: Replicas, other: Replica, engine: AsyncEngine
) -> list[str]:
    """The points that a replica meets in the request: the recorder."""
    replica = await replicas.start()
    call = await (await prepared(user, request, other))(replica, new_key())
    await user.settled(other, str(call.session_id))
    await user.to_the_end(other, str(call.session_id))
    await at_rest(engine, str(call.session_id))  # a confirm is answered before its run is over
    points = replica.met(request)
    await replica.leave()
    return points


async def gone_on_with(user: User, other: Replica, made: Request, key: str, *, edits: bool) -> Any:
    """What a person does whose connection broke: the same again until it is taken, and onward."""
    async with asyncio.timeout(LEASE + SWEEP + MARGIN):
        while (call := await made(other, key)).outcome is not Told.OK:
            assert call.status in {409, 503}, call.answer
            await asyncio.sleep(0.1)
    return await user.to_the_end(other, str(call.session_id), edits=edits)


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("request_", ["start", "resume", "confirm"])
async def test_a_kill_between_any_two_steps_loses_nothing(
    container: Container, replicas: Replicas, people: People, request_: str, half: int
) -> None:
    other, history = await replicas.start(), History()
    users = [User(await people.make(f"user{n}"), history) for n in range(LANES)]
    points = await points_of(users[0], request_, replicas, other, container.engine)
    waits: list[float] = []
    killed: Counter[str] = Counter()
    chosen = range(1 + half, len(points) + 1, 2)
    numbers = iter(chosen)

    async def lane(user: User) -> None:
        for at in numbers:
            made, key = await prepared(user, request_, other), new_key()
            victim = await replicas.start(fault=Fault("kill", request_, at))
            call = await made(victim, key)
            with suppress(TimeoutError):  # the point may be one that it meets after its answer
                await asyncio.wait_for(victim.ended(), AFTER_ANSWER)
            victim.kill()
            assert await victim.ended() == -SIGKILL
            began = time.monotonic()
            killed["in the request" if call.outcome is Told.UNKNOWN else "after its answer"] += 1
            killed["at its point"] += len(victim.met(request_)) == at
            ended = await gone_on_with(user, other, made, key, edits=at % 4 < 2)
            waits.append(time.monotonic() - began)
            assert ended["outcome"] == "filed", (at, points[at - 1], ended)
            await victim.leave()

    await asyncio.gather(*(lane(user) for user in users))
    print(f"\n{request_}: 0 of {len(chosen)} kills kept a person from the end; {dict(killed)}")
    print(f"  of {len(points)} points: {dict(Counter(points))}; longest way on {max(waits):.1f} s")
    database = await check(container.engine, history, filed=len(chosen) + 1)
    assert len(database.sessions) == len(chosen) + 1
    assert killed["at its point"] >= 0.8 * len(chosen)
    for kind in ("agent.user_confirmed", "agent.resumed"):
        assert {database.facts[one, kind] for one in database.sessions} == {1}
