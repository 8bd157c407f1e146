"""One process of the engine, driven by lines on its standard input; see ``test_processes.py``.

``start THREAD`` and ``resume THREAD QUESTION REPLY`` launch a run; every step and ending is a line
on standard output. Each node takes STEP_SECONDS, so that a signal can meet it half-way. The whole
process, LangGraph's checkpoint ids too, lives by a clock that is CLOCK_SECONDS off.
"""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any
from uuid import UUID

from backend.app.core.periodic import every
from backend.app.db.uow import Work
from backend.app.domain.runs import Claim, GraphKind, ThreadId
from backend.app.services.runs.claims import RunInProgress
from backend.app.services.runs.driving import Settled
from backend.app.services.runs.endings import Ending, Finished, Handed, Paused
from backend.tests.integration.services.runs.rig import (
    Replica,
    ShiftedClock,
    TestDriver,
    World,
    answer,
    replica,
)

#: Long enough that a busy machine does not lose a claim that nobody took; seconds.
_LEASE = 3.0


def say(*words: object) -> None:
    sys.stdout.write(" ".join(str(word) for word in words) + "\n")
    sys.stdout.flush()


class SlowWorld(World):
    """Every node takes its time and says that it began."""

    seconds: float = 0.1

    async def work(self, _state: Any) -> dict[str, Any]:
        say("work")
        await asyncio.sleep(self.seconds)
        return {"log": ["worked"]}

    async def effect(self, state: Any) -> dict[str, Any]:
        say("effect", state["log"][-1])
        await asyncio.sleep(self.seconds)
        return {"log": ["done"]}


class TellingDriver(TestDriver):
    """Says how each run ended, once it is settled."""

    async def settle(self, work: Work, claim: Claim, context: Any, ending: Ending) -> Settled:
        settled = await super().settle(work, claim, context, ending)
        question = ending.interrupts[0].id if isinstance(ending, Paused) else "-"
        log = ending.values["log"] if isinstance(ending, Paused | Finished) else []
        say("settled", claim.thread_id, type(ending).__name__, question, *log)
        return settled


async def _launch(one: Replica, line: list[str]) -> None:
    thread_id = ThreadId(UUID(line[1]))
    try:
        claim = await one.take(thread_id)
    except RunInProgress:
        say("busy", thread_id)
        return
    given: Any = {"log": []} if line[0] == "start" else answer(line[2], line[3])
    pending = asyncio.ensure_future(one.engine.launch(claim, given))
    pending.add_done_callback(lambda done: _say_if_left(thread_id, done))


def _say_if_left(thread_id: ThreadId, done: asyncio.Future[Ending]) -> None:
    if not done.cancelled() and not done.exception() and isinstance(done.result(), Handed):
        say("left", thread_id)


def shift_clock(seconds: float) -> None:
    """From now on LangGraph's clock in this process is off, as the machine's own would be."""
    shift, true = int(seconds * 1_000_000_000), time.time_ns
    time.time_ns = lambda: true() + shift


async def main(url: str, seconds: float, clock: float) -> None:
    shift_clock(clock)
    world = SlowWorld()
    world.seconds = seconds
    loop = asyncio.get_running_loop()
    async with replica(url, world, Path("/tmp"), lease=_LEASE, clock=ShiftedClock(clock)) as one:
        one.engine.register(GraphKind.TEST, TellingDriver(world, one.engine.checkpoints.saver))
        async with every((0.1, "beat", one.claims.beat), (0.1, "sweep", one.engine.sweep)):
            say("ready")
            while line := await loop.run_in_executor(None, sys.stdin.readline):
                await _launch(one, line.split())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3])))
