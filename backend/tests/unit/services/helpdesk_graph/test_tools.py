"""Which tools there are, and a search of the web through wrapper, adapter and Tavily's client."""

from typing import Any, cast
from uuid import UUID

import pytest

from backend.app.domain.budgets import Tools
from backend.app.domain.principals import UserId
from backend.app.domain.sessions import TOOL_NAMES, NextAction, StepStatus, ToolBudgets
from backend.app.providers.web_search import CannedWebSearch
from backend.app.providers.web_search_tavily import tavily_search
from backend.app.services.helpdesk_graph.rules import SENTINEL_QUESTION
from backend.app.services.helpdesk_graph.state import HelpdeskState
from backend.app.services.helpdesk_graph.tools import AgentTools, Tool, Use
from backend.app.services.tools.bounded import BOUNDS, ToolMemory
from backend.app.services.tools.web_search import WebSearch, web_search_documents
from backend.tests.support.tavily import PAGES, Answer, fake_tavily, of, refusal


async def _at_once(_seconds: float) -> None:
    """A pause that takes no time."""


def _tools(web: WebSearch | None) -> AgentTools:
    nothing = cast(Any, None)
    return AgentTools(nothing, nothing, nothing, web, pause=_at_once)


def _tool(tools: AgentTools, action: NextAction) -> Tool:
    return next(one for one in tools.catalogue() if one.action is action)


def _use(query: str, *, left: float = 60.0, switched_on: Tools | None = None) -> Use:
    return Use(
        query=query,
        actor=UserId(UUID(int=1)),
        switched_on=switched_on or Tools(),
        question=query,
        budgets=ToolBudgets(),
        time_left=lambda: left,
    )


def test_the_catalogue_is_whole() -> None:
    catalogue = _tools(None).catalogue()

    assert {one.action for one in catalogue} == set(TOOL_NAMES)
    assert {one.name for one in catalogue} <= set(BOUNDS)
    assert {one.name for one in catalogue if not one.is_outside} == {
        "retry_kb",
        "search_existing_issues",  # no tracker is set up here
    }
    for one in catalogue:
        assert {one.attempts, one.results, one.asked} <= set(HelpdeskState.__annotations__)


def test_a_tool_with_nothing_behind_it_is_not_there() -> None:
    assert not _tools(CannedWebSearch()).present(Tools(), "why?").web_search
    assert _tools(CannedWebSearch()).present(Tools(), SENTINEL_QUESTION).web_search
    assert not _tools(None).present(Tools(), "why?").web_search
    assert not _tools(CannedWebSearch()).present(Tools(web_search=False), "why?").web_search
    assert _tools(None).present(Tools(), "why?").retry_kb
    assert not _tools(None).present(Tools(search_duplicates=False), "why?").search_duplicates


@pytest.mark.parametrize(
    ("answers", "status", "cause", "requests"),
    [
        ([of(PAGES)], StepStatus.OK, "ok", 1),
        ([of([])], StepStatus.EMPTY, "empty", 1),
        ([refusal(503), of(PAGES)], StepStatus.OK, "ok", 2),
        ([refusal(500)], StepStatus.FAILED, "unavailable", 2),
        ([Answer(hangs_up=True), of(PAGES)], StepStatus.OK, "ok", 2),
        ([refusal(429)], StepStatus.FAILED, "too_many", 1),
        ([refusal(401)], StepStatus.FAILED, "forbidden", 1),
        ([Answer(200, b"not json")], StepStatus.FAILED, "upstream", 1),
        ([Answer(200, b" " * 2_000_000)], StepStatus.FAILED, "too_large", 1),
    ],
)
async def test_a_search_of_the_web_ends_in_a_result_whatever_the_service_does(
    answers: list[Answer], status: StepStatus, cause: str, requests: int
) -> None:
    async with fake_tavily(*answers) as fake, tavily_search("tvly-x", fake.url) as web:
        tools = _tools(web)
        tool = _tool(tools, NextAction.WEB_SEARCH)
        result = await tools.use(tool, _use("the vpn drops"), ToolMemory())

    assert (result.status, result.cause, len(fake.asked)) == (status, cause, requests)


async def test_a_service_that_never_answers_is_left_in_time() -> None:
    answer = Answer(never=True)
    async with fake_tavily(answer) as fake, tavily_search("tvly-x", fake.url) as web:
        tools = _tools(web)
        tool = _tool(tools, NextAction.WEB_SEARCH)
        result = await tools.use(tool, _use("the vpn drops", left=0.2), ToolMemory())

    assert result.status is StepStatus.TIMED_OUT


async def test_a_repeated_search_is_not_billed_and_no_secret_is_sent() -> None:
    async with fake_tavily() as fake, tavily_search("tvly-x", fake.url) as web:
        tools, memory = _tools(web), ToolMemory()
        tool = _tool(tools, NextAction.WEB_SEARCH)
        first, again = [
            await tools.use(tool, _use("my password is Tr0ub4dor&3xyz and it fails"), memory)
            for _ in range(2)
        ]

    assert fake.queries == ["my password is [redacted: password] and it fails"]
    assert (first.is_cached, again.is_cached) == (False, True)
    assert again.items == first.items
    assert set(first.items[0]) == {"title", "url", "snippet"}


async def test_what_was_switched_off_since_it_was_chosen_is_not_called() -> None:
    async with fake_tavily() as fake, tavily_search("tvly-x", fake.url) as web:
        tools = _tools(web)
        tool = _tool(tools, NextAction.WEB_SEARCH)
        use = _use("the vpn drops", switched_on=Tools(web_search=False))
        result = await tools.use(tool, use, ToolMemory())

    assert result.status is StepStatus.SWITCHED_OFF
    assert fake.connections == 0


async def test_each_address_is_taken_once() -> None:
    twice = of([PAGES[0], PAGES[0], PAGES[1]])
    async with fake_tavily(twice) as fake, tavily_search("tvly-x", fake.url) as web:
        found = await web_search_documents(web, "vpn")

    assert [one["url"] for one in found] == [PAGES[0]["url"], PAGES[1]["url"]]
