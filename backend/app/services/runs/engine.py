"""Driving a graph for a thread: under a claim, in a task of its own, to a pause or an end.

Whoever launches a run may wait for it or not; the run belongs to the thread. It ends in exactly one
of the endings below, which is settled, together with giving the claim back, in one transaction.
A run whose claim is lost settles nothing: whoever took it over does."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from langgraph.errors import EmptyInputError, GraphDrained
from langgraph.runtime import RunControl

from backend.app.core.errors import AppError
from backend.app.core.logging import described, get_logger
from backend.app.core.settings import RunSettings
from backend.app.core.tasks import Tasks
from backend.app.db.notify import Bell
from backend.app.db.repositories.checkpoints import NOTHING_KEPT, Kept
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain.runs import NOTHING, AbortReason, Claim, GraphKind, Telling, ThreadId
from backend.app.services.runs.checkpoint import Checkpoints
from backend.app.services.runs.claims import Claims, Held
from backend.app.services.runs.driving import Driver
from backend.app.services.runs.endings import (
    Ending,
    Failed,
    Finished,
    Handed,
    LaterCheckpointUnseen,
    Paused,
    RunStopped,
    Stopped,
    stop_within,
)
from backend.app.services.runs.fitness import ClockBehind, reach
from backend.app.services.runs.saver import Begun, ClaimLost, config_of, made_at

#: A thread that is saved at its pauses gains one checkpoint with each.
_RUNS_BETWEEN_PRUNES = 4


def _to_keep(held: Held, ending: Ending) -> Kept:
    """Of a run that ended otherwise, nothing: nobody goes on from there."""
    is_kept = isinstance(held.begun, Begun) and isinstance(ending, (Paused, Finished))
    return held.begun if is_kept else NOTHING_KEPT


@dataclass(slots=True)
class RunEngine:
    """Launches runs, keeps them alive, takes over those of dead processes, and drains."""

    uow: UnitOfWork
    claims: Claims
    checkpoints: Checkpoints
    tasks: Tasks
    bell: Bell
    settings: RunSettings
    drivers: dict[GraphKind, Driver] = field(default_factory=dict)
    is_draining: bool = False
    _driving: asyncio.Semaphore = field(init=False)
    _controls: dict[ThreadId, RunControl] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Beyond this many each run would only wait longer for processor and database.
        self._driving = asyncio.Semaphore(self.settings.at_once)

    def register(self, kind: GraphKind, driver: Driver) -> None:
        """Make a graph known, so that its orphaned runs can be gone on with."""
        self.drivers[kind] = driver

    def launch(self, claim: Claim, given: object, prepared: Any = None) -> Awaitable[Ending]:
        """Begin a run under a claim that is committed.

        Args:
            claim: taken by `Claims.take`.
            given: the graph's first input, a ``Command`` with an answer by id, or None to go on.
            prepared: what the driver makes the run's context from.

        Returns:
            What to wait for. A waiter that goes away changes nothing.
        """
        held = Held(claim, prepared=prepared)
        held.task = self.tasks.start(self._run(held, given))
        self.claims.keep(held)
        waited = asyncio.shield(held.task)
        # Seen: nobody may be waiting, as after a sweep.
        waited.add_done_callback(lambda done: done.cancelled() or done.exception())
        return waited

    async def _run(self, held: Held, given: object) -> Ending:
        try:
            ending = await self._drive(held, given)
            held.task = None
            return await self._settled(held, ending)
        finally:
            self.claims.forget(held)

    async def _drive(self, held: Held, given: object) -> Ending:
        claim = held.claim
        driver = self.drivers[claim.kind]
        control = RunControl()
        if driver.durability == "sync":  # others would begin again from their last pause
            self._controls[claim.thread_id] = control
        # By its allowance a graph decides when to ask no more; the grace is for ending well.
        limit = asyncio.timeout(claim.allowance.total_seconds() + self.settings.grace_seconds)
        try:
            async with self._turn(claim):
                await self._begin_from(held, driver)
                async with limit:
                    last = await self._stream(held, given, control)
                if driver.durability == "sync":
                    return await self._where_it_stands(driver, claim)
                if claim.epoch % _RUNS_BETWEEN_PRUNES == 0:
                    await self.checkpoints.prune(claim.thread_id)
                return last
        except asyncio.CancelledError:
            return self._cancelled(held)
        except (GraphDrained, ClockBehind):
            # Behind: another replica's clock may do, or this one's in a moment.
            await self._leave(held)
            return Handed()
        except ClaimLost:
            return Handed()
        except EmptyInputError:
            # Its process died before the first checkpoint: there is nothing to go on with.
            return Stopped(AbortReason.SERVER_RESTART)
        except Exception as error:  # noqa: BLE001 -- one of the named places
            # The supervisor of runs: whatever a graph raises is an ending, and is settled as one.
            stop = stop_within(error)
            if stop is not None:
                return Stopped(stop.reason)
            if limit.expired():
                return Stopped(AbortReason.BUDGET_EXHAUSTED)
            get_logger("runs").error("run_failed", **described(error))
            return Failed(error)
        finally:
            if self._controls.get(claim.thread_id) is control:
                del self._controls[claim.thread_id]

    async def _begin_from(self, held: Held, driver: Driver) -> None:
        """Load what a run begins from, once its clock is past that."""
        claim, is_new = held.claim, held.claim.epoch <= 1
        if driver.durability == "exit" and self.checkpoints.are_transactional:
            first = None
            if not is_new:
                async with self.uow(each=True) as work:
                    first = await self.checkpoints.latest(work, claim.thread_id)
            held.begun = Begun(first=first)
            head = made_at(first.checkpoint["id"]) if first else None
        else:
            head = None if is_new else await self.checkpoints.head(claim.thread_id)
        await reach(head, self.claims.clock)

    @asynccontextmanager
    async def _turn(self, claim: Claim) -> AsyncIterator[None]:
        """One of the runs that this process drives at the same time; waiting is no active time."""
        waits = self._driving.locked()
        async with self._driving:
            if waits:
                async with self.uow() as work:
                    await work.runs.count_from_now(claim)
            yield

    def _cancelled(self, held: Held) -> Ending:
        """What a cancellation meant; LangGraph loses its message, so the reason is kept apart."""
        task = asyncio.current_task()
        if held.is_lost:
            ending: Ending = Handed()
        elif held.reason is not None:
            ending = Stopped(held.reason)
        else:
            raise asyncio.CancelledError  # the process is going down; the sweep of another goes on
        if task is not None:
            task.uncancel()  # so that the ending can still be settled
        return ending

    async def _stream(self, held: Held, given: object, control: RunControl) -> Ending:
        claim, driver = held.claim, self.drivers[held.claim.kind]
        held.context = driver.context(claim, held.prepared)
        stream = driver.graph.astream(
            given,
            config_of(claim, held.begun),
            context=held.context,
            stream_mode=["custom", "values"],
            durability=driver.durability,
            control=control,
            version="v2",
        )
        last: Any = {"data": {}, "interrupts": ()}
        async with aclosing(stream) as parts:  # type: ignore[type-var]
            async for part in parts:
                if part["type"] == "values":
                    last = part
                    if last["interrupts"] and held.untold and held.begun is None:
                        # Before the pause is saved: whoever goes on from there tells it no more.
                        await self._record(held, driver)
                    continue
                held.untold.append(part["data"])
                if driver.is_urgent(part["data"]):
                    await self._record(held, driver)
        if last["interrupts"]:
            return Paused(tuple(last["interrupts"]), last["data"])
        return Finished(last["data"])

    async def _record(self, held: Held, driver: Driver) -> None:
        # A statement alone commits by itself; with rows of the graph's own, all or nothing.
        async with self.uow(each=not any(map(driver.is_kept, held.untold))) as work:
            switched = await work.runs.tell(held.claim, await self._untold(work, held))
        if switched is None:
            raise ClaimLost
        held.untold.clear()
        self.bell.ring(str(held.claim.thread_id))
        driver.watch(held.context, switched)

    async def _where_it_stands(self, driver: Driver, claim: Claim) -> Ending:
        """Of a thread whose steps were saved one by one: read back, since a clock that was set back
        would hide what was saved last.
        """
        state = await driver.graph.aget_state(config_of(claim))
        if state.next and not state.interrupts:
            return Failed(LaterCheckpointUnseen())
        await self.checkpoints.prune(claim.thread_id)  # while the claim keeps others away
        if state.interrupts:
            return Paused(tuple(state.interrupts), state.values)
        return Finished(state.values)

    async def _settled(self, held: Held, ending: Ending) -> Ending:
        claim, driver = held.claim, self.drivers[held.claim.kind]
        if isinstance(ending, Handed):
            return ending
        kept = _to_keep(held, ending)
        async with self.uow() as work:
            if not await work.runs.hold(claim):
                self.checkpoints.refused(kept)
                return Handed()
            untold = await self._untold(work, held)
            settled = await driver.settle(work, claim, held.context, ending)
            is_over, telling = settled.is_over, untold + settled.telling
            forgets = is_over and self.checkpoints.are_transactional
            with self.checkpoints.given_back(kept, forgets=forgets):
                await work.runs.release(claim, telling, kept=kept, forgets=forgets)
        self.bell.ring(str(claim.thread_id))
        if is_over and not self.checkpoints.are_transactional:
            await self.checkpoints.forget(claim.thread_id)
        return ending

    async def _untold(self, work: Work, held: Held) -> Telling:
        if not held.untold:
            return NOTHING
        driver = self.drivers[held.claim.kind]
        await driver.keep(work, held.context, held.untold)
        return driver.telling(held.context, held.untold)

    @property
    def can_conclude(self) -> bool:
        """Whether threads can be concluded; else they are to be driven to their end."""
        return self.checkpoints.are_transactional

    async def conclude(self, work: Work, claim: Claim, telling: Telling) -> None:
        """Give back the claim of a thread that is over, undriven, and forget it, in the caller's
        transaction.
        """
        with self.checkpoints.given_back(forgets=True):
            await work.runs.release(claim, telling, forgets=True)

    async def _leave(self, held: Held) -> None:
        """Let another process go on with a run, from where it is saved."""
        claim = held.claim
        async with self.uow() as work:
            if held.untold:
                await work.runs.tell(claim, await self._untold(work, held), is_final=True)
            await work.runs.lapse(claim)

    async def sweep(self) -> None:
        """Go on with runs whose process has died, or end those that were begun often enough."""
        if self.is_draining:
            return
        async with self.uow() as work:
            orphans = await work.runs.take_orphans(
                self.claims.owner, lease=self.settings.lease, limit=20
            )
        for claim, asked in orphans:
            if claim.kind not in self.drivers:
                continue  # its lease lapses again; another replica may know the graph
            try:
                if asked is None and claim.attempt <= 1 + self.settings.takeovers:
                    await self._go_on(claim)
                else:
                    await self.end(claim, asked or AbortReason.SERVER_RESTART)
            except Exception as error:  # noqa: BLE001 -- one of the named places
                # One orphan that cannot be dealt with now must not cost the others an attempt; it
                # is left for the next sweep, of whichever process.
                get_logger("runs").warning("orphan_left", **described(error))
                with suppress(AppError):
                    await self._leave(Held(claim))

    async def _go_on(self, claim: Claim) -> None:
        try:
            given, prepared = await self.drivers[claim.kind].again(claim)
        except RunStopped as stop:
            await self.end(claim, stop.reason)
        else:
            self.launch(claim, given, prepared)

    async def end(self, claim: Claim, reason: AbortReason) -> None:
        """Settle a thread as stopped without driving it."""
        get_logger("runs").info("run_ended", reason=reason.value, attempt=claim.attempt)
        await self._settled(Held(claim), Stopped(reason))

    async def drain(self, within_seconds: float) -> None:
        """Let runs come to a pause, or stop them at their next step if they are saved there, and
        leave what remains to another process.
        """
        self.is_draining = True
        for control in self._controls.values():
            control.request_drain()
        await self.tasks.drain(within_seconds)
