"""What is asked of many threads at once: that all stop."""

import asyncio

import asyncpg
from sqlalchemy.engine import make_url

from backend.app.core.periodic import every
from backend.app.domain.runs import NOTIFY_CHANNEL, AbortReason, GraphKind
from backend.app.services.runs.endings import Stopped
from backend.tests.integration.services.runs.rig import Replica, World


async def test_the_kill_switch_stops_every_run_of_a_kind_wherever_it_is(
    one: Replica, two: Replica, world: World
) -> None:
    resting = await one.new()
    pending = []
    for each in (one, two, one):
        thread_id = await each.new()
        pending.append((thread_id, each.engine.launch(await each.take(thread_id), {"log": []})))
    async with one.uow() as work:
        other = await work.runs.request_abort_all(GraphKind.TICKET, AbortReason.KILL_SWITCH)
        asked = await work.runs.request_abort_all(GraphKind.TEST, AbortReason.KILL_SWITCH)
    async with every((0.1, "one", one.claims.beat), (0.1, "two", two.claims.beat)):
        endings = [await ending for _, ending in pending]

    assert other == []
    assert set(asked) == {thread_id for thread_id, _ in pending}
    assert endings == [Stopped(AbortReason.KILL_SWITCH)] * 3
    async with one.uow() as work:
        status = await work.runs.status(resting)
    assert status is not None
    assert status.abort_reason is None


async def test_an_earlier_reason_stays_and_every_listener_is_woken(
    one: Replica, database_url: str
) -> None:
    thread_id = await one.new()
    await one.take(thread_id)
    async with one.uow() as work:
        await work.runs.request_abort(thread_id, AbortReason.USER)
    rung: asyncio.Queue[object] = asyncio.Queue()
    plain = make_url(database_url).set(drivername="postgresql").render_as_string(False)
    listener = await asyncpg.connect(plain)
    try:
        await listener.add_listener(NOTIFY_CHANNEL, lambda *given: rung.put_nowait(given[-1]))
        async with one.uow() as work:
            await work.runs.request_abort_all(GraphKind.TEST, AbortReason.KILL_SWITCH)
        async with asyncio.timeout(5):
            woken = await rung.get()
    finally:
        await listener.close()
    async with one.uow() as work:
        status = await work.runs.status(thread_id)

    assert woken == str(thread_id)
    assert status is not None
    assert status.abort_reason is AbortReason.USER
