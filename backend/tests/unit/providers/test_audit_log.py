"""The audit file as a file: whole lines only, whatever a crash, a disk or a clock does."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from backend.app.db.repositories.facts import StoredFact
from backend.app.providers.audit_log import AuditFile

REPOSITORY = Path(__file__).parents[4]
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


def fact(number: int) -> StoredFact:
    return StoredFact(id=number, at=NOON, kind="test.happened", actor_id=None, data={})


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
