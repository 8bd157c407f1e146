"""A replica stands still for longer than its lease, and wakes up when others have gone on."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.app.bootstrap import Container
from backend.tests.integration.agent.history import History, User, new_key
from backend.tests.integration.agent.invariants import check
from backend.tests.integration.agent.replica import Replicas
from backend.tests.integration.agent.server import Fault
from backend.tests.integration.agent.test_kills import (
    AFTER_ANSWER,
    LANES,
    at_rest,
    gone_on_with,
    points_of,
    prepared,
)
from backend.tests.support.people import People

#: All that is stored of a session. That a request came again may be noted at any time.
_OF_SESSION = """
    SELECT 'session', to_jsonb(s) FROM agent_sessions s WHERE s.id::text = :id
    UNION ALL SELECT 'run', to_jsonb(r) FROM runs r WHERE r.thread_id::text = :id
    UNION ALL SELECT 'event', to_jsonb(e) FROM run_events e WHERE e.thread_id::text = :id
    UNION ALL SELECT 'ticket', to_jsonb(t) FROM tickets t WHERE t.agent_session_id::text = :id
    UNION ALL SELECT 'checkpoint', to_jsonb(c) FROM checkpoints c WHERE c.thread_id = :id
    UNION ALL SELECT 'write', to_jsonb(w) FROM checkpoint_writes w WHERE w.thread_id = :id
    UNION ALL SELECT 'fact', to_jsonb(f) FROM facts f
        WHERE f.data ->> 'agent_session_id' = :id AND f.kind <> 'agent.request_repeated'
    UNION ALL SELECT 'line', to_jsonb(m) FROM chat_messages m
        JOIN agent_sessions s ON s.chat_session_id = m.chat_session_id WHERE s.id::text = :id
"""


async def stored(engine: AsyncEngine, session_id: str) -> Sequence[Any]:
    """Every row of a session, in an order that does not change."""
    async with engine.connect() as connection:
        rows = await connection.execute(sa.text(_OF_SESSION), {"id": session_id})
        return sorted((row[0], repr(row[1])) for row in rows)


@pytest.mark.parametrize("request_", ["start", "resume", "confirm"])
async def test_a_replica_that_was_stopped_past_its_lease_writes_nothing_more(
    container: Container, replicas: Replicas, people: People, request_: str
) -> None:
    other, history = await replicas.start(), History()
    users = [User(await people.make(f"user{n}"), history) for n in range(LANES)]
    points = await points_of(users[0], request_, replicas, other, container.engine)
    chosen = range(1, len(points) + 1, 5)
    numbers, stops = iter(chosen), Counter[str]()

    async def lane(user: User) -> None:
        for at in numbers:
            made, key = await prepared(user, request_, other), new_key()
            owner = await replicas.start(fault=Fault("stop", request_, at))
            call = asyncio.ensure_future(made(owner, key))
            stopped = asyncio.ensure_future(owner.stopped())
            await asyncio.wait([call, stopped], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([stopped], timeout=AFTER_ANSWER)
            if not stopped.done():  # it met a point less this time
                stopped.cancel()
                stops["not at all"] += 1
                owner.kill()
                await call
                await gone_on_with(user, other, made, key, edits=False)
                continue
            stops[points[at - 1]] += 1
            ended = await gone_on_with(user, other, made, key, edits=False)
            where = (at, points[at - 1], ended["reason"], other.errors[-2000:])
            assert ended["outcome"] == "filed", where
            await at_rest(container.engine, ended["session_id"])
            before = await stored(container.engine, ended["session_id"])
            owner.go_on()
            await call
            owner.terminate()  # which waits for whatever it still does
            assert await owner.ended() == 0, owner.errors
            assert await stored(container.engine, ended["session_id"]) == before

    await asyncio.gather(*(lane(user) for user in users))
    woken = len(chosen) - stops["not at all"]
    print(f"\n{request_}: 0 late writes by {woken} owners that woke up; {dict(stops)}")
    database = await check(container.engine, history, filed=len(chosen) + 1)
    assert len(database.sessions) == len(chosen) + 1
    assert stops["not at all"] <= 0.2 * len(chosen)
