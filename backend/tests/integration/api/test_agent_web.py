"""A search of the web in a session: sent once and redacted, shown, drafted and counted."""

from typing import Any

import pytest
from pydantic import SecretStr

from backend.app.bootstrap import Container, WebSearchNotThere, build
from backend.app.core.settings import Settings
from backend.app.core.web_search_settings import WebSearchProvider, WebSearchSettings
from backend.app.db.uow import TransactionHeldAcrossWait, UnitOfWork
from backend.app.services.counters import movements
from backend.app.services.tools.bounded import Asked, ToolMemory, use
from backend.tests.support.agent import application, facts, reply, session_of, started
from backend.tests.support.people import Person
from backend.tests.support.tavily import PAGES, FakeTavily, fake_tavily, of, refusal

QUESTION = "The VPN drops after sleep, my password is Tr0ub4dor&3xyz"


def _with(settings: Settings, **web: Any) -> Settings:
    return settings.model_copy(update={"web_search": WebSearchSettings.model_validate(web)})


def _over(settings: Settings, fake: FakeTavily) -> Settings:
    key = SecretStr("tvly-of-a-test")
    return _with(settings, provider=WebSearchProvider.TAVILY, api_key=key, base_url=fake.url)


async def _to_the_draft(client: Any) -> list[dict[str, Any]]:
    """The turns of a session that wants a ticket after all."""
    turns = [await started(client, QUESTION)]
    while turns[-1]["kind"] == "question" and len(turns) < 6:
        turns.append((await reply(client, turns[-1], reply="since monday")).json())
    assert turns[-1]["kind"] == "draft_ready", turns[-1]
    return turns


async def test_what_was_found_is_shown_and_stands_in_the_draft(
    settings: Settings, container: Container, requester: Person
) -> None:
    async with fake_tavily() as fake, application(_over(settings, fake)) as own:
        client = await own.client(requester)
        turns = await _to_the_draft(client)

    assert turns[0]["web_results"][0]["url"] == PAGES[0]["url"]
    assert turns[0]["web_results"][0]["snippet"].startswith("Restart the adapter")
    assert "## Found on the web, not checked" in turns[-1]["body_preview"]
    assert (
        "- VPN client loses its route after sleep: https://example.org/vpn/route?after=sleep\n"
        in turns[-1]["body_preview"]
    )
    assert "- the web" in turns[-1]["body_preview"]
    assert len(fake.queries) == 1, "what found something is not searched again"
    assert "Tr0ub4dor" not in str(fake.asked)


async def test_where_nothing_was_found_it_is_searched_once_more_with_what_is_known_then(
    settings: Settings, container: Container, requester: Person
) -> None:
    async with fake_tavily(of([])) as fake, application(_over(settings, fake)) as own:
        turns = await _to_the_draft(await own.client(requester))

    assert len(fake.queries) == 2
    assert fake.queries[0] != fake.queries[1]
    assert all(turn["web_results"] is None for turn in turns)
    assert "Found on the web" not in turns[-1]["body_preview"]


@pytest.mark.parametrize(
    ("status", "requests", "reason"), [(503, 2, "unavailable"), (401, 1, "forbidden")]
)
async def test_a_service_that_is_down_is_gone_on_without_and_told_of(
    settings: Settings,
    container: Container,
    requester: Person,
    status: int,
    requests: int,
    reason: str,
) -> None:
    async with fake_tavily(refusal(status)) as fake, application(_over(settings, fake)) as own:
        client = await own.client(requester)
        turn = await started(client, QUESTION)
        steps = (await session_of(client, turn))["steps"]

    assert len(fake.queries) == requests
    [step] = [one for one in steps if one["action"] == "web_search"]
    assert (step["status"], step["found"], step["is_cached"]) == ("failed", 0, False)
    told = await facts(container, "agent.tool_call")
    [fact] = [one for one in told if one["data"]["tool"] == "web_search"]
    counted = {one.name: one.labels for one in movements("agent.tool_call", fact["data"])}
    assert counted["chatbot_helpdesk_agent_tool_total"] == {
        "tool": "web_search",
        "outcome": "error",
        "reason": reason,
    }


async def test_the_search_for_duplicates_is_told_of_under_its_tools_name(
    settings: Settings, container: Container, requester: Person
) -> None:
    async with application(settings) as own:
        await started(await own.client(requester), QUESTION)

    told = [one["data"] for one in await facts(container, "agent.tool_call")]
    [data] = [one for one in told if one["tool"] == "search_existing_issues"]
    moved = {one.name: one.labels for one in movements("agent.tool_call", data)}
    assert moved["chatbot_helpdesk_agent_step_total"]["step"] == "search_duplicates"


async def test_what_the_session_knew_moves_no_counter_of_searches() -> None:
    data = {"tool": "web_search", "outcome": "ok", "duration_ms": 0, "is_cached": True}
    names = {one.name for one in movements("agent.tool_call", data)}

    assert names == {"chatbot_helpdesk_agent_step_total"}


async def test_a_test_asks_nobody_outside_this_machine(settings: Settings) -> None:
    outside = _with(settings, provider=WebSearchProvider.TAVILY, api_key=SecretStr("tvly-x"))
    with pytest.raises(WebSearchNotThere, match="outside this machine"):
        async with build(outside):
            pass


async def test_pages_that_are_not_there_are_said_at_the_start(settings: Settings) -> None:
    away = _with(settings, provider=WebSearchProvider.LOCAL, path="/nowhere/pages")
    with pytest.raises(WebSearchNotThere, match="HELPDESK_WEB_SEARCH_PATH"):
        async with build(away):
            pass


async def test_no_tool_is_used_while_a_transaction_is_open(uow: UnitOfWork) -> None:
    async def never(_query: str) -> list[Any]:
        raise AssertionError("it was called")

    asked = Asked("web_search", "vpn", is_on=True, limit=1, time_left=lambda: 1.0)
    async with uow():
        with pytest.raises(TransactionHeldAcrossWait):
            await use(asked, never, ToolMemory())
