"""One stage for a module's scenarios."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio
import sqlalchemy as sa

from backend.app.bootstrap import build
from backend.app.core.settings import Settings
from backend.app.db.models import Base
from backend.tests.eval.stage import Stage, people_of

_OF_MIGRATIONS = {"fact_epochs", "instance_keys"}


@pytest_asyncio.fixture(scope="module")
async def stage(settings: Settings) -> AsyncIterator[Stage]:
    """The stage, over the run's one database."""
    async with AsyncExitStack() as held:
        async with build(settings) as container:
            tables = ", ".join(set(Base.metadata.tables) - _OF_MIGRATIONS)
            async with container.engine.begin() as connection:
                await connection.execute(sa.text(f"TRUNCATE {tables} RESTART IDENTITY CASCADE"))
            people = await people_of(container)
        yield Stage(settings, people, held)


@pytest.fixture
def show_trace(request: pytest.FixtureRequest) -> bool:
    """Whether a scenario that fails is to tell how it went."""
    return bool(request.config.getoption("--show-trace"))
