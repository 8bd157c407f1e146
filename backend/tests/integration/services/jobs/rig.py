"""Workers over the test's database, and what their jobs did."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.app.bootstrap import Container
from backend.app.core.job_settings import JobSettings
from backend.app.core.settings import DatabaseSettings
from backend.app.db.uow import UnitOfWork
from backend.app.services.jobs.runner import Jobs

FAST: dict[str, Any] = {"poll_seconds": 0.1, "stalled_seconds": 4, "drain_seconds": 10}


def jobs_over(uow: UnitOfWork, database: DatabaseSettings, **changed: Any) -> Jobs:
    return Jobs(uow, JobSettings.model_validate({**FAST, **changed}), database)


def jobs_of(container: Container, **changed: Any) -> Jobs:
    return jobs_over(container.uow, container.settings.database, **changed)


class Diary:
    """What was done, in order; a job that notes wakes whoever waits for it."""

    def __init__(self) -> None:
        self.noted: list[object] = []
        self._changed = asyncio.Condition()

    async def note(self, what: object) -> None:
        async with self._changed:
            self.noted.append(what)
            self._changed.notify_all()

    async def done(self, subject: UUID) -> None:
        """A job: notes its subject."""
        await self.note(subject)

    def noting(self, what: object) -> Callable[[], Any]:
        """A job without arguments."""
        return lambda: self.note(what)

    async def until(self, *whats: object) -> None:
        """Until each of these was noted as often as it is named."""
        wanted = Counter(whats)
        async with asyncio.timeout(30), self._changed:
            await self._changed.wait_for(lambda: wanted <= Counter(self.noted))


async def rows(engine: AsyncEngine, query: str) -> list[tuple[Any, ...]]:
    async with engine.connect() as connection:
        return [tuple(row) for row in await connection.execute(sa.text(query))]


async def execute(engine: AsyncEngine, *statements: str) -> None:
    async with engine.begin() as connection:
        for statement in statements:
            await connection.execute(sa.text(statement))


async def until_rows(engine: AsyncEngine, query: str, expected: list[tuple[Any, ...]]) -> None:
    async with asyncio.timeout(30):
        while True:
            if await rows(engine, query) == expected:
                return
            await asyncio.sleep(0.02)
