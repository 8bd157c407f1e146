"""``helpdesk_admin doctor``: everything looked at, one line each, and what to do. Needs neither a
running server nor a database that answers.
"""

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from pydantic import ValidationError

from backend.app.bootstrap import part_checks
from backend.app.core.clock import SystemClock
from backend.app.core.setting_names import in_environment
from backend.app.core.settings import Settings
from backend.app.db.embedded import EmbeddedPostgresFailed, start
from backend.app.domain.checkup import Finding, Mark, fail, not_checked, ok, warn
from backend.app.services.checkup.checks import has_failed
from backend.app.services.checkup.configuration import misspelt_settings
from backend.app.services.checkup.whole import checkup
from scripts.instance import read_private, running_database, what_is_wrong, with_database

_MARKS = {Mark.OK: "ok", Mark.WARN: "WARN", Mark.FAIL: "FAIL", Mark.NOT_CHECKED: "not checked"}
_PART = "embedded_server"


def run(data: Path, *, as_json: bool) -> int:
    """Look, print, and give the exit code: 1 when something is found that must be seen to."""
    found = _found(data)
    if as_json:
        whole = {"ok": not has_failed(found), "findings": [asdict(one) for one in found]}
        sys.stdout.write(json.dumps(whole, indent=2) + "\n")
    else:
        sys.stdout.writelines(_lines(found))
    return 1 if has_failed(found) else 0


def _lines(found: Sequence[Finding]) -> Iterator[str]:
    width = max(len(one.part) for one in found)
    for one in found:
        yield f"{_MARKS[one.mark]:<12}{one.part:<{width}}  {one.told}\n"
        if one.advice and one.mark is not Mark.OK:
            yield f"{'':<12}{'':<{width}}  → {one.advice}\n"
    counted = {mark: sum(one.mark is mark for one in found) for mark in Mark}
    yield ", ".join(f"{number} {_MARKS[mark].lower()}" for mark, number in counted.items()) + "\n"


def _found(data: Path) -> list[Finding]:
    try:
        settings = Settings()
    except ValidationError as error:
        told = f"A setting is not valid ({what_is_wrong(error)})."
        return [
            fail("settings", told, "Correct it; .env.example explains each."),
            *misspelt_settings(in_environment()),
            not_checked("everything_else", "It needs valid settings."),
        ]
    logs = settings.observability.log_dir or data / "logs"
    with _database(settings, data) as (settings, server):
        clock, names = SystemClock(), in_environment()
        parts = part_checks(settings, clock).checks()
        looking = checkup(settings, clock, data=data, logs=logs, names=names, parts=parts)
        looked = asyncio.run(looking)
    if settings.database.url is None:
        looked.append(not_checked("database", "There is none to ask."))
    return [*_server(data), *server, *looked]


def _server(data: Path) -> list[Finding]:
    """Whether the web server runs, by the note that it leaves."""
    note = read_private(data / "server.json")
    if not isinstance(note, dict) or not isinstance(note.get("pid"), int):
        return [not_checked("server", "None runs on this data folder.")]
    if not _is_alive(note["pid"]):
        told = f"Process {note['pid']} ended without tidying up."
        return [warn("server", told, "Read its last log lines, and start it again.")]
    return [ok("server", f"Process {note['pid']} serves at {note.get('address')}.")]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # another account's
    return True


@contextmanager
def _database(settings: Settings, data: Path) -> Iterator[tuple[Settings, list[Finding]]]:
    """The settings with the database to look at: the one that is set, the running instance's, or
    the folder's own, which then runs for this look alone. It is not migrated.
    """
    if settings.database.url is not None:
        yield settings, [not_checked(_PART, "DATABASE_URL names another server.")]
        return
    try:
        running = asyncio.run(running_database(data))
        if running is not None:
            yield with_database(settings, running), [ok(_PART, "Runs.")]
            return
        if not (data / "postgres" / "cluster").exists():
            told = f"There is no helpdesk in {data}."
            advice = "Start ./scripts/serve once, name another folder by --data, or DATABASE_URL."
            yield settings, [fail(_PART, told, advice)]
            return
        server = start(data / "postgres")
    except (EmbeddedPostgresFailed, OSError) as error:
        advice = f"Read {data / 'postgres' / 'postgres.log'}; see Troubleshooting in the manual."
        yield settings, [fail(_PART, str(error), advice)]
        return
    with server:
        told = "Was not running; started for this look, and stopped again."
        yield with_database(settings, server.url), [ok(_PART, told)]
