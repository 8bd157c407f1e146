"""From an unresolved question to a ticket, and everything that can come between."""

import re

import pytest
from playwright.async_api import Page, Route, expect

from tests.e2e.support.pages import PRINTER, UNRESOLVED, VPN, Agent, Chat
from tests.e2e.support.tabs import Tab, Visits, requests_made

pytestmark = pytest.mark.e2e

_START = "**/api/helpdesk/agent/start"
_RESUME = "**/api/helpdesk/agent/resume"
_CONFIRM = "**/api/helpdesk/agent/confirm"


async def _sessions(tab: Tab) -> list[str]:
    """The agent sessions that the server has for the chat on screen."""
    chat_id = tab.path.removeprefix("/chat/")
    address = f"/api/helpdesk/agent/sessions?chat_session_id={chat_id}"
    answer = await tab.context.request.get(address)
    return [one["session_id"] for one in (await answer.json())["items"]]


async def _spoken(page: Page, text: str) -> None:
    await expect(page.locator("p[aria-live=polite]")).to_contain_text(text)


async def test_an_unresolved_question_becomes_a_ticket_that_its_person_can_follow(
    visits: Visits,
) -> None:
    maya = await visits.person("maya")
    chat = await Chat.opened(maya)
    answer = await chat.ask(UNRESOLVED)
    agent = Agent(maya.page)
    await expect(agent.get_help).to_have_count(0)
    await answer.get_by_role("button", name="Switch to Agent").click()
    await agent.get_help.click()

    await expect(agent.choice("My team")).to_be_visible()
    await expect(answer).to_contain_text("Help requested")
    await expect(agent.message).to_contain_text("Question 1 of 2")
    await expect(agent.message.get_by_role("button", name=re.compile("^Checked"))).to_be_visible()
    await _spoken(maya.page, "The agent asks")
    await agent.choice("My team").click()

    await expect(agent.review).to_be_visible()
    await expect(agent.choice("My team")).to_have_attribute("aria-pressed", "true")
    await expect(agent.draft).to_contain_text("Not filed yet")
    await _spoken(maya.page, "It is not filed yet.")
    await agent.review.click()
    await expect(agent.window.get_by_label("Title")).to_be_focused()
    await agent.window.get_by_label("Title").fill("Budget reports: 403 for all of Finance")
    await agent.window.get_by_label("Severity").select_option("Critical")
    shown = agent.window.get_by_role("region", name="What will be filed")
    await expect(shown).to_contain_text("Budget reports: 403 for all of Finance")
    await expect(shown).to_contain_text("Critical")
    await agent.window.get_by_role("button", name="File it with your changes").click()

    await expect(agent.window).to_have_count(0)
    await expect(agent.message).to_be_focused()
    await expect(agent.bar).to_have_count(0)
    await _spoken(maya.page, "filed")
    await agent.ticket.click()

    title = maya.page.get_by_role("heading", level=1)
    await expect(title).to_have_text("Budget reports: 403 for all of Finance")
    details = maya.page.get_by_role("region", name="Details")
    await expect(details).to_contain_text("Critical")
    await expect(maya.page.get_by_role("main")).to_contain_text("My team")
    await details.get_by_role("link", name="Open the conversation").click()
    await expect(agent.ticket).to_be_visible()

    await maya.page.get_by_role("link", name="My tickets").click()
    await maya.page.get_by_role("searchbox").fill("all of Finance")
    row = maya.page.get_by_role("link", name=re.compile("403 for all of Finance.*New.*Critical"))
    await expect(row.first).to_be_visible()


async def test_help_is_offered_for_an_answer_that_did_not_help(visits: Visits) -> None:
    maya = await visits.person("maya")
    chat = await Chat.opened(maya)
    await chat.choose_mode("Agent")
    answer = await chat.ask(PRINTER)
    agent = Agent(maya.page)
    await expect(agent.get_help).to_have_count(0)
    await answer.get_by_role("button", name="Not helpful").click()

    await expect(answer).to_contain_text("The agent can look further than this answer.")
    await agent.get_help.click()
    await expect(answer).to_contain_text("Help requested")
    choices = agent.message.get_by_role("group", name=re.compile("^Pick an answer"))
    await expect(choices).to_be_visible()
    # What was read already is not offered again.
    await expect(agent.message).not_to_contain_text("Printer shows as offline")


