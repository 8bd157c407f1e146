"""On a phone the list and a source lie over the chat."""

import pytest
from playwright.async_api import expect

from tests.e2e.support.pages import PRINTER, VPN, Chat
from tests.e2e.support.tabs import Visits

pytestmark = pytest.mark.e2e


async def test_on_a_phone_the_list_opens_over_the_chat_and_closes_on_a_choice(
    visits: Visits,
) -> None:
    maya = await visits.person("maya", "phone")
    chat = await Chat.opened(maya)
    await chat.ask(VPN)
    sheet = maya.page.get_by_role("dialog", name="Conversations")
    await expect(chat.list).to_have_count(0)

    await maya.page.get_by_role("button", name="Open conversations").tap()
    await sheet.get_by_role("button", name="New conversation").tap()
    await expect(sheet).to_have_count(0)
    await expect(chat.questions).to_have_count(0)

    await maya.page.get_by_role("button", name="Open conversations").tap()
    await sheet.get_by_role("link").tap()
    await expect(sheet).to_have_count(0)
    await expect(chat.questions).to_have_text([VPN])


async def test_on_a_phone_a_source_covers_the_chat_until_it_is_closed(visits: Visits) -> None:
    maya = await visits.person("maya", "phone")
    chat = await Chat.opened(maya)
    await chat.ask(PRINTER)
    await chat.citations.last.tap()
    sheet = maya.page.get_by_role("dialog", name="Source")
    await expect(sheet.locator("mark").first).to_be_in_viewport()
    await maya.page.reload()
    await expect(sheet.locator("mark").first).to_be_in_viewport()

    await sheet.get_by_role("button", name="Close").tap()

    await expect(sheet).to_have_count(0)
    await expect(chat.stored_answers).to_have_count(1)


async def test_on_a_phone_what_can_be_tapped_is_large_enough_for_a_finger(visits: Visits) -> None:
    maya = await visits.person("maya", "phone")
    chat = await Chat.opened(maya)
    await chat.ask(PRINTER)
    # The numbers in the text are left out: their target is larger than their box.
    small = await maya.page.evaluate("""() =>
      [...document.querySelectorAll('button:not(sup button), header a, li a')]
        .filter((one) => one.getBoundingClientRect().width > 1)
        .filter((one) => one.getBoundingClientRect().height < 38)
        .map((one) => one.outerHTML.slice(0, 120))""")
    assert small == []
