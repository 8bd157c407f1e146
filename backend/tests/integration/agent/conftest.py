"""Replicas of the whole application over the tests' database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from backend.app.bootstrap import Container
from backend.tests.integration.agent import replica
from backend.tests.integration.agent.replica import Nursery, Replicas


@pytest_asyncio.fixture(scope="session")
async def nursery() -> AsyncIterator[Nursery]:
    """One nursery for all tests: what takes long is done once."""
    async with replica.nursery() as made:
        yield made


@pytest_asyncio.fixture
async def replicas(
    nursery: Nursery, container: Container, database_url: str, tmp_path: Path
) -> AsyncIterator[Replicas]:
    """Starts replicas over the emptied database; none outlives the test."""
    made = Replicas(nursery, database_url, tmp_path)
    try:
        yield made
    finally:
        await made.leave()
