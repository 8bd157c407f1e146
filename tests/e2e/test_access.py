"""Sessions that end, and passwords that must be changed."""

import re

import pytest
from playwright.async_api import expect

from tests.e2e.support.pages import PRINTER, VPN, Chat, SignIn
from tests.e2e.support.tabs import Tab, Visits

pytestmark = pytest.mark.e2e

ENDED = "Your session has ended. Sign in to carry on where you were"


async def come_back(tab: Tab, username: str = "maya") -> None:
    """Sign in after the end of a session."""
    await expect(tab.page).to_have_url(re.compile("/login"))
    await expect(tab.page.get_by_role("status").filter(has_text=ENDED)).to_be_visible()
    await SignIn(tab.page).submit(username, tab.helpdesk.people[username].password)


async def test_a_session_that_ends_while_asking_leads_back_to_the_same_place_with_the_text(
    maya: Tab,
) -> None:
    chat = await Chat.opened(maya)
    await chat.ask(VPN)
    address = maya.path
    await chat.composer.fill(PRINTER)
    await maya.context.clear_cookies()
    maya.watch.expect("401 /api/chat/sessions/.*/messages")

    await chat.composer.press("Enter")
    await come_back(maya)

    await expect(chat.composer).to_have_value(PRINTER)
    assert maya.path == address
    await expect(chat.questions).to_have_text([VPN])
    await chat.composer.press("Enter")
    await expect(chat.stored_answers).to_have_count(2)
    await expect(chat.questions).to_have_text([VPN, PRINTER])


async def test_signing_out_in_another_tab_ends_this_one_at_its_next_step(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.ask(VPN)
    address = maya.path
    await chat.composer.fill("half a thought")
    elsewhere = await Chat.opened(await maya.another())
    await elsewhere.open_account_menu()
    await elsewhere.page.get_by_role("menuitem", name="Sign out").click()
    await expect(SignIn(elsewhere.page).title).to_be_visible()

    maya.watch.expect("401 /api/chat/")
    await chat.mode("Agent").click()
    await come_back(maya)

    await expect(chat.composer).to_have_value("half a thought")
    assert maya.path == address


async def test_another_person_at_the_same_tab_finds_nothing_of_the_first(visits: Visits) -> None:
    tab = await visits.person("maya")
    chat = await Chat.opened(tab)
    await chat.ask(VPN)
    await chat.composer.fill("a thought of Maya's")
    await tab.context.clear_cookies()
    tab.watch.expect("401 /api/chat/")
    tab.watch.expect("404 /api/chat/sessions/")
    await chat.mode("Agent").click()
    await visits.helpdesk.forget_conversations_of(visits.helpdesk.people["ben"])

    await come_back(tab, "ben")

    await expect(chat.missing).to_be_visible()
    await expect(chat.list).to_contain_text("No conversations yet")
    kept = await tab.page.evaluate("JSON.stringify({...sessionStorage, ...localStorage})")
    for text in ("a thought of Maya's", VPN):
        assert text not in await tab.page.content()
        assert text not in kept


@pytest.mark.parametrize("next_address", ["//example.org/", "/\\example.org/", "https://e.org/"])
async def test_signing_in_never_leads_to_another_site(guest: Tab, next_address: str) -> None:
    await guest.go(f"/login?next={next_address}")
    await SignIn(guest.page).submit("maya", guest.helpdesk.people["maya"].password)
    await expect(Chat(guest.page).composer).to_be_visible()
    assert guest.path == "/chat"


async def test_a_guest_is_led_to_the_address_after_signing_in(guest: Tab) -> None:
    await guest.go("/account")
    await SignIn(guest.page).submit("maya", guest.helpdesk.people["maya"].password)
    await expect(guest.page.get_by_role("heading", name="Account", level=1)).to_be_visible()
    assert guest.path == "/account"


async def test_a_password_given_once_has_to_be_changed_before_anything_else(guest: Tab) -> None:
    told = guest.helpdesk.admin("users", "add", "newcomer")
    given = told.split()[-1]
    page = guest.page
    await guest.go("/chat")
    await SignIn(page).submit("newcomer", given)
    await expect(page.get_by_role("heading", name="Choose your own password")).to_be_visible()

    await guest.go("/account")
    await expect(page).to_have_url(re.compile(r"/change-password\?next=/account$"))
    await page.get_by_label("Current password").fill(given)
    await page.get_by_label("New password").fill("short")
    await page.get_by_role("button", name="Change password").click()
    await expect(page.get_by_text("Use at least 12 characters.")).to_be_visible()

    await page.get_by_label("New password").fill("quiet river under stones")
    await page.get_by_role("button", name="Change password").click()
    await expect(page.get_by_role("heading", name="Account", level=1)).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("main")).to_contain_text("newcomer")

    guest.watch.expect("401 /api/auth/login")
    await guest.context.clear_cookies()
    await guest.go("/chat")
    await SignIn(page).submit("newcomer", given)
    await expect(page.get_by_role("alert")).to_contain_text("do not match")
    await SignIn(page).submit("newcomer", "quiet river under stones")
    await expect(Chat(page).composer).to_be_visible()
