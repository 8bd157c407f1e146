"""A tool never raises for what may be foreseen; its query holds no secret and its time is short."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from backend.app.core.errors import Unavailable
from backend.app.domain.budgets import Tools
from backend.app.domain.sessions import StepStatus
from backend.app.providers.web_search import CannedWebSearch
from backend.app.services.helpdesk_graph.rules import SENTINEL_QUESTION
from backend.app.services.helpdesk_graph.tools import AgentTools, WebSearch


class _Web:
    def __init__(self, *pages: dict[str, str], fault: Exception | None = None) -> None:
        self.pages, self.fault = pages, fault
        self.queries: list[str] = []

    def covers(self, _question: str) -> bool:
        return True

    async def search(self, query: str) -> Sequence[dict[str, str]]:
        self.queries.append(query)
        if self.fault is not None:
            raise self.fault
        return self.pages


class _NeverAnswers:
    def covers(self, _question: str) -> bool:
        return True

    async def search(self, _query: str) -> Sequence[dict[str, str]]:
        await asyncio.Event().wait()
        return ()


PAGE = {"title": "t", "url": "https://example.invalid", "snippet": "s"}


def _tools(web: WebSearch | None) -> AgentTools:
    return AgentTools(cast(Any, None), cast(Any, None), cast(Any, None), web)


@pytest.mark.parametrize(
    ("web", "status", "found"),
    [
        (_Web(PAGE), StepStatus.OK, 1),
        (_Web(), StepStatus.EMPTY, 0),
        (_Web(fault=Unavailable()), StepStatus.FAILED, 0),
        (_NeverAnswers(), StepStatus.TIMED_OUT, 0),
        (None, StepStatus.SWITCHED_OFF, 0),
    ],
)
async def test_how_a_search_went_is_its_result(
    web: WebSearch | None, status: StepStatus, found: int
) -> None:
    result = await _tools(web).web_search("403 on reports", time_left=0.05)

    assert (result.status, len(result.items)) == (status, found)


async def test_without_time_nothing_is_waited_for() -> None:
    result = await _tools(_NeverAnswers()).web_search("403 on reports", time_left=0.0)

    assert result.status is StepStatus.TIMED_OUT


async def test_a_fault_of_ours_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        await _tools(_Web(fault=ZeroDivisionError())).web_search("403", time_left=1.0)


async def test_a_query_leaves_without_its_secrets() -> None:
    web = _Web()
    await _tools(web).web_search("my password is Tr0ub4dor&3xyz and it fails", time_left=1.0)

    assert web.queries == ["my password is [redacted: password] and it fails"]


def test_a_tool_with_nothing_behind_it_is_not_there() -> None:
    assert not _tools(CannedWebSearch()).present(Tools(), "why?").web_search
    assert _tools(CannedWebSearch()).present(Tools(), SENTINEL_QUESTION).web_search
    assert not _tools(None).present(Tools(), "why?").web_search
    assert _tools(_Web()).present(Tools(), "why?").web_search
    assert not _tools(_Web()).present(Tools(web_search=False), "why?").web_search
    assert _tools(None).present(Tools(), "why?").retry_kb
    assert not _tools(None).present(Tools(search_duplicates=False), "why?").search_duplicates
