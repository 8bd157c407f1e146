"""The audit file as a file: whole lines only, whatever a crash, a disk or a clock does."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from backend.app.db.repositories.facts import StoredFact
from backend.app.providers.audit_log import AuditFile

REPOSITORY = Path(__file__).parents[4]
SESSION, OTHER = "0e0c7a10-0000-4000-8000-000000000001", "0e0c7a10-0000-4000-8000-000000000002"
NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)

# Writes one fact, then, where a file may have 1000 bytes, a great many.
FILLER = """
import asyncio, resource, sys
from pathlib import Path
from backend.tests.unit.providers.test_audit_log import NOON, StandingClock, fact
from backend.app.providers.audit_log import AuditFile

audit = AuditFile(Path(sys.argv[1]), StandingClock(NOON))
asyncio.run(audit.write([fact(1)]))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    asyncio.run(audit.write([fact(number) for number in range(2, 50)]))
except OSError:
    print("refused")
"""


@dataclass
class StandingClock:
    """A clock that stands where it is put."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return 0.0


def fact(number: int, **data: object) -> StoredFact:
    return StoredFact(id=number, at=NOON, kind="test.happened", actor_id=None, data=data)


def ids(path: Path) -> list[int]:
    return [json.loads(line)["fact_id"] for line in path.read_text().splitlines()]


@pytest.fixture
def audit(tmp_path: Path) -> AuditFile:
    return AuditFile(tmp_path, StandingClock(datetime.now(UTC)))


@pytest.mark.parametrize("half", ['{"at": "20', "x" * 200_000, '{"fact_id": 9}'])
@pytest.mark.parametrize("whole_before", [0, 2])
async def test_a_half_line_does_not_swallow_the_next(
    audit: AuditFile, half: str, whole_before: int
) -> None:
    await audit.write([fact(number) for number in range(whole_before)])
    with audit.path.open("a") as file:
        file.write(half)
    await audit.write([fact(7), fact(8)])

    assert ids(audit.path) == [*range(whole_before), 7, 8]


async def test_a_half_line_of_yesterday_is_not_kept(audit: AuditFile) -> None:
    await audit.write([fact(1)])
    with audit.path.open("a") as file:
        file.write('{"at": "20')
    os.utime(audit.path, (NOON.timestamp(), NOON.timestamp()))
    audit.clock.moment = NOON + timedelta(days=1)  # type: ignore[attr-defined]
    await audit.write([fact(2)])

    assert ids(audit.folder / "helpdesk_agent_audit.2026-03-10.jsonl") == [1]
    assert ids(audit.path) == [2]


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILLER, str(tmp_path)],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stdout == "refused\n"
    assert ids(tmp_path / "helpdesk_agent_audit.jsonl") == [1]
    assert (tmp_path / "helpdesk_agent_audit.jsonl").read_bytes().endswith(b"\n")


async def test_a_day_that_comes_twice_keeps_both_files(audit: AuditFile) -> None:
    for number in (1, 2, 3):
        audit.clock.moment = NOON  # type: ignore[attr-defined]
        await audit.write([fact(number)])
        os.utime(audit.path, (NOON.timestamp(), NOON.timestamp()))
        audit.clock.moment = NOON + timedelta(days=1)  # type: ignore[attr-defined]
        await audit.write([fact(number + 10)])
        os.utime(audit.path, (NOON.timestamp(), NOON.timestamp()))

    kept = sorted(audit.folder.glob("*.2026-03-10*.jsonl"))
    assert len(kept) == 3
    found = sorted(number for path in [*kept, audit.path] for number in ids(path))
    assert found == [1, 2, 3, 11, 12, 13]
    audit.clock.moment = NOON + timedelta(days=40)  # type: ignore[attr-defined]
    await audit.write([fact(20)])
    assert len(list(audit.folder.glob("*.jsonl"))) == 1


async def test_a_batch_that_is_written_again_after_a_crash_stands_there_once(
    audit: AuditFile,
) -> None:
    audit.clock.moment = NOON  # type: ignore[attr-defined]
    await audit.write([fact(number) for number in range(5)])
    with audit.path.open("a") as file:
        file.write('{"at": "20')
    await audit.write([fact(number) for number in range(3, 8)])
    audit.clock.moment = NOON + timedelta(days=1)  # type: ignore[attr-defined]
    await audit.write([fact(number) for number in range(7, 9)])  # and over a day's end

    old = audit.folder / "helpdesk_agent_audit.2026-03-10.jsonl"
    assert ids(old) == list(range(8))
    assert ids(audit.path) == [8]


async def test_every_line_carries_what_lines_are_brought_together_by(audit: AuditFile) -> None:
    await audit.write([fact(1), fact(2, agent_session_id=SESSION, state_version=1, tool="x")])
    first, second = (json.loads(line) for line in audit.path.read_text().splitlines())

    names = {"chat_session_id", "agent_session_id", "user_id_hash", "state_version"}
    assert {name: first[name] for name in names} == dict.fromkeys(names)
    assert second["agent_session_id"] == SESSION
    assert (second["state_version"], second["tool"]) == (1, "x")


async def test_days_are_put_away_also_when_nothing_is_written(audit: AuditFile) -> None:
    await audit.write([fact(1)])
    os.utime(audit.path, (NOON.timestamp(), NOON.timestamp()))
    audit.clock.moment = NOON + timedelta(days=1)  # type: ignore[attr-defined]
    await audit.tidy()
    assert [path.name for path in audit.folder.glob("*.jsonl")] == [
        "helpdesk_agent_audit.2026-03-10.jsonl"
    ]
    audit.clock.moment = NOON + timedelta(days=30)  # type: ignore[attr-defined]
    await audit.tidy()
    assert len(list(audit.folder.glob("*.jsonl"))) == 1
    audit.clock.moment = NOON + timedelta(days=31)  # type: ignore[attr-defined]
    await audit.tidy()
    assert list(audit.folder.glob("*.jsonl")) == []
    await AuditFile(audit.folder / "never made", audit.clock).tidy()


async def test_of_a_deleted_session_only_when_and_what_stays(audit: AuditFile) -> None:
    theirs = [
        fact(1, agent_session_id=SESSION, title_hash="abc"),
        fact(2, agent_session_id=OTHER),
        fact(3, other_id=SESSION),  # names it, and is not about it
    ]
    audit.clock.moment = NOON  # type: ignore[attr-defined]
    await audit.write(theirs)
    audit.clock.moment = NOON + timedelta(days=1)  # type: ignore[attr-defined]
    await audit.write([fact(4, agent_session_id=SESSION)])
    old = audit.folder / "helpdesk_agent_audit.2026-03-10.jsonl"
    rest = old.read_text().splitlines()[1:]

    assert await audit.tombstone([UUID(SESSION)]) == 2
    assert await audit.tombstone([UUID(SESSION)]) == 0
    assert await audit.tombstone([]) == 0

    left = json.loads(old.read_text().splitlines()[0])
    assert left == {
        "at": NOON.isoformat(), "event": "test.happened", "fact_id": 1, "redacted": True
    }  # fmt: skip
    assert old.read_text().splitlines()[1:] == rest
    assert json.loads(audit.path.read_text())["redacted"] is True
    assert old.stat().st_mtime == NOON.timestamp()
    assert old.stat().st_mode & 0o777 == 0o600
    await audit.write([fact(5)])
    assert ids(audit.path) == [4, 5]
