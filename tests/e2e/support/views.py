"""The views that are looked at in every appearance, and how to get there."""

from collections.abc import Awaitable, Callable

from playwright.async_api import expect

from tests.e2e.support.pages import PRINTER, UNRESOLVED, Agent, Chat, SignIn
from tests.e2e.support.tabs import Look, Tab, Visits


async def _sign_in(visits: Visits, look: Look) -> Tab:
    tab = await visits.guest(look)
    await tab.go("/login")
    await expect(SignIn(tab.page).title).to_be_visible()
    return tab


async def _empty_chat(visits: Visits, look: Look) -> Tab:
    tab = await visits.person("maya", look)
    await Chat.opened(tab)
    await expect(tab.page.get_by_text("For example")).to_be_visible()
    return tab


async def _answer(visits: Visits, look: Look) -> Tab:
    tab = await visits.person("maya", look)
    chat = await Chat.opened(tab)
    await chat.ask(PRINTER)
    return tab


async def _source(visits: Visits, look: Look) -> Tab:
    tab = await _answer(visits, look)
    chat = Chat(tab.page)
    await chat.citations.first.click()
    await expect(chat.source.highlight.first).to_be_in_viewport()
    return tab


async def _unresolved(visits: Visits, look: Look) -> Tab:
    tab = await visits.person("maya", look)
    chat = await Chat.opened(tab)
    await chat.choose_mode("Agent")
    answer = await chat.ask(UNRESOLVED)
    await expect(answer.get_by_role("button", name="Get help")).to_be_visible()
    return tab


async def _agent_question(visits: Visits, look: Look) -> Tab:
    tab = await visits.person("maya", look)
    await Agent.with_question(tab)
    return tab


async def _agent_draft(visits: Visits, look: Look) -> Tab:
    tab = await visits.person("maya", look)
    await Agent.with_draft(tab)
    return tab


async def _draft_window(visits: Visits, look: Look) -> Tab:
    tab = await _agent_draft(visits, look)
    agent = Agent(tab.page)
    await agent.review.click()
    await expect(agent.window.get_by_role("button", name="File it")).to_be_visible()
    return tab


async def _agent_filed(visits: Visits, look: Look) -> Tab:
    tab = await _agent_draft(visits, look)
    await Agent(tab.page).file()
    return tab


async def _ticket(visits: Visits, look: Look) -> Tab:
    tab = await _agent_filed(visits, look)
    await Agent(tab.page).ticket.click()
    await expect(tab.page.get_by_role("region", name="Details")).to_be_visible()
    return tab


async def _my_tickets(visits: Visits, look: Look) -> Tab:
    tab = await _agent_filed(visits, look)
    await tab.go("/my/tickets")
    await expect(tab.page.get_by_role("list", name="My tickets")).to_be_visible()
    return tab


async def _account(visits: Visits, look: Look) -> Tab:
    tab = await visits.person("maya", look)
    await tab.go("/account")
    await expect(tab.page.get_by_role("region", name="API tokens")).to_contain_text("token")
    return tab


VIEWS: dict[str, Callable[[Visits, Look], Awaitable[Tab]]] = {
    "sign-in": _sign_in,
    "empty-chat": _empty_chat,
    "answer": _answer,
    "source": _source,
    "unresolved": _unresolved,
    "agent-question": _agent_question,
    "agent-draft": _agent_draft,
    "draft-window": _draft_window,
    "agent-filed": _agent_filed,
    "ticket": _ticket,
    "my-tickets": _my_tickets,
    "account": _account,
}
