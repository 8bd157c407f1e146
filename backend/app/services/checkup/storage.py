"""Checks of the disk: whether the folders take files, and have room."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.app.domain.checkup import Finding, fail, ok, warn
from backend.app.services.checkup.checks import Check

_MB = 1_000_000
_LITTLE_BYTES = 100 * _MB
_FEW_BYTES = 1000 * _MB


def look_at_folder(part: str, folder: Path, *, free: int | None = None) -> Finding:
    """Whether files can be made in ``folder``, or where it would be made, and how much is free.

    ``free``: bytes, instead of asking the disk.
    """
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        return fail(part, f"{there} is a file, not a folder.", "Move it away, or set another.")
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"checkup")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        told = f"{there} takes no file: {error.strerror or type(error).__name__}."
        return fail(part, told, "Give it to the account that runs the helpdesk; make room.")
    free = shutil.disk_usage(there).free if free is None else free
    told = f"{folder}: {free / _MB:,.0f} MB free."
    if free < _LITTLE_BYTES:
        return fail(part, told, "Make room: the database stops at a full disk.")
    if free < _FEW_BYTES:
        return warn(part, told, "Make room before it is needed.")
    return ok(part, told)


@dataclass(frozen=True, slots=True)
class FolderCheck:
    """Looks at one folder."""

    part: str
    folder: Path

    def check(self) -> Check:
        """The check."""
        return Check(self.part, self.look)

    async def look(self) -> Sequence[Finding]:
        """Try it, off the event loop: a disk may hang."""
        return [await asyncio.to_thread(look_at_folder, self.part, self.folder)]