async def test_a_ticket_of_another_does_not_exist(visits: Visits) -> None:
    maya = await visits.person("maya")
    agent = await Agent.with_draft(maya)
    await agent.file()
    address = await agent.ticket.get_attribute("href")

    ben = await visits.person("ben")
    ben.watch.expect("404 /api/tickets/")
    await ben.go(str(address))
    await expect(ben.page.get_by_role("main")).to_contain_text("This ticket does not exist")


async def test_a_question_is_answered_by_a_key_or_in_own_words(maya: Tab) -> None:
    agent = await Agent.with_question(maya)
    await expect(agent.chat.composer).to_have_attribute("placeholder", "Or type your own answer")
    await agent.chat.composer.press("2")
    await expect(agent.chat.composer).to_have_value("2")
    await agent.chat.composer.fill("")
    await agent.message.press("2")
    await expect(agent.review).to_be_visible()
    await expect(agent.choice("My team")).to_have_attribute("aria-pressed", "true")

    await agent.chat.composer.fill("It began with the update on Sunday")
    await agent.chat.composer.press("Enter")
    await expect(agent.message).to_contain_text("It began with the update on Sunday")
    await expect(agent.review).to_be_visible()
    await expect(agent.chat.questions).to_have_count(1)


async def test_every_state_is_found_again_after_a_reload(maya: Tab) -> None:
    agent = await Agent.with_question(maya)
    await maya.page.reload()
    await expect(agent.bar).to_contain_text("Agent waits for your answer")
    await expect(agent.get_help).to_have_count(0)
    await agent.choice("My team").click()

    await expect(agent.review).to_be_visible()
    await maya.page.reload()
    await expect(agent.bar).to_contain_text("Draft waits for your review")
    await expect(agent.message).to_have_count(1)
    await expect(agent.message).to_contain_text("My team")
    await agent.file()

    await maya.page.reload()
    await expect(agent.ticket).to_be_visible()
    await expect(agent.bar).to_have_count(0)
    await expect(agent.chat.composer).to_have_attribute("placeholder", "Ask something else")


async def test_a_reload_before_the_start_was_confirmed_starts_once(maya: Tab) -> None:
    held: list[Route] = []
    await maya.page.route(_START, lambda route: held.append(route))
    agent = await Agent.asked(maya)
    await expect(agent.message).to_contain_text("The agent is starting")
    await maya.page.unroute(_START)
    await maya.page.reload()

    await expect(agent.choice("My team")).to_be_visible()
    await expect(agent.message).to_have_count(1)
    assert len(await _sessions(maya)) == 1


async def test_a_start_whose_answer_got_lost_is_one_session(maya: Tab) -> None:
    maya.watch.expect("net::ERR_CONNECTION_RESET /api/helpdesk/agent/start")

    async def lose_the_answer(route: Route) -> None:
        await route.fetch()
        await route.abort("connectionreset")

    await maya.page.route(_START, lose_the_answer, times=1)
    with requests_made(maya.page, "POST", "/start") as made:
        agent = await Agent.with_question(maya)
        assert len(made) == 2
    assert len(await _sessions(maya)) == 1
    await expect(agent.message).to_have_count(1)


async def test_a_stream_that_breaks_off_is_followed_from_where_it_was(maya: Tab) -> None:
    async def break_off(route: Route) -> None:
        answer = await route.fetch()
        told = (await answer.text()).split("\n\n")
        await route.fulfill(response=answer, body="\n\n".join(told[:2]) + "\n\n")

    await maya.page.route(_START, break_off, times=1)
    with requests_made(maya.page, "GET", "/events") as followed:
        agent = await Agent.with_question(maya)
        assert followed
    assert len(await _sessions(maya)) == 1
    await maya.page.route(_RESUME, break_off, times=1)
    await agent.choice("My team").click()
    await expect(agent.review).to_be_visible()


