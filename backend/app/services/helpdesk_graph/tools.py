"""What the agent looks things up with. A tool never raises for what may be foreseen: its result
says how it went. One wrapper gives every call its time limit and redacts its query.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from backend.app.core.errors import AppError
from backend.app.core.text import shorten
from backend.app.db.uow import UnitOfWork
from backend.app.domain.budgets import Tools
from backend.app.domain.principals import Role, UserId
from backend.app.domain.redaction import redact
from backend.app.domain.sessions import StepStatus
from backend.app.domain.tickets import Candidate
from backend.app.services.chat.answering import suggestions
from backend.app.services.helpdesk_graph.state import ProposedSolution
from backend.app.services.helpdesk_graph.tracing import trace_agent_tool
from backend.app.services.knowledge.library import KnowledgeLibrary

_KB_SECONDS = 12.0
_WEB_SECONDS = 10.0
_DUPLICATES_SECONDS = 8.0
_MAX_KB_RESULTS = 4
_MAX_CANDIDATES = 3
#: Below these odds a ticket is more likely about something else.
_MIN_ODDS = 0.4
_MAX_TITLE = 120


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back, as JSON values; ``status`` is never ``running``."""

    status: StepStatus
    items: list[Any] = field(default_factory=list)


class WebSearch(Protocol):
    """A search of the web."""

    def covers(self, question: str) -> bool:
        """Whether it is there for this question at all."""

    async def search(self, query: str) -> Sequence[dict[str, str]]:
        """Pages as ``title``, ``url`` and ``snippet``."""


async def _within(
    seconds: float, call: Callable[[str], Awaitable[list[Any]]], query: str
) -> ToolResult:
    try:
        async with asyncio.timeout(seconds):
            items = await call(redact(query).text)
    except TimeoutError:
        return ToolResult(StepStatus.TIMED_OUT)
    except AppError:
        return ToolResult(StepStatus.FAILED)
    return ToolResult(StepStatus.OK if items else StepStatus.EMPTY, items)


@dataclass(frozen=True, slots=True)
class AgentTools:
    """The tools over what this installation has; without a web search that one is switched off."""

    uow: UnitOfWork
    library: KnowledgeLibrary
    web: WebSearch | None = None

    def present(self, switched_on: Tools, question: str) -> Tools:
        """Of the tools that are switched on, those that have something behind them."""
        has_web = self.web is not None and self.web.covers(question)
        return Tools(
            retry_kb=switched_on.retry_kb,
            web_search=switched_on.web_search and has_web,
            search_duplicates=switched_on.search_duplicates,
        )

    @trace_agent_tool("retry_kb")
    async def retry_kb(self, query: str, *, time_left: float) -> ToolResult:
        """Articles that may hold a fix, each as it could be proposed."""
        return await _within(min(_KB_SECONDS, time_left), self._articles, query)

    async def _articles(self, query: str) -> list[Any]:
        found = suggestions(await self.library.search(query), limit=_MAX_KB_RESULTS)
        return [
            ProposedSolution(
                title=shorten(one.title, _MAX_TITLE),
                article_id=str(one.article_id),
                text=one.content,
                sources=[
                    {**asdict(source), "article_id": str(source.article_id)}
                    for source in one.sources
                ],
                coverage=round(one.coverage, 3),
            )
            for one in found
        ]

    @trace_agent_tool("web_search")
    async def web_search(self, query: str, *, time_left: float) -> ToolResult:
        """Pages of the web."""
        if self.web is None:
            return ToolResult(StepStatus.SWITCHED_OFF)
        return await _within(min(_WEB_SECONDS, time_left), self._pages, query)

    async def _pages(self, query: str) -> list[Any]:
        assert self.web is not None  # `web_search` looked
        return list(await self.web.search(query))

    @trace_agent_tool("search_existing_issues")
    async def search_existing_issues(
        self, query: str, actor: UserId, *, time_left: float
    ) -> ToolResult:
        """Tickets that may be about the same: the person's own, for operators everybody's."""

        async def candidates(redacted: str) -> list[Any]:
            found = await self._candidates(redacted, actor)
            return [_as_json(one) for one in found if one.odds >= _MIN_ODDS]

        return await _within(min(_DUPLICATES_SECONDS, time_left), candidates, query)

    async def _candidates(self, query: str, actor: UserId) -> Sequence[Candidate]:
        async with self.uow() as work:
            # The role as it is now, not as it was when the session began.
            found = await work.identity.user_by_id(actor)
            if found is None or not found[0].is_active:
                return []
            return await work.tickets.candidates(
                query,
                actor,
                everybodys=found[0].role.includes(Role.OPERATOR),
                limit=_MAX_CANDIDATES,
            )


def _as_json(candidate: Candidate) -> dict[str, Any]:
    return {
        **asdict(candidate),
        "source": candidate.source.value,
        "status": candidate.status.value,
        "evidence": list(candidate.evidence),
        "created_at": candidate.created_at.isoformat(),
    }
