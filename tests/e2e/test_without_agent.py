"""While the agent is switched off: the card under an unresolved answer, and a ticket from it."""

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from tests.e2e.support.pages import UNRESOLVED, Chat
from tests.e2e.support.server import Helpdesk
from tests.e2e.support.tabs import Visits

pytestmark = pytest.mark.e2e


@pytest.fixture
def agent_off(helpdesk: Helpdesk) -> Iterator[None]:
    """The agent is switched off as its manual says, as long as the test lasts."""
    helpdesk.admin("switch", "enabled", "off")
    yield
    helpdesk.admin("switch", "enabled", "default")


@pytest.mark.usefixtures("agent_off")
async def test_without_the_agent_a_person_sums_up_drafts_and_files_by_themselves(
    visits: Visits,
) -> None:
    maya = await visits.person("maya")
    chat = await Chat.opened(maya)
    answer = await chat.ask(UNRESOLVED)
    card = answer.get_by_role("region", name="What next?")
    await expect(answer.get_by_role("button", name="Switch to Agent")).to_have_count(0)

    await card.get_by_role("button", name="Summarise").click()
    await expect(card.get_by_role("heading", name="Summary")).to_be_visible()
    await expect(card).to_contain_text("Oracle Financials 403")
    await card.get_by_role("button", name="Draft a ticket").click()
    await card.get_by_label("Title").fill("Budget reports answer 403")
    await card.get_by_label("Severity").select_option("Critical")
    await card.get_by_role("button", name="File it").click()

    await expect(card).to_contain_text(re.compile(r"Ticket #\d+ filed"))
    await card.get_by_role("link", name="Ticket #").click()
    await expect(maya.page.get_by_role("heading", name="Budget reports answer 403")).to_be_visible()
    await expect(maya.page.get_by_role("main")).to_contain_text("Critical")
