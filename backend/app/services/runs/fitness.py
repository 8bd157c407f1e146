"""Whether this process may drive runs: by its clock, and by who else drives some.

LangGraph takes a thread's latest checkpoint to be the one with the highest id, and an id is the
wall clock of the process that wrote it. A process whose clock is behind would write checkpoints
that sort before the ones it went on from: what it did would be done, and be invisible.
"""

import asyncio
from datetime import datetime, timedelta

from backend.app.core.clock import Clock
from backend.app.core.errors import Unavailable
from backend.app.core.settings import CheckpointBackend, RunSettings
from backend.app.db.uow import UnitOfWork
from backend.app.domain.runs import OwnerId

#: So far behind, a run waits until its clock has caught up; further behind, it is left to another.
_WAIT = timedelta(seconds=2)
_MEASUREMENTS = 3


class ClocksDiffer(Unavailable):
    """This machine's clock and the database's differ too much to drive runs."""


class ClockBehind(Exception):
    """The thread was last worked on by a process whose clock is ahead of this one's."""


class CheckpointsNotShared(Unavailable):
    """Another process drives runs, and this one's checkpoints are its own."""


async def _skew(uow: UnitOfWork, clock: Clock) -> timedelta:
    """How far this process's clock is ahead of the database's, by the quickest of a few answers."""
    measured = []
    async with uow() as work:
        for _ in range(_MEASUREMENTS):
            began = clock.monotonic()
            theirs = await work.runs.clock()
            ours = clock.now()
            took = clock.monotonic() - began
            measured.append((took, ours - timedelta(seconds=took / 2) - theirs))
    return min(measured)[1]


async def refuse_if_clocks_differ(uow: UnitOfWork, clock: Clock, settings: RunSettings) -> None:
    """Raise `ClocksDiffer` when this process's clock is too far from the database's."""
    skew = (await _skew(uow, clock)).total_seconds()
    if abs(skew) > settings.max_clock_skew_seconds:
        raise ClocksDiffer(
            f"This machine's clock is {abs(skew):.1f} s {'ahead of' if skew > 0 else 'behind'} the "
            f"database's, and at most {settings.max_clock_skew_seconds:g} s are allowed "
            "(HELPDESK_RUN_MAX_CLOCK_SKEW_SECONDS): checkpoints are ordered by it. Let NTP set the "
            "clocks of both machines, then start again."
        )


async def refuse_unless_fit(
    uow: UnitOfWork,
    clock: Clock,
    settings: RunSettings,
    backend: CheckpointBackend,
    owner: OwnerId,
) -> None:
    """At start: refuse to drive runs where they could come to harm.

    Raises:
        ClocksDiffer: checkpoints are in PostgreSQL, and the clocks are too far apart.
        CheckpointsNotShared: they are not, and another process drives runs just now. One that
            happens to be idle cannot be seen.
    """
    if backend is CheckpointBackend.POSTGRES:
        await refuse_if_clocks_differ(uow, clock, settings)
        return
    async with uow() as work:
        shared = await work.runs.others_drive(owner)
    if shared:
        raise CheckpointsNotShared(
            f"Another process drives runs on this database, and checkpoints in {backend.value} "
            "serve one process only. Stop the other one (after a crash, wait until its lease has "
            "lapsed), or set HELPDESK_AGENT_CHECKPOINT_BACKEND=postgres on both."
        )


async def reach(head: datetime | None, clock: Clock) -> None:
    """Wait until this process's clock is past a thread's latest checkpoint.

    Raises:
        ClockBehind: that would take too long.
    """
    if head is None:
        return
    behind = head - clock.now()
    if behind > _WAIT:
        raise ClockBehind
    if behind > timedelta(0):
        await asyncio.sleep(behind.total_seconds() + 0.001)  # a timer may be a little early
