"""Claims of this process: taken, kept alive by a heartbeat, given up before they lapse."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from backend.app.core.clock import Clock
from backend.app.core.errors import AppError, Conflict
from backend.app.core.logging import get_logger
from backend.app.core.settings import RunSettings
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain.runs import (
    AbortReason,
    Claim,
    GraphKind,
    Heartbeat,
    OwnerId,
    ThreadId,
)


class RunInProgress(Conflict):
    """This is being worked on already."""

    retry_after = timedelta(seconds=1)


@dataclass(slots=True, eq=False)
class Held:
    """A claim that this process drives: the task that does, and why it was stopped.

    ``task`` is there while the graph runs; a run that is being settled is stopped no more.
    ``context`` is the run's, made from ``prepared``; ``untold`` is what its nodes told and is not
    stored yet, and ``begun`` its checkpoint, when that is stored with its ending.
    """

    claim: Claim
    prepared: Any = None
    context: Any = None
    begun: Any = None
    untold: list[object] = field(default_factory=list)
    task: asyncio.Task[Any] | None = None
    reason: AbortReason | None = None
    is_lost: bool = False

    def end(self, reason: AbortReason | None, *, lost: bool = False) -> None:
        """Stop the run once; the first reason stays."""
        if self.task is not None and self.reason is None and not self.is_lost:
            self.reason, self.is_lost = reason, lost
            self.task.cancel()


@dataclass(slots=True)
class Claims:
    """The claims of one process. ``owner`` is this process, anew at every start."""

    uow: UnitOfWork
    clock: Clock
    settings: RunSettings
    owner: OwnerId
    _held: dict[ThreadId, Held] = field(default_factory=dict)
    _renewed_at: float = 0.0

    async def take(self, work: Work, thread_id: ThreadId) -> Claim:
        """The claim on a thread, in the caller's transaction.

        Raises:
            RunInProgress: somebody drives it, or a sweep is about to go on with it.
        """
        claim = await work.runs.take(thread_id, self.owner, lease=self.settings.lease)
        if claim is None:
            raise RunInProgress
        return claim

    def first(self, thread_id: ThreadId, kind: GraphKind, *, allowance: timedelta) -> Claim:
        """The claim on a thread that is to be stored with it."""
        return Claim(thread_id, kind, self.owner, epoch=1, attempt=1, allowance=allowance)

    def keep(self, held: Held) -> None:
        """Keep a claim alive from now on."""
        if not self._held:
            self._renewed_at = self.clock.monotonic()
        self._held[held.claim.thread_id] = held

    def forget(self, held: Held) -> None:
        """Keep a claim alive no longer."""
        if self._held.get(held.claim.thread_id) is held:
            del self._held[held.claim.thread_id]

    @property
    def held(self) -> list[Held]:
        """What this process drives just now."""
        return list(self._held.values())

    def stop(self, thread_id: ThreadId, reason: AbortReason) -> bool:
        """Stop a run of this process; False when it drives no such run."""
        held = self._held.get(thread_id)
        if held is None:
            return False
        held.end(reason)
        return True

    async def beat(self) -> None:
        """Renew every claim; what is lost or to be aborted is stopped.

        When the database does not answer, all runs are stopped before their leases lapse, by this
        process's own clock: nobody else could know that they still go on.
        """
        if not self._held:
            return
        began = self.clock.monotonic()
        judged = self.held  # a claim taken while the question is under way is none of its answer
        try:
            async with asyncio.timeout(self.settings.lease_seconds / 3), self.uow() as work:
                driven = [held.claim.thread_id for held in judged]
                beats = await work.runs.renew(self.owner, driven, lease=self.settings.lease)
        except (AppError, TimeoutError) as error:
            get_logger("claims").warning("heartbeat_failed", error=type(error).__name__)
            if began - self._renewed_at > self.settings.lease_seconds / 2:
                self._lose(judged)
            return
        self._renewed_at = began
        self._heed(judged, {beat.thread_id: beat for beat in beats})

    def _heed(self, judged: list[Held], beats: dict[ThreadId, Heartbeat]) -> None:
        for held in judged:
            beat = beats.get(held.claim.thread_id)
            if beat is None or beat.epoch != held.claim.epoch:
                self._lose([held])
            elif beat.abort_reason is not None:
                held.end(beat.abort_reason)

    def _lose(self, lost: list[Held]) -> None:
        for held in lost:
            held.end(None, lost=True)