async def test_what_another_tab_has_answered_shows_how_it_stands(maya: Tab) -> None:
    agent = await Agent.with_question(maya)
    second = await maya.another()
    await second.go(maya.path)
    other = Agent(second.page)
    await expect(other.choice("My team")).to_be_visible()

    await agent.choice("My team").click()
    await expect(agent.review).to_be_visible()
    maya.watch.expect("409 /api/helpdesk/agent/resume")
    await other.chat.composer.fill("Only me, I think")
    await other.chat.composer.press("Enter")

    await expect(other.review).to_be_visible()
    await expect(second.page.get_by_text("This was answered elsewhere")).not_to_have_count(0)
    await expect(other.chat.composer).to_have_value("Only me, I think")

    await agent.file()
    await second.page.evaluate("window.dispatchEvent(new Event('focus'))")
    await expect(other.ticket).to_be_visible()


async def test_an_answer_that_did_not_arrive_is_called_so_and_kept_over_a_reload(maya: Tab) -> None:
    agent = await Agent.with_question(maya)
    maya.watch.expect("net::ERR_CONNECTION_RESET /api/helpdesk/agent/resume")
    await maya.page.route(_RESUME, lambda route: route.abort("connectionreset"))
    await agent.chat.composer.fill("All of Finance")
    await agent.chat.composer.press("Enter")
    await expect(agent.message).to_contain_text("Not sent yet. Trying again.")
    await expect(agent.bar).to_contain_text("Not sent yet")
    await _spoken(maya.page, "Not sent yet")

    await maya.page.reload()
    await expect(agent.chat.composer).to_have_value("All of Finance")
    await maya.page.unroute(_RESUME)
    await agent.chat.composer.press("Enter")
    await expect(agent.review).to_be_visible()

    await maya.page.route(_RESUME, lambda route: route.abort("connectionreset"))
    await agent.chat.composer.fill("It began on Sunday")
    await agent.chat.composer.press("Enter")
    await expect(agent.bar).to_contain_text("Not sent yet")
    await maya.page.reload()
    await expect(agent.chat.composer).to_have_value("It began on Sunday")
    await expect(agent.review).to_be_visible()


async def test_another_conversation_shows_nothing_of_the_session(maya: Tab) -> None:
    agent = await Agent.with_question(maya)
    await maya.page.get_by_role("button", name="New conversation").click()
    await expect(agent.bar).to_have_count(0)
    await expect(agent.message).to_have_count(0)
    await expect(agent.chat.composer).to_have_attribute("placeholder", "Ask a question")
    await agent.chat.ask(VPN)
    await expect(agent.message).to_have_count(0)

    await agent.chat.list.get_by_role("link", name=re.compile("Oracle")).first.click()
    await expect(agent.choice("My team")).to_be_visible()
    await agent.choice("My team").click()
    await expect(agent.review).to_be_visible()


async def test_closing_the_window_leaves_the_draft_waiting(maya: Tab) -> None:
    agent = await Agent.with_draft(maya)
    await agent.review.click()
    await agent.window.get_by_label("Title").fill("With my words")
    await maya.page.keyboard.press("Escape")
    await expect(agent.window).to_have_count(0)
    await expect(agent.review).to_be_focused()
    await expect(agent.draft).to_contain_text("With my words")

    await agent.review.click()
    await expect(agent.window.get_by_label("Title")).to_have_value("With my words")
    await agent.window.get_by_role("button", name="Not now").click()
    await maya.page.reload()
    await expect(agent.draft).to_contain_text("With my words")

    await agent.chat.composer.fill("It began on Sunday")
    await agent.chat.composer.press("Enter")
    await expect(agent.message).to_contain_text("Your changes were replaced by the new draft.")
    await expect(agent.draft).not_to_contain_text("With my words")
    await agent.file()


