"""The views that are looked at in every appearance, and how to get there."""

from collections.abc import Awaitable, Callable

from playwright.async_api import expect

from tests.e2e.support.pages import PRINTER, UNRESOLVED, Chat, SignIn
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
    await answer.get_by_role("button", name="Get help").click()
    await expect(answer).to_contain_text("Nothing was sent.")
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
    "account": _account,
}
