"""What happens without a network, and when files or answers do not come."""

import re

import pytest
from playwright.async_api import Route, expect

from tests.e2e.support.pages import PRINTER, VPN, Chat
from tests.e2e.support.tabs import Tab, requests_made

pytestmark = pytest.mark.e2e


async def test_offline_the_text_is_kept_and_waits(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.ask(VPN)
    bar = maya.page.get_by_text("Offline. Your text is kept; sending waits until you are back.")
    await maya.context.set_offline(True)
    await expect(bar).to_be_visible()

    with requests_made(maya.page, "POST", "/messages") as sent:
        await chat.composer.fill(PRINTER)
        await chat.composer.press("Enter")
        await expect(maya.page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
        await expect(chat.composer).to_have_value(PRINTER)
        assert sent == []

        await maya.context.set_offline(False)
        await expect(bar).to_have_count(0)
        await chat.composer.press("Enter")
        await expect(chat.stored_answers).to_have_count(2)
        assert len(sent) == 1


async def test_a_message_that_did_not_get_through_is_kept_even_over_a_reload(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.ask(VPN)
    await maya.page.route("**/messages", _break_off)
    maya.watch.expect("net::ERR_CONNECTION_RESET /api/chat/sessions/.*/messages")

    await chat.composer.fill(PRINTER)
    await chat.composer.press("Enter")
    await expect(maya.page.get_by_role("alert")).to_contain_text("could not be reached")
    await expect(chat.questions.last).to_contain_text(PRINTER)

    await maya.page.reload()
    await expect(chat.questions.last).to_contain_text(PRINTER)
    await maya.page.unroute("**/messages")
    await maya.page.get_by_role("button", name="Retry").click()
    await expect(chat.stored_answers).to_have_count(2)
    await maya.page.reload()
    await expect(chat.questions).to_have_text([VPN, PRINTER])


async def test_a_message_sent_twice_under_one_key_is_stored_once(maya: Tab) -> None:
    """The server got it, and its answer was lost on the way back."""
    chat = await Chat.opened(maya)
    await chat.ask(VPN)
    maya.watch.expect("net::ERR_CONNECTION_RESET /api/chat/sessions/.*/messages")

    async def lose_the_answer(route: Route) -> None:
        if route.request.method == "POST":
            await route.fetch()
        await _break_off(route)

    await maya.page.route("**/messages", lose_the_answer)
    await chat.composer.fill(PRINTER)
    await chat.composer.press("Enter")
    await expect(maya.page.get_by_role("alert")).to_contain_text("could not be reached")
    await maya.page.unroute("**/messages")

    await maya.page.get_by_role("button", name="Retry").click()

    await expect(chat.stored_answers).to_have_count(2)
    await maya.page.reload()
    await expect(chat.questions).to_have_text([VPN, PRINTER])


async def test_an_old_tab_that_asks_for_a_file_that_is_gone_loads_the_new_page(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.composer.fill("half a thought")
    maya.watch.expect("404 /assets/AccountView")
    maya.watch.expect("Couldn't resolve component")  # the router's own words while it reloads
    pattern = re.compile("/assets/AccountView-.*[.]js$")
    await maya.page.route(pattern, lambda route: route.fulfill(status=404), times=1)

    await chat.open_account_menu()
    async with maya.page.expect_event("load"):
        await maya.page.get_by_role("menuitem", name="Account").click()

    await expect(chat.composer).to_have_value("half a thought")
    await chat.open_account_menu()
    await maya.page.get_by_role("menuitem", name="Account").click()
    await expect(maya.page.get_by_role("heading", name="Account", level=1)).to_be_visible()


async def test_seven_tabs_work_at_the_same_time(maya: Tab) -> None:
    tabs = [maya, *[await maya.another() for _ in range(6)]]
    chats = [await Chat.opened(tab) for tab in tabs]
    for chat in chats:
        await chat.composer.fill(VPN)
        await chat.composer.press("Enter")
    for chat in chats:
        await expect(chat.stored_answers).to_have_count(1)


async def _break_off(route: Route) -> None:
    if route.request.method == "POST":
        await route.abort("connectionreset")
    else:
        await route.fallback()