async def test_a_refused_file_it_says_so_in_sight(maya: Tab) -> None:
    agent = await Agent.with_draft(maya)
    await agent.review.click()
    maya.watch.expect("503 /api/helpdesk/agent/confirm")
    refusal = {"error": "agent_switched_off", "detail": "Switched off."}
    await maya.page.route(_CONFIRM, lambda route: route.fulfill(status=503, json=refusal), times=1)
    await agent.window.get_by_role("button", name="File it").click()

    notice = agent.window.get_by_text("Nothing was filed. The agent is switched off right now.")
    await expect(notice).to_be_in_viewport(ratio=1)
    await _spoken(maya.page, "Nothing was filed.")
    await agent.window.get_by_role("button", name="File it").click()
    await expect(agent.ticket).to_be_visible()


async def test_cancelling_asks_first_and_files_nothing(maya: Tab) -> None:
    agent = await Agent.with_draft(maya)
    await agent.bar.get_by_role("button", name="Cancel session").click()
    question = maya.page.get_by_role("alertdialog", name="Cancel this session?")
    await question.get_by_role("button", name="Keep going").click()
    await expect(agent.review).to_be_visible()

    await agent.bar.get_by_role("button", name="Cancel session").click()
    await question.get_by_role("button", name="Cancel session").click()
    await expect(agent.message).to_contain_text("It was cancelled.")
    await _spoken(maya.page, "nothing was filed")
    await maya.page.reload()
    await expect(agent.message).to_contain_text("It was cancelled.")

    await maya.page.get_by_role("button", name="Get help again").click()
    await expect(agent.message).to_have_count(2)
    await expect(agent.message.last.get_by_role("button", name="My team")).to_be_visible()


async def test_a_possible_duplicate_is_linked_instead_of_filed(maya: Tab) -> None:
    first = await Agent.with_draft(maya)
    await first.file()
    agent = await Agent.with_draft(maya)
    await expect(agent.draft).to_contain_text("Possible duplicate")
    link = agent.draft.get_by_role("button", name=re.compile(r"^Link to #\d+$")).first
    number = (await link.inner_text()).strip().removeprefix("Link to ")
    await link.click()

    await expect(agent.message).to_contain_text(f"Linked to ticket {number}")
    await agent.message.get_by_role("link", name=f"Ticket {number}").click()
    await expect(maya.page.get_by_role("main")).to_contain_text(f"Ticket {number}")


async def test_two_clicks_on_file_it_file_once(maya: Tab) -> None:
    agent = await Agent.with_draft(maya)
    await agent.review.click()
    with requests_made(maya.page, "POST", "/confirm") as made:
        await agent.window.get_by_role("button", name="File it").dblclick()
        await expect(agent.ticket).to_be_visible()
    assert len(made) == 1


async def test_on_a_phone_the_whole_way_works_by_touch(visits: Visits) -> None:
    maya = await visits.person("maya", "phone")
    agent = await Agent.with_question(maya)
    await agent.choice("My team").tap()
    await agent.review.tap()
    await expect(agent.window.get_by_role("button", name="File it")).to_be_in_viewport()
    await agent.window.get_by_role("button", name="File it").tap()
    await agent.ticket.tap()
    await expect(maya.page.get_by_role("region", name="Details")).to_be_visible()


async def test_the_whole_way_needs_no_mouse(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.choose_mode("Agent")
    await chat.ask(UNRESOLVED)
    agent = Agent(maya.page)
    await agent.get_help.focus()
    await maya.page.keyboard.press("Enter")
    await expect(agent.choice("My team")).to_be_visible()
    await expect(agent.message).to_be_focused()
    await maya.page.keyboard.press("2")

    await expect(agent.review).to_be_visible()
    await expect(agent.message).to_be_focused()
    await agent.review.focus()
    await maya.page.keyboard.press("Enter")
    await expect(agent.window.get_by_label("Title")).to_be_focused()
    await maya.page.keyboard.press("End")
    await maya.page.keyboard.type(", again")
    await expect(agent.window.get_by_role("region")).to_contain_text(", again")
    await maya.page.keyboard.press("Control+Enter")

    await expect(agent.ticket).to_be_visible()
    await expect(agent.message).to_be_focused()
