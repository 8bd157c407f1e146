"""An application that writes issues into a fake GitHub, and somebody who uses it."""

from collections.abc import AsyncIterator

import httpx
import pytest_asyncio

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.tests.support.agent import Application
from backend.tests.support.github import FakeGitHub, fake_github
from backend.tests.support.people import Person
from backend.tests.support.tracked import tracked


@pytest_asyncio.fixture
async def fake() -> AsyncIterator[FakeGitHub]:
    async with fake_github() as made:
        yield made


@pytest_asyncio.fixture
async def app(
    container: Container, settings: Settings, fake: FakeGitHub
) -> AsyncIterator[Application]:
    async with tracked(settings, fake) as made:
        yield made


@pytest_asyncio.fixture
async def person(app: Application, requester: Person) -> httpx.AsyncClient:
    return await app.client(requester)
