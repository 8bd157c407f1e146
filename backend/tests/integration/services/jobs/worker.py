"""A worker process whose one job says that it began and never ends; see ``test_processes.py``."""

import asyncio
import sys
from pathlib import Path
from uuid import UUID

from backend.app.db.engine import create_engine
from backend.app.db.uow import unit_of_work
from backend.tests.integration.services.jobs.rig import jobs_over
from backend.tests.support.plugin import settings_for


async def never_end(subject: UUID) -> None:
    sys.stdout.write(f"{subject}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


async def main(url: str) -> None:
    database = settings_for(url, Path("/tmp")).database
    engine = create_engine(database)
    jobs = jobs_over(unit_of_work(engine), database, stalled_seconds=1)
    jobs.register("work_on", never_end)
    async with jobs.working():
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
