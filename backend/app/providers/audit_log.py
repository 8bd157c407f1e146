"""The audit file: one JSON object per line, a file per day, kept for thirty days."""

import asyncio
import io
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from backend.app.core.clock import Clock
from backend.app.db.repositories.facts import StoredFact
from backend.app.domain.principals import user_id_hash

_NAME = "helpdesk_agent_audit"
_KEPT_DAYS = 30
_BLOCK_BYTES = 65_536


def _hashed(user_id: object) -> str | None:
    return user_id_hash(user_id) if user_id else None


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
        """Append whole lines and flush them to disk.

        Raises:
            OSError: that fails; the file is as it was, and nothing counts as written.
        """
        await asyncio.to_thread(self._append, facts, self.clock.now().date())

    def _append(self, facts: list[StoredFact], today: date) -> None:
        lines = "".join(json.dumps(line(fact), ensure_ascii=True) + "\n" for fact in facts)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._rotate(today)
        with _open(self.path) as file:
            size = _cut_half_line(file)
            try:
                _write_all(file, lines.encode("ascii"))
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):  # a half line that stays is cut at the next write
                    file.truncate(size)
                raise

    def _rotate(self, today: date) -> None:
        if not self.path.exists():
            return
        written = datetime.fromtimestamp(self.path.stat().st_mtime, UTC).date()
        if written < today:
            with _open(self.path) as file:
                _cut_half_line(file)
            self.path.rename(self._free_name(written))
        for old in self.folder.glob(f"{_NAME}.*.jsonl"):
            day = old.name.removeprefix(f"{_NAME}.")[: len("2000-01-01")]
            if day < (today - timedelta(days=_KEPT_DAYS)).isoformat():
                old.unlink()

    def _free_name(self, day: date) -> Path:
        """A file for a past day. There already is one when the clock was set back."""
        path = self.folder / f"{_NAME}.{day.isoformat()}.jsonl"
        number = 1
        while path.exists():
            number += 1
            path = self.folder / f"{_NAME}.{day.isoformat()}.{number}.jsonl"
        return path


def _open(path: Path) -> io.FileIO:
    # Without a buffer, which would try once more at closing what had failed before.
    file = io.FileIO(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+")
    os.fchmod(file.fileno(), 0o600)
    return file


def _cut_half_line(file: io.FileIO) -> int:
    """Drop what a killed process or a full disk left of a line, and go to the end; where that is.

    Nothing is lost: facts count as written after their last byte only, so these come again.
    """
    end = file.seek(0, os.SEEK_END)
    size = end
    while size > 0:
        start = max(0, size - _BLOCK_BYTES)
        file.seek(start)
        newline = file.read(size - start).rfind(b"\n")
        if newline >= 0:
            size = start + newline + 1
            break
        size = start
    if size != end:
        file.truncate(size)
    return file.seek(size)


def _write_all(file: io.FileIO, text: bytes) -> None:
    rest = memoryview(text)
    while rest:
        rest = rest[file.write(rest) :]
