"""What keeps a process from driving runs: its clock, or checkpoints that others cannot see."""

import re
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from backend.app.bootstrap import Container
from backend.app.core.clock import SystemClock
from backend.app.core.errors import ErrorKind
from backend.app.core.settings import CheckpointBackend, RunSettings
from backend.app.domain.runs import OwnerId
from backend.app.services.runs.fitness import (
    CheckpointsNotShared,
    ClockBehind,
    ClocksDiffer,
    reach,
    refuse_unless_fit,
)
from backend.tests.integration.services.runs.rig import ShiftedClock, World, replica

_SETTINGS = RunSettings()
_OWNER = OwnerId(uuid4())
_LOCAL = [CheckpointBackend.SQLITE, CheckpointBackend.MEMORY]


async def test_a_start_with_the_databases_time_is_allowed(container: Container) -> None:
    await refuse_unless_fit(
        container.uow, SystemClock(), _SETTINGS, CheckpointBackend.POSTGRES, _OWNER
    )


@pytest.mark.parametrize(("seconds", "side"), [(-3, "behind"), (3, "ahead of")])
async def test_a_start_with_another_time_is_refused_and_told_what_to_do(
    container: Container, seconds: float, side: str
) -> None:
    clock = ShiftedClock(seconds)
    with pytest.raises(ClocksDiffer) as refused:
        await refuse_unless_fit(container.uow, clock, _SETTINGS, CheckpointBackend.POSTGRES, _OWNER)

    assert refused.value.kind is ErrorKind.UNAVAILABLE
    assert re.search(rf"clock is (2\.9|3\.[01]) s {side} the database's", refused.value.detail)
    assert "NTP" in refused.value.detail


@pytest.mark.parametrize("backend", _LOCAL)
async def test_checkpoints_of_one_process_need_no_common_time(
    container: Container, backend: CheckpointBackend
) -> None:
    await refuse_unless_fit(container.uow, ShiftedClock(60), _SETTINGS, backend, _OWNER)


@pytest.mark.parametrize("backend", _LOCAL)
async def test_checkpoints_of_one_process_are_refused_while_another_drives_runs(
    container: Container, database_url: str, tmp_path: Path, backend: CheckpointBackend
) -> None:
    async with replica(database_url, World(), tmp_path, lease=30) as other:
        claim = await other.take(await other.new())
        with pytest.raises(CheckpointsNotShared, match="HELPDESK_AGENT_CHECKPOINT_BACKEND"):
            await refuse_unless_fit(container.uow, SystemClock(), _SETTINGS, backend, _OWNER)
        own = other.claims.owner
        await refuse_unless_fit(container.uow, SystemClock(), _SETTINGS, backend, own)
        async with other.uow() as work:
            await work.runs.lapse(claim)
        await refuse_unless_fit(container.uow, SystemClock(), _SETTINGS, backend, _OWNER)


async def test_a_head_in_the_future_is_waited_for_but_not_for_long() -> None:
    clock = SystemClock()
    soon = clock.now() + timedelta(seconds=0.05)
    await reach(None, clock)
    await reach(soon, clock)

    assert clock.now() > soon
    with pytest.raises(ClockBehind):
        await reach(clock.now() + timedelta(seconds=5), clock)
