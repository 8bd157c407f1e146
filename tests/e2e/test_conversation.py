"""Asking, and what can be done with an answer."""

import re

import pytest
from playwright.async_api import expect

from tests.e2e.support.pages import PRINTER, UNRESOLVED, VPN, Chat, SignIn, article_page
from tests.e2e.support.tabs import Tab, Visits

pytestmark = pytest.mark.e2e

#: Slow enough to see an answer grow.
SLOW = {
    "offline": False,
    "latency": 0,
    "uploadThroughput": -1,
    "downloadThroughput": 1_000,
}
FAST = {**SLOW, "downloadThroughput": -1}


async def test_a_wrong_password_is_refused_and_the_right_one_leads_to_the_chat(guest: Tab) -> None:
    guest.watch.expect("401 /api/auth/login")
    maya = guest.helpdesk.people["maya"]
    await guest.go("/")
    page = SignIn(guest.page)
    await expect(guest.page).to_have_url(re.compile(r"/login\?next=/chat$"))

    await page.submit("maya", "not her password")
    await expect(guest.page.get_by_role("alert")).to_contain_text("do not match")
    await expect(guest.page.get_by_label("Password", exact=True)).to_be_focused()

    await page.submit("maya", maya.password)
    await expect(guest.page).to_have_url(re.compile("/chat$"))
    await expect(Chat(guest.page).composer).to_be_visible()


async def test_an_empty_chat_begins_in_the_mode_that_is_set_with_questions_that_are_answered(
    maya: Tab,
) -> None:
    chat = await Chat.opened(maya)
    await expect(chat.mode("Ask")).to_have_attribute("aria-pressed", "true")
    examples = maya.page.get_by_role("main").get_by_role("listitem").get_by_role("button")
    await expect(examples).to_have_count(3)

    await examples.first.click()

    await expect(chat.stored_answers).to_have_count(1)
    await expect(chat.citations.first).to_be_visible()
    await expect(chat.mode("Ask")).to_have_attribute("aria-pressed", "true")


async def test_an_answer_arrives_piece_by_piece_and_names_its_sources(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    network = await maya.protocol()
    await network.send("Network.enable")
    await network.send("Network.emulateNetworkConditions", SLOW)

    await chat.composer.fill(VPN)
    async with maya.page.expect_response(re.compile("/messages$")) as response:
        await chat.composer.press("Enter")
    assert (await (await response.value).header_value("content-type") or "").startswith(
        "text/event-stream"
    )
    growing = chat.answers.and_(maya.page.locator("[aria-busy=true]")).locator(".prose")
    await expect(growing).to_contain_text(re.compile(r"\w+ \w+"))
    beginning = await growing.inner_text()

    await network.send("Network.emulateNetworkConditions", FAST)
    await expect(chat.stored_answers).to_have_count(1)
    whole = await chat.answers.locator(".prose").inner_text()
    assert len(beginning) < len(whole)
    assert whole[:20] == beginning[:20]
    await expect(chat.citations.first).to_be_visible()
    await expect(chat.answers.get_by_role("list", name="Sources")).to_contain_text("VPN")


async def test_a_reload_while_an_answer_arrives_does_not_lose_it(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    network = await maya.protocol()
    await network.send("Network.enable")
    await network.send("Network.emulateNetworkConditions", SLOW)
    await chat.composer.fill(VPN)
    await chat.composer.press("Enter")
    await expect(chat.answers.locator(".prose")).to_contain_text(re.compile(r"\w+ \w+"))
    await network.send("Network.emulateNetworkConditions", FAST)

    await maya.page.reload()

    await expect(chat.questions).to_have_text([VPN])
    await expect(chat.stored_answers).to_have_count(1)


async def test_a_citation_opens_the_passage_it_names(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.ask(PRINTER)
    await chat.citations.first.click()

    await expect(chat.source.title).to_have_text("Printer shows as offline")
    marked = await chat.source.marked_text()
    assert marked.startswith("“Offline”") or marked.startswith('"Offline" means that')
    assert marked in " ".join((await chat.answers.inner_text()).split())

    await maya.page.reload()
    assert await chat.source.marked_text() == marked
    await expect(chat.stored_answers).to_have_count(1)


async def test_a_passage_is_the_same_at_an_address_of_its_own(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.ask(PRINTER)
    await chat.citations.last.click()
    title = await chat.source.title.inner_text()
    marked = await chat.source.marked_text()

    async with maya.page.expect_popup() as popup:
        await chat.source.box.get_by_role("link", name="Open in a new tab").click()
    article = article_page(await popup.value)

    await expect(article.title).to_have_text(title)
    assert await article.marked_text() == marked
    await expect(article.page).to_have_title(re.compile(re.escape(title)))
    await article.page.reload()
    assert await article.marked_text() == marked


async def test_back_closes_a_source_and_forward_opens_it_again(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.ask(PRINTER)
    await chat.citations.first.click()
    await expect(chat.source.highlight.first).to_be_visible()

    await maya.page.go_back()
    await expect(chat.source.box).to_have_count(0)
    await maya.page.go_forward()
    await expect(chat.source.highlight.first).to_be_visible()
    await expect(chat.stored_answers).to_have_count(1)


async def test_feedback_stays_pressed_after_a_reload(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.ask(PRINTER)
    helpful = chat.answers.get_by_role("button", name="Helpful", exact=True)
    await helpful.click()
    await expect(helpful).to_have_attribute("aria-pressed", "true")

    await maya.page.reload()
    await expect(helpful).to_have_attribute("aria-pressed", "true")

    await helpful.click()
    await expect(helpful).to_have_attribute("aria-pressed", "false")
    await maya.page.reload()
    await expect(helpful).to_have_attribute("aria-pressed", "false")


async def test_in_agent_mode_an_unresolved_question_offers_help(
    maya: Tab,
) -> None:
    chat = await Chat.opened(maya)
    await chat.choose_mode("Agent")
    answer = await chat.ask(UNRESOLVED)
    await expect(answer).to_contain_text("The knowledge base may not cover this.")
    get_help = answer.get_by_role("button", name="Get help")
    await expect(answer.get_by_role("button", name="Switch to Agent")).to_have_count(0)

    await maya.page.reload()
    await expect(get_help).to_be_visible()
    await expect(chat.mode("Agent")).to_have_attribute("aria-pressed", "true")


async def test_in_ask_mode_the_way_to_help_leads_through_agent_mode(visits: Visits) -> None:
    maya = await visits.person("maya")
    chat = await Chat.opened(maya)
    answer = await chat.ask(UNRESOLVED)
    await expect(answer.get_by_role("button", name="Get help")).to_have_count(0)
    await maya.page.reload()
    await expect(chat.mode("Ask")).to_have_attribute("aria-pressed", "true")

    await answer.get_by_role("button", name="Switch to Agent").click()
    await expect(chat.mode("Agent")).to_have_attribute("aria-pressed", "true")
    await maya.page.reload()
    await expect(chat.mode("Agent")).to_have_attribute("aria-pressed", "true")

    await answer.get_by_role("button", name="Get help").click()
    await expect(answer).to_contain_text("Help requested")
    await expect(maya.page.get_by_role("region", name="Agent session")).to_be_visible()


async def test_a_long_chat_scrolls_in_its_own_place_and_nowhere_else(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    for number, question in enumerate((PRINTER, VPN, UNRESOLVED, PRINTER), start=1):
        await chat.ask(question)
        await expect(chat.stored_answers).to_have_count(number)

    heights = await maya.page.evaluate("[document.documentElement.scrollHeight, innerHeight]")

    assert heights[0] <= heights[1]
