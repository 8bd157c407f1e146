"""A replica is asked to end while it works."""

import asyncio
import time

from backend.app.bootstrap import Container
from backend.tests.integration.agent.history import History, User
from backend.tests.integration.agent.invariants import check
from backend.tests.integration.agent.replica import Replicas
from backend.tests.integration.agent.server import GRACE_SECONDS, Fault
from backend.tests.support.people import Person

#: Grace for open requests, then as long again for runs, and a busy machine's share.
_EXIT_SECONDS = GRACE_SECONDS + 10 + 10


async def test_a_replica_that_is_asked_to_end_leaves_its_runs_to_another(
    container: Container, replicas: Replicas, requester: Person
) -> None:
    other, user = await replicas.start(), User(requester, History())
    ending = await replicas.start(fault=Fault("hang", "start", "web"))
    chats = [await user.chat(other) for _ in range(8)]
    drafts = [await user.drafted(other) for _ in range(2)]
    starts = [asyncio.ensure_future(user.start(ending, chat_id)) for chat_id in chats]
    await ending.until("hangs")
    began = time.monotonic()
    ending.terminate()
    late = await user.start(ending)
    calls = await asyncio.gather(*starts)
    assert await ending.ended() == 0, ending.errors
    took = time.monotonic() - began
    # Told to come again; or, when this machine took too long to ask, not taken any more.
    assert late.status is None or late.answer["error"] == "agent_switched_off"
    assert late.status is None or late.retry_after
    assert all(call.status is None or call.retry_after for call in calls)
    for chat_id, call in zip(chats, calls, strict=True):
        found = await user.of_chat(other, chat_id)
        session = found[0] if found else (await user.start(other, chat_id)).turn
        ended = await user.to_the_end(other, session["session_id"])
        assert ended["outcome"] == "filed", call
    for draft in drafts:
        await user.confirm(other, draft)
    print(f"\n0 of {len(chats)} runs lost by a replica that ended in {took:.1f} s; {late.status=}")
    await check(container.engine, user.history, filed=len(chats) + len(drafts))
    assert took < _EXIT_SECONDS
