"""A process that writes numbered audit lines and tells which were taken; see the test beside it."""

import asyncio
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from backend.app.db.repositories.facts import StoredFact
from backend.app.providers.audit_log import AuditFile

FIRST_DAY = datetime(2026, 3, 10, 12, tzinfo=UTC)
BATCH = 25


@dataclass
class SharedClock:
    """A clock whose day is in a file, the same for all processes."""

    day: Path

    def now(self) -> datetime:
        return FIRST_DAY + timedelta(days=int(self.day.read_text()))

    def monotonic(self) -> float:
        return 0.0


async def write(folder: Path, writer: int, lines: int) -> None:
    """Write in batches; each number goes to a file of its own once its batch is taken."""
    audit = AuditFile(folder / "logs", SharedClock(folder / "day"))
    with (folder / f"taken.{writer}").open("a") as taken:
        for first in range(0, lines, BATCH):
            facts = [
                StoredFact(writer * 1_000_000 + number, FIRST_DAY, "test.happened", None, {})
                for number in range(first, first + BATCH)
            ]
            await audit.write(facts)
            taken.write("".join(f"{fact.id}\n" for fact in facts))
            taken.flush()


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
