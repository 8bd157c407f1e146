"""The audit file: one JSON object per line, a file per day, kept for thirty days."""

import asyncio
import hashlib
import json
import os
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from backend.app.core.clock import Clock
from backend.app.db.repositories.facts import StoredFact

_NAME = "helpdesk_agent_audit"
_KEPT_DAYS = 30


def _hashed(user_id: object) -> str | None:
    return hashlib.sha256(str(user_id).encode()).hexdigest()[:16] if user_id else None


def line(fact: StoredFact) -> dict[str, Any]:
    """What is written of a fact; people appear as a hash."""
    data = {key: _hashed(value) if key == "user_id" else value for key, value in fact.data.items()}
    return {
        "at": fact.at.astimezone(UTC).isoformat(),
        "event": fact.kind,
        "fact_id": fact.id,
        "user_id_hash": _hashed(fact.actor_id),
        **data,
    }


@dataclass(frozen=True, slots=True)
class AuditFile:
    """Appends to ``helpdesk_agent_audit.jsonl`` in ``folder``; yesterday's lines move to a file
    with its date.

    Only one process appends at a time, since the reader's position in the database is locked
    meanwhile.
    """

    folder: Path
    clock: Clock

    @property
    def path(self) -> Path:
        """The file that is being written."""
        return self.folder / f"{_NAME}.jsonl"

    async def write(self, facts: list[StoredFact]) -> None:
        """Append and flush to disk; raises OSError when that fails, and then nothing counts as
        written.
        """
        await asyncio.to_thread(self._append, facts, self.clock.now().date())

    def _append(self, facts: list[StoredFact], today: date) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._rotate(today)
        with self.path.open("a", encoding="utf-8") as file:
            self.path.chmod(0o600)
            file.writelines(json.dumps(line(fact), ensure_ascii=True) + "\n" for fact in facts)
            file.flush()
            os.fsync(file.fileno())

    def _rotate(self, today: date) -> None:
        if not self.path.exists():
            return
        written = datetime.fromtimestamp(self.path.stat().st_mtime, UTC).date()
        if written < today:
            self.path.rename(self.folder / f"{_NAME}.{written.isoformat()}.jsonl")
        for old in self.folder.glob(f"{_NAME}.*.jsonl"):
            day = old.name.removeprefix(f"{_NAME}.").removesuffix(".jsonl")
            if day < (today - timedelta(days=_KEPT_DAYS)).isoformat():
                old.unlink()
