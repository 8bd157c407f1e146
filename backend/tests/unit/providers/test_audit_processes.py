"""Many processes write one audit file over several days, and one of them is killed (F-L03)."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).parents[4]
WRITERS, LINES, ROLLOVERS = 4, 5000, 3
DAYS = [f".2026-03-{10 + day}" for day in range(ROLLOVERS)]


def taken(folder: Path) -> list[int]:
    found: list[int] = []
    for path in folder.glob("taken.*"):
        text = path.read_text()
        found += [int(line) for line in text[: text.rfind("\n") + 1].splitlines()]
    return found


def wait_until_taken(folder: Path, number: int) -> None:
    until = time.monotonic() + 120
    while len(taken(folder)) < number:
        assert time.monotonic() < until
        time.sleep(0.01)


def wait_until_rotated(folder: Path, day: str) -> None:
    """Until somebody has written on the day after: its own file is closed then."""
    until = time.monotonic() + 120
    while not (folder / "logs" / f"helpdesk_agent_audit{day}.jsonl").exists():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_every_line_that_was_taken_stands_there_once(tmp_path: Path) -> None:
    (tmp_path / "day").write_text("0")
    writers = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "backend.tests.unit.providers.audit_writer"),
                *(str(tmp_path), str(number), str(LINES)),
            ],
            cwd=REPOSITORY,
        )
        for number in range(WRITERS)
    ]
    for day in range(1, ROLLOVERS + 1):
        wait_until_taken(tmp_path, day * WRITERS * LINES // (2 * ROLLOVERS + 2))
        fresh = tmp_path / "day.new"
        fresh.write_text(str(day))
        fresh.replace(tmp_path / "day")  # never half written
        wait_until_rotated(tmp_path, DAYS[day - 1])
        if day == 2:
            writers[0].send_signal(signal.SIGKILL)
    codes = [writer.wait(120) for writer in writers]

    assert codes == [-signal.SIGKILL, 0, 0, 0]
    files = sorted((tmp_path / "logs").glob("*.jsonl"))
    assert [path.stem.removeprefix("helpdesk_agent_audit") for path in files] == [*DAYS, ""]
    lines = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    counted = Counter(line["fact_id"] for line in lines)
    acknowledged = taken(tmp_path)
    assert len(acknowledged) >= (WRITERS - 1) * LINES
    assert [number for number in acknowledged if counted[number] != 1] == []
    assert set(counted.values()) == {1}  # nor twice of what was not acknowledged
