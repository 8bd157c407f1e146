"""The audit file: one JSON object per line, a file per day, kept for thirty days."""

import asyncio
import fcntl
import io
import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from backend.app.core.clock import Clock
from backend.app.db.repositories.facts import StoredFact
from backend.app.domain.principals import user_id_hash

_NAME = "helpdesk_agent_audit"
_KEPT_DAYS = 30
_BLOCK_BYTES = 65_536
#: More than any line has: so far back in the file a batch that is written again would stand.
_LINE_BYTES = 4096
#: Stands on every line, with null where it does not apply: what lines are brought together by.
_CORRELATION = ("chat_session_id", "agent_session_id", "user_id_hash", "state_version")
#: What is left of a line whose session was deleted.
_LEFT = ("at", "event", "fact_id")


def _hashed(user_id: object) -> str | None:
    return user_id_hash(user_id) if user_id else None


def line(fact: StoredFact) -> dict[str, Any]:
    """What is written of a fact; people appear as a hash."""
    data = {key: _hashed(value) if key == "user_id" else value for key, value in fact.data.items()}
    told = {"user_id_hash": _hashed(fact.actor_id), **data}
    return {
        "at": fact.at.astimezone(UTC).isoformat(),
        "event": fact.kind,
        "fact_id": fact.id,
        **{name: told.pop(name, None) for name in _CORRELATION},
        **told,
    }


@dataclass(frozen=True, slots=True)
class AuditFile:
    """Appends to ``helpdesk_agent_audit.jsonl`` in ``folder``; yesterday's lines move to a file
    with its date.

    Any number of processes may write into one folder: each append, rotation and rewrite holds a
    lock on a file beside it, which the system takes back from a process that dies.
    """

    folder: Path
    clock: Clock

    @property
    def path(self) -> Path:
        """The file that is being written."""
        return self.folder / f"{_NAME}.jsonl"

    async def write(self, facts: list[StoredFact]) -> None:
        """Append whole lines and flush them to disk; those that stand at the end already, from a
        writer that died before it could say so, are not written twice.

        Raises:
            OSError: that fails; the file is as it was, and nothing counts as written.
        """
        await asyncio.to_thread(self._append, facts)

    async def tidy(self) -> None:
        """Give a past day's file its date, and remove what is older than is kept, also on days on
        which nothing is written.

        Raises:
            OSError: the disk refuses.
        """
        if self.folder.exists():
            await asyncio.to_thread(self._tidy)

    async def tombstone(self, agent_session_ids: Collection[UUID]) -> int:
        """Leave of these sessions' lines only when what kind of thing happened; how many there
        were.

        Raises:
            OSError: the disk refuses; each file is as it was, or whole and rewritten.
        """
        wanted = {str(one) for one in agent_session_ids}
        if not wanted or not self.folder.exists():
            return 0
        return await asyncio.to_thread(self._tombstone, wanted)

    def _append(self, facts: list[StoredFact]) -> None:
        lines = [json.dumps(line(fact), ensure_ascii=True) + "\n" for fact in facts]
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._locked():
            # Only now: a day may have passed while others wrote, and theirs must keep its own.
            now = self.clock.now()
            there = self._last_lines(len(lines))
            self._rotate(now.date())
            with _open(self.path) as file:
                size = _cut_half_line(file)
                text = "".join(one for one in lines if one not in there)
                try:
                    _write_all(file, text.encode("ascii"))
                    os.fsync(file.fileno())
                except OSError:
                    with suppress(OSError):  # a half line that stays is cut at the next write
                        file.truncate(size)
                    raise
            # By our clock and not the disk's, which may be another machine's: the day goes by it.
            os.utime(self.path, (now.timestamp(), now.timestamp()))

    def _tidy(self) -> None:
        with self._locked():
            self._rotate(self.clock.now().date())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with _open(self.folder / f".{_NAME}.lock") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _last_lines(self, number: int) -> set[str]:
        if not self.path.exists():
            return set()
        with _open(self.path) as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - number * _LINE_BYTES))
            return set(file.readall().decode("ascii", "replace").splitlines(keepends=True))

    def _rotate(self, today: date) -> None:
        if self.path.exists():
            written = datetime.fromtimestamp(self.path.stat().st_mtime, UTC).date()
            if written < today:
                with _open(self.path) as file:
                    _cut_half_line(file)
                self.path.rename(self._free_name(written))
        for old in self._dated():
            day = old.name.removeprefix(f"{_NAME}.")[: len("2000-01-01")]
            if day < (today - timedelta(days=_KEPT_DAYS)).isoformat():
                old.unlink()

    def _dated(self) -> list[Path]:
        return sorted(self.folder.glob(f"{_NAME}.*.jsonl"))

    def _free_name(self, day: date) -> Path:
        """A file for a past day. There already is one when the clock was set back."""
        path = self.folder / f"{_NAME}.{day.isoformat()}.jsonl"
        number = 1
        while path.exists():
            number += 1
            path = self.folder / f"{_NAME}.{day.isoformat()}.{number}.jsonl"
        return path

    def _tombstone(self, wanted: set[str]) -> int:
        with self._locked():
            files = [*self._dated(), *([self.path] if self.path.exists() else [])]
            return sum(_rewritten(path, wanted) for path in files)


def _rewritten(path: Path, wanted: set[str]) -> int:
    """Tombstone lines of one file, which is replaced whole; how many there were."""
    found, kept = 0, []
    for text in path.read_text("ascii", "replace").splitlines(keepends=True):
        if any(one in text for one in wanted):
            told = json.loads(text) if text.endswith("\n") else {}
            if told.get("agent_session_id") in wanted:
                left = {name: told[name] for name in _LEFT}
                text = json.dumps({**left, "redacted": True}, ensure_ascii=True) + "\n"
                found += 1
        kept.append(text)
    if found:
        was = path.stat()
        fresh = path.with_suffix(".new")
        with _open(fresh) as file:
            file.truncate(0)
            _write_all(file, "".join(kept).encode("ascii", "replace"))
            os.fsync(file.fileno())
        os.utime(fresh, (was.st_atime, was.st_mtime))  # its day stays what it was
        fresh.replace(path)
    return found


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
