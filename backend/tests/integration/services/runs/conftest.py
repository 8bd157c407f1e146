"""Two replicas of the engine over one database, and the world that they share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from backend.app.bootstrap import Container
from backend.tests.integration.services.runs.rig import Replica, World, replica


@pytest.fixture
def world() -> World:
    return World()


@pytest_asyncio.fixture
async def one(
    container: Container, database_url: str, world: World, tmp_path: Path
) -> AsyncIterator[Replica]:
    async with replica(database_url, world, tmp_path) as made:
        yield made


@pytest_asyncio.fixture
async def two(
    container: Container, database_url: str, world: World, tmp_path: Path
) -> AsyncIterator[Replica]:
    async with replica(database_url, world, tmp_path) as made:
        yield made
