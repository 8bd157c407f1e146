"""The list of conversations, and whose they are."""

import re

import pytest
from playwright.async_api import Locator, expect

from tests.e2e.support.pages import PRINTER, VPN, Chat
from tests.e2e.support.tabs import Tab, Visits

pytestmark = pytest.mark.e2e


def row(chat: Chat, title: str) -> Locator:
    return chat.list.get_by_role("link", name=re.compile(re.escape(title[:30])))


async def test_each_question_of_a_new_conversation_becomes_an_entry_of_the_list(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await expect(chat.list).to_contain_text("No conversations yet")
    await chat.ask(VPN)
    await expect(row(chat, VPN)).to_have_attribute("aria-current", "page")
    first = maya.path

    await chat.list.get_by_role("button", name="New conversation").click()
    await expect(chat.composer).to_be_focused()
    await expect(chat.questions).to_have_count(0)
    await chat.ask(PRINTER)
    await expect(chat.list.get_by_role("link")).to_have_count(2)

    await row(chat, VPN).click()
    await expect(chat.questions).to_have_text([VPN])
    assert maya.path == first
    await expect(maya.page).to_have_title(re.compile(re.escape(VPN[:30])))


async def test_each_conversation_keeps_its_own_draft_also_over_a_reload(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.ask(VPN)
    await chat.composer.fill("for the first")
    await chat.list.get_by_role("button", name="New conversation").click()
    await expect(chat.composer).to_have_value("")
    await chat.composer.fill("for a new one")

    await row(chat, VPN).click()
    await expect(chat.composer).to_have_value("for the first")
    await maya.page.reload()
    await expect(chat.composer).to_have_value("for the first")
    await maya.go("/chat")
    await expect(chat.composer).to_have_value("for a new one")


async def test_a_conversation_is_deleted_once_that_is_confirmed(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.ask(VPN)
    address = maya.path
    delete = chat.list.get_by_role("button", name=re.compile("^Delete conversation"))
    confirmation = maya.page.get_by_role("alertdialog", name="Delete this conversation?")

    await row(chat, VPN).hover()
    await delete.click()
    await confirmation.get_by_role("button", name="Cancel").click()
    await expect(confirmation).to_have_count(0)
    await expect(row(chat, VPN)).to_be_visible()

    await row(chat, VPN).hover()
    await delete.click()
    await confirmation.get_by_role("button", name="Delete").click()
    await expect(confirmation).to_have_count(0)
    await expect(row(chat, VPN)).to_have_count(0)
    await expect(maya.page).to_have_url(re.compile("/chat$"))

    maya.watch.expect("404 /api/chat/sessions/")
    await maya.go(address)
    await expect(chat.missing).to_be_visible()


async def test_a_conversation_deleted_in_another_tab_says_so_in_this_one(maya: Tab) -> None:
    here = await Chat.opened(maya)
    await here.ask(VPN)
    maya.watch.expect("404 /api/chat/sessions/")
    elsewhere = await Chat.opened(await maya.another(), maya.path)
    await row(elsewhere, VPN).hover()
    await elsewhere.list.get_by_role("button", name=re.compile("^Delete conversation")).click()
    dialog = elsewhere.page.get_by_role("alertdialog")
    await dialog.get_by_role("button", name="Delete").click()
    await expect(dialog).to_have_count(0)
    await expect(row(elsewhere, VPN)).to_have_count(0)

    await here.composer.fill(PRINTER)
    await here.composer.press("Enter")

    await expect(here.page.get_by_role("alert")).to_contain_text("Not sent.")
    await expect(here.questions.last).to_contain_text(PRINTER)


async def test_nobody_sees_the_conversation_of_another_person(visits: Visits) -> None:
    maya, ben = await visits.person("maya"), await visits.person("ben")
    await (await Chat.opened(maya)).ask(VPN)
    ben.watch.expect("404 /api/chat/sessions/")

    await ben.go(maya.path)

    chat = Chat(ben.page)
    await expect(chat.missing).to_be_visible()
    await expect(chat.list).to_contain_text("No conversations yet")
    await expect(chat.composer).to_have_count(0)
    assert VPN not in await ben.page.content()
    await ben.page.get_by_role("main").get_by_role("button", name="New conversation").click()
    await expect(chat.composer).to_be_focused()


async def test_an_address_that_leads_nowhere_has_a_way_back(maya: Tab) -> None:
    await maya.go("/nowhere/at/all")
    await expect(maya.page.get_by_role("main")).to_contain_text("There is nothing here")
    await maya.page.get_by_role("link", name="Go to chat").click()
    await expect(Chat(maya.page).composer).to_be_visible()


@pytest.mark.parametrize("article", ["00000000-0000-4000-8000-000000000000", "no-id"])
async def test_an_article_that_is_gone_says_so(maya: Tab, article: str) -> None:
    maya.watch.expect("4(04|22) /api/knowledge/articles/")
    await maya.go(f"/articles/{article}?start=0&end=10")
    await expect(maya.page.get_by_role("main")).to_contain_text("This article is gone")
