"""The whole checkup, in the order in which one part rests on the other."""

from collections.abc import Sequence
from pathlib import Path

from backend.app.core.clock import Clock
from backend.app.core.settings import Settings
from backend.app.db.engine import create_probe
from backend.app.db.inspection import Inspection
from backend.app.domain.checkup import Finding
from backend.app.services.checkup.checks import Check, Checkup
from backend.app.services.checkup.configuration import SettingChecks
from backend.app.services.checkup.database import DatabaseChecks
from backend.app.services.checkup.storage import FolderCheck


async def checkup(
    settings: Settings,
    clock: Clock,
    *,
    data: Path,
    logs: Path,
    names: Sequence[str],
    parts: Sequence[Check] = (),
) -> list[Finding]:
    """Look at everything; the database is asked only when the settings have a URL.

    Args:
        settings: as they are set.
        clock: this machine's.
        data: the data folder.
        logs: the audit file's folder.
        names: the variables that are set.
        parts: checks of what can be set up.
    """
    asked: list[Check] = SettingChecks(settings, names).checks()
    asked += [FolderCheck("data_folder", data).check(), FolderCheck("log_folder", logs).check()]
    if settings.database.url is None:
        return await Checkup([*asked, *parts]).run()
    probe = create_probe(settings.database)
    try:
        asked += DatabaseChecks(Inspection(probe), settings, clock).checks()
        return await Checkup([*asked, *parts]).run()
    finally:
        await probe.dispose()
