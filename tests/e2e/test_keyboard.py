"""Everything by keyboard, and input methods that use Enter for themselves."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from tests.e2e.support.pages import PRINTER, Chat
from tests.e2e.support.tabs import Tab, requests_made

pytestmark = pytest.mark.e2e

_MANY = 40


async def move_to(page: Page, wanted: Locator, key: str = "Tab") -> None:
    """Press this key until the element has the focus."""
    await expect(wanted).to_be_visible()
    for _ in range(_MANY):
        if await wanted.evaluate("element => element === document.activeElement"):
            return
        await page.keyboard.press(key)
    pytest.fail(f"{key} does not lead to {wanted}")


async def test_signing_in_asking_and_reading_a_source_need_no_mouse(guest: Tab) -> None:
    page, chat = guest.page, Chat(guest.page)
    await guest.helpdesk.forget_conversations_of(guest.helpdesk.people["maya"])
    await guest.go("/chat")
    await expect(page.get_by_label("User name")).to_be_focused()
    await page.keyboard.type("maya")
    await page.keyboard.press("Tab")
    await page.keyboard.type(guest.helpdesk.people["maya"].password)
    await page.keyboard.press("Enter")

    await expect(chat.composer).to_be_visible()
    await page.locator("body").press("/")
    await expect(chat.composer).to_be_focused()
    await page.keyboard.type(PRINTER)
    await page.keyboard.press("Enter")
    await expect(chat.stored_answers).to_have_count(1)
    await expect(chat.composer).to_be_focused()

    await move_to(page, chat.citations.first, "Shift+Tab")
    await page.keyboard.press("Enter")
    await expect(chat.source.highlight.first).to_be_in_viewport()
    await expect(chat.source.box.get_by_role("button", name="Close")).to_be_focused()

    await page.keyboard.press("Escape")
    await expect(chat.source.box).to_have_count(0)
    await expect(chat.citations.first).to_be_focused()
    await move_to(page, chat.composer)
    await page.keyboard.type("thanks")
    await expect(chat.composer).to_have_value("thanks")


async def test_the_first_tab_stop_skips_to_the_content(maya: Tab) -> None:
    await Chat.opened(maya)
    await maya.page.locator("body").press("Tab")
    await expect(maya.page.get_by_role("link", name="Skip to content")).to_be_focused()
    await maya.page.keyboard.press("Enter")
    await expect(maya.page.get_by_role("main")).to_be_focused()


async def test_dialogs_take_the_focus_and_give_it_back(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.open_account_menu()
    await maya.page.keyboard.press("Escape")
    trigger = maya.page.get_by_role("button", name=re.compile("^Signed in as"))
    await expect(trigger).to_be_focused()

    await maya.page.locator("body").press("?")
    dialog = maya.page.get_by_role("dialog", name="Keyboard shortcuts")
    await expect(dialog.locator(":focus")).to_have_count(1)
    await maya.page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(trigger).to_be_focused()


async def test_enter_that_confirms_a_word_of_an_input_method_does_not_send(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    keys = await maya.protocol()
    await chat.composer.focus()
    with requests_made(maya.page, "POST", "/messages") as sent:
        await maya.page.keyboard.type("HP ")
        composition = {"text": "ぷりんた", "selectionStart": 4, "selectionEnd": 4}
        await keys.send("Input.imeSetComposition", composition)
        enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
        await keys.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
        await keys.send("Input.dispatchKeyEvent", {"type": "keyUp", **enter})
        await keys.send("Input.insertText", {"text": "プリンター"})
        await expect(chat.composer).to_have_value("HP プリンター")
        assert sent == []

        # The page takes an Enter for its own one task later; no hand is as quick as this test.
        await maya.page.evaluate("new Promise((resolve) => setTimeout(resolve))")
        await maya.page.keyboard.press("Enter")
        await expect(chat.stored_answers).to_have_count(1)
    assert len(sent) == 1
    await expect(chat.questions).to_have_text(["HP プリンター"])


async def test_shift_enter_begins_a_line_and_enter_sends_once(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.composer.focus()
    with requests_made(maya.page, "POST", "/messages") as sent:
        await maya.page.keyboard.type("one")
        await maya.page.keyboard.press("Shift+Enter")
        await maya.page.keyboard.type("two")
        await maya.page.keyboard.press("Enter")
        await maya.page.keyboard.press("Enter")
        await expect(chat.stored_answers).to_have_count(1)
    assert len(sent) == 1
    assert await chat.questions.locator("div").first.inner_text() == "one\ntwo"
