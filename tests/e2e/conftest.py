"""A running helpdesk with its built page, a Chromium, and a browser of its own for every person."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from scripts.provision import ProvisionFailedError, ensure_page
from tests.e2e.support.browser import ARGUMENTS, NoBrowserError, find_chromium
from tests.e2e.support.server import Helpdesk, running_helpdesk
from tests.e2e.support.tabs import Tab, Visits

expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def helpdesk() -> Iterator[Helpdesk]:
    """One server for the whole run, with the page as its sources are now."""
    try:
        ensure_page()
    except ProvisionFailedError as error:
        pytest.fail(f"There is no page to test: {error}", pytrace=False)
    with running_helpdesk() as running:
        yield running


@pytest_asyncio.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """One browser program for the whole run. Without one these tests fail: they are not skipped."""
    try:
        path = find_chromium()
    except NoBrowserError as error:
        pytest.fail(str(error), pytrace=False)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture
async def visits(helpdesk: Helpdesk, chromium: Browser) -> AsyncIterator[Visits]:
    """Opens browsers; fails the test for whatever goes wrong in them unseen."""
    opened = Visits(helpdesk, chromium)
    yield opened
    await opened.end()


@pytest_asyncio.fixture
async def guest(visits: Visits) -> Tab:
    """A tab of somebody who is not signed in."""
    return await visits.guest()


@pytest_asyncio.fixture
async def maya(visits: Visits) -> Tab:
    """A tab of Maya, who asks."""
    return await visits.person("maya")
