"""A small graph and replicas of the engine over one database."""

import asyncio
import operator
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, TypedDict
from uuid import uuid4

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Durability, RetryPolicy, interrupt

from backend.app.core.clock import Clock, SystemClock
from backend.app.core.errors import Unavailable
from backend.app.core.settings import CheckpointSettings, RunSettings
from backend.app.core.tasks import Tasks
from backend.app.db.engine import create_engine
from backend.app.db.notify import Bell
from backend.app.db.uow import UnitOfWork, Work, unit_of_work
from backend.app.domain.runs import NOTIFY_CHANNEL, Claim, GraphKind, OwnerId, Telling, ThreadId
from backend.app.services.runs.checkpoint import Checkpoints, checkpoints
from backend.app.services.runs.claims import Claims
from backend.app.services.runs.control import RunControls
from backend.app.services.runs.driving import Settled
from backend.app.services.runs.endings import Ending, Paused
from backend.app.services.runs.engine import RunEngine
from backend.app.services.runs.events import RunEvents
from backend.tests.support.plugin import settings_for

ALLOWANCE = timedelta(seconds=30)
#: Short, so that a test need not wait long for one to lapse; seconds.
LEASE = 1.0
#: How long a run of the rig may go on past its allowance; seconds.
GRACE = 0.5


class State(TypedDict, total=False):
    log: Annotated[list[str], operator.add]


@dataclass
class World:
    """What the graph's nodes meet and do, shared by all replicas."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    working: asyncio.Event = field(default_factory=asyncio.Event)
    effects: list[str] = field(default_factory=list)
    works: int = 0
    at_work: int = 0
    fault: Exception | None = None
    told_fault: Exception | None = None
    settle_fault: Exception | None = None

    async def work(self, _state: State) -> dict[str, Any]:
        self.works += 1
        self.at_work += 1
        try:
            get_stream_writer()({"kind": "step", "n": self.works})
            self.working.set()
            if self.fault is not None:
                raise self.fault
            await self.gate.wait()
            return {"log": ["worked"]}
        finally:
            self.at_work -= 1

    async def ask(self, _state: State) -> dict[str, Any]:
        answer = interrupt({"question": "file?"})
        return {"log": [answer["reply"]]}

    async def effect(self, state: State) -> dict[str, Any]:
        self.effects.append(state["log"][-1])
        return {"log": ["done"]}


class TestDriver:
    """Keeps how each run ended."""

    __test__ = False
    durability: Durability = "sync"
    tells_at_once = True

    def __init__(self, world: World, saver: Any) -> None:
        graph: Any = StateGraph(State)
        # The default policy: it tries most errors again.
        graph.add_node(
            "work", world.work, retry_policy=RetryPolicy(initial_interval=0.01, jitter=False)
        )
        graph.add_node("ask", world.ask)
        graph.add_node("effect", world.effect)
        graph.add_edge(START, "work")
        graph.add_edge("work", "ask")
        graph.add_edge("ask", "effect")
        graph.add_edge("effect", END)
        self.graph = graph.compile(checkpointer=saver)
        self.world = world
        self.settled: list[Ending] = []
        self.contexts: list[object] = []
        self.unreadable: set[ThreadId] = set()
        self.given: object = None
        self.at_work_then: list[int] = []

    def context(self, _claim: Claim, _prepared: Any) -> object:
        return None

    def is_urgent(self, _told: object) -> bool:
        return self.tells_at_once

    def watch(self, _context: Any, _switched: Mapping[str, bool]) -> None:
        if self.world.told_fault is not None:
            raise self.world.told_fault

    async def again(self, claim: Claim) -> tuple[object, Any]:
        if claim.thread_id in self.unreadable:
            raise Unavailable
        return self.given, None

    def telling(self, _context: Any, told: Sequence[Any]) -> Telling:
        return Telling(tuple((one["kind"], {"n": one["n"]}) for one in told))

    def is_kept(self, _told: object) -> bool:
        return False

    async def keep(self, _work: Work, _context: Any, _told: Sequence[Any]) -> None:
        """It keeps nothing of its own."""

    async def settle(self, _work: Work, _claim: Claim, context: Any, ending: Ending) -> Settled:
        if self.world.settle_fault is not None:
            raise self.world.settle_fault
        self.settled.append(ending)
        self.contexts.append(context)
        self.at_work_then.append(self.world.at_work)
        return Settled(False, Telling((("end", {"as": type(ending).__name__}),)))


@dataclass
class Replica:
    """One process's worth of the engine."""

    uow: UnitOfWork
    claims: Claims
    engine: RunEngine
    events: RunEvents
    controls: RunControls
    driver: TestDriver
    bell: Bell

    async def new(self, *, allowance: timedelta = ALLOWANCE) -> ThreadId:
        thread_id = ThreadId(uuid4())
        async with self.uow() as work:
            await work.runs.add(thread_id, GraphKind.TEST, allowance=allowance)
        return thread_id

    async def take(self, thread_id: ThreadId) -> Claim:
        async with self.uow() as work:
            return await self.claims.take(work, thread_id)

    async def run(self, thread_id: ThreadId, given: object) -> Ending:
        return await self.engine.launch(await self.take(thread_id), given)

    async def to_question(self, world: World) -> tuple[ThreadId, str]:
        world.gate.set()
        thread_id = await self.new()
        ending = await self.run(thread_id, {"log": []})
        assert isinstance(ending, Paused)
        return thread_id, ending.interrupts[0].id


def answer(question_id: str, reply: str) -> Command[Any]:
    return Command(resume={question_id: {"reply": reply}})


class ShiftedClock(SystemClock):
    """A clock that is ``seconds`` ahead; behind, when they are negative."""

    def __init__(self, seconds: float) -> None:
        self.shift = timedelta(seconds=seconds)

    def now(self) -> datetime:
        return super().now() + self.shift


@asynccontextmanager
async def replica(
    url: str,
    world: World,
    logs: Any,
    *,
    made: Checkpoints | None = None,
    lease: float = LEASE,
    clock: Clock | None = None,
    bell: Bell | None = None,
) -> AsyncIterator[Replica]:
    """An engine of its own; ``made``: checkpoints other than the database's; ``lease``: seconds."""
    settings = settings_for(url, logs)
    runs = RunSettings(
        lease_seconds=lease, heartbeat_seconds=0.1, sweep_seconds=0.1, grace_seconds=GRACE
    )
    engine = create_engine(settings.database)
    async with AsyncExitStack() as held:
        held.push_async_callback(engine.dispose)
        kept = made
        if kept is None:
            kept = await held.enter_async_context(checkpoints(CheckpointSettings(), url))
        uow = unit_of_work(engine)
        bell = bell or Bell(url, NOTIFY_CHANNEL)
        await held.enter_async_context(bell.listening())
        claims = Claims(uow, clock or SystemClock(), runs, OwnerId(uuid4()))
        tasks = Tasks()
        run_engine = RunEngine(uow, claims, kept, tasks, bell, runs)
        driver = TestDriver(world, kept.saver)
        run_engine.register(GraphKind.TEST, driver)
        yield Replica(
            uow,
            claims,
            run_engine,
            RunEvents(uow, bell),
            RunControls(uow, claims, bell, runs),
            driver,
            bell,
        )
        await tasks.drain(1)
