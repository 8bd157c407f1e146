"""A checkup goes on whatever one check does; settings and disks by themselves."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.app.core.errors import Unavailable
from backend.app.core.setting_names import known, misspelt
from backend.app.core.settings import (
    AgentSettings,
    CheckpointBackend,
    CheckpointSettings,
    ObservabilitySettings,
    RunSettings,
    ServerSettings,
    Settings,
)
from backend.app.domain.checkup import Finding, Mark, fail, ok
from backend.app.services.checkup.checks import Check, Checkup, has_failed
from backend.app.services.checkup.configuration import SettingChecks
from backend.app.services.checkup.storage import look_at_folder


def check(part: str, *found: Finding, error: Exception | None = None, db: bool = False) -> Check:
    async def look() -> Sequence[Finding]:
        if error is not None:
            raise error
        return found

    return Check(part, look, needs_database=db)


async def test_one_that_fails_or_hangs_leaves_the_others() -> None:
    async def hang() -> Sequence[Finding]:
        await asyncio.Event().wait()
        return []

    found = await Checkup(
        [
            Check("slow", hang),
            check("away", error=Unavailable("It is away.")),
            check("odd", error=ValueError("with a secret in it")),
            check("fine", ok("fine", "There.")),
        ],
        seconds=0.01,
    ).run()

    assert [one.mark for one in found] == [Mark.FAIL] * 3 + [Mark.OK]
    assert found[1].told == "It is away."
    assert "secret" not in found[2].told
    assert all(one.advice for one in found if one.mark is Mark.FAIL)
    assert has_failed(found)


@pytest.mark.parametrize("is_away", [True, False])
async def test_what_needs_the_database_is_asked_only_while_it_answers(is_away: bool) -> None:
    server = fail("database", "Away.", "Start it.") if is_away else ok("database", "There.")
    found = await Checkup(
        [check("database", server), check("schema", ok("schema", "Current."), db=True)]
    ).run()

    assert found[1].mark is (Mark.NOT_CHECKED if is_away else Mark.OK)
    assert has_failed(found) is is_away


def test_names_that_set_nothing_are_told_with_what_may_be_meant() -> None:
    found = misspelt(
        [
            *("HELPDESK_PORT", "helpdesk_port", "PATH", "DATABASE_HOST", "DATABASE_URI"),
            *("HELPDESK_AGENT_KILLSWITCH", "HELPDESK_FROBNICATE_EVERYTHING"),
        ]
    )

    assert found == {
        "DATABASE_URI": "DATABASE_URL",
        "HELPDESK_AGENT_KILLSWITCH": "HELPDESK_AGENT_KILL_SWITCH",
        "HELPDESK_FROBNICATE_EVERYTHING": None,
    }
    assert misspelt(known()) == {}


async def test_settings_that_do_not_go_together_are_told() -> None:
    doubtful = Settings(
        server=ServerSettings(host="0.0.0.0", insecure_http=True),
        runs=RunSettings(lease_seconds=2, heartbeat_seconds=1.5),
        checkpoints=CheckpointSettings(backend=CheckpointBackend.MEMORY),
        agent=AgentSettings(kill_switch=True),
        observability=ObservabilitySettings(metrics_token=SecretStr("short")),
    )
    found = await SettingChecks(doubtful, []).look()

    assert [one.mark for one in found] == [Mark.WARN] * 5
    assert not [one for one in found if "short" in one.told]
    assert [one.mark for one in await SettingChecks(Settings(), []).look()] == [Mark.OK]


@pytest.mark.parametrize(
    ("free", "mark"), [(10**8 - 1, Mark.FAIL), (10**9 - 1, Mark.WARN), (10**9, Mark.OK)]
)
def test_a_disk_that_fills_up_is_told_before_it_is_full(
    tmp_path: Path, free: int, mark: Mark
) -> None:
    assert look_at_folder("disk", tmp_path / "not" / "there", free=free).mark is mark
    assert list(tmp_path.iterdir()) == []
