"""What the agent looks things up with: each tool is its call and its parsing, and a row of the
catalogue. The wrapper around all of them is `services/tools/bounded.py`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import Any

from backend.app.core.errors import AppError, ErrorKind
from backend.app.core.text import shorten
from backend.app.db.uow import UnitOfWork
from backend.app.domain.budgets import Tools
from backend.app.domain.principals import Role, UserId
from backend.app.domain.sessions import TOOL_NAMES, NextAction, ToolBudgets
from backend.app.domain.tickets import Candidate
from backend.app.services.chat.answering import suggestions
from backend.app.services.helpdesk.duplicates import Duplicates
from backend.app.services.helpdesk.issue_search import IssueSearch
from backend.app.services.helpdesk_graph.state import MAX_PROPOSAL_TITLE, ProposedSolution
from backend.app.services.helpdesk_graph.tracing import trace_agent_tool
from backend.app.services.knowledge.library import KnowledgeLibrary
from backend.app.services.tools import bounded
from backend.app.services.tools.bounded import (
    Asked,
    Leaves,
    PartlyFailed,
    Pause,
    ToolMemory,
    ToolResult,
)
from backend.app.services.tools.web_search import WebSearch, web_search_documents

_MAX_KB_RESULTS = 4
_MAX_CANDIDATES = 3
#: Below these odds a ticket is not worth a person's look: of 200 real questions that had no
#: duplicate, most were shown one at odds of .15 to .3.
_MIN_ODDS = 0.3
#: Of an issue, whose odds are only what both share.
_MIN_SHARED = 0.4
#: How long the tracker is waited for, so that what the desk has is not lost with it.
_OUTSIDE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of the catalogue.

    ``attempts``, ``results`` and ``asked`` are the state's keys for how often it was used, what it
    found, and the query of its last use; ``place`` is what a person reads that was searched.
    ``is_outside``: what it is asked with may leave the house.
    """

    action: NextAction
    attempts: str
    results: str
    asked: str
    place: str
    limit: Callable[[ToolBudgets], int]
    is_on: Callable[[Tools], bool]
    find: Callable[[str, UserId], Awaitable[Sequence[Any]]]
    is_outside: bool = True

    @property
    def name(self) -> str:
        """What it is called in metrics and audit lines."""
        return TOOL_NAMES[self.action]


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a tool: what is looked for, for whom, and within which limits."""

    query: str
    actor: UserId
    switched_on: Tools
    question: str
    budgets: ToolBudgets
    time_left: Callable[[], float]


@dataclass(frozen=True, slots=True)
class AgentTools:
    """The tools over what this installation has; without a web search that one is switched off."""

    uow: UnitOfWork
    library: KnowledgeLibrary
    duplicates: Duplicates
    web: WebSearch | None = None
    #: What of a query may leave the house, for the tools that ask elsewhere.
    leaves: Leaves = bounded.without_secrets
    pause: Pause = asyncio.sleep
    issues: IssueSearch | None = field(default=None, kw_only=True)

    def catalogue(self) -> tuple[Tool, ...]:
        """Every tool that the agent has."""
        return (
            Tool(
                NextAction.RETRY_KB,
                attempts="kb_retry_attempts",
                results="kb_retry_results",
                asked="last_kb_query",
                place="knowledge base",
                limit=lambda budgets: budgets.tool_retries,
                is_on=lambda tools: tools.retry_kb,
                find=self.retry_kb,
                is_outside=False,
            ),
            Tool(
                NextAction.WEB_SEARCH,
                attempts="web_search_attempts",
                results="web_search_results",
                asked="last_web_query",
                place="the web",
                limit=lambda budgets: budgets.tool_retries,
                is_on=lambda tools: tools.web_search,
                find=self.web_search,
            ),
            Tool(
                NextAction.SEARCH_DUPLICATES,
                attempts="duplicate_searches",
                results="duplicate_candidates",
                asked="last_duplicates_query",
                place="existing tickets",
                limit=lambda budgets: budgets.duplicate_searches,
                is_on=lambda tools: tools.search_duplicates,
                find=self.search_existing_issues,
                is_outside=self.issues is not None,
            ),
        )

    def present(self, switched_on: Tools, question: str) -> Tools:
        """Of the tools that are switched on, those that have something behind them."""
        has_web = self.web is not None and self.web.covers(question)
        return Tools(
            retry_kb=switched_on.retry_kb,
            web_search=switched_on.web_search and has_web,
            search_duplicates=switched_on.search_duplicates,
        )

    @trace_agent_tool(
        lambda called: str(called["tool"].name), told=lambda called: {"query": called["use"].query}
    )
    async def use(self, tool: Tool, use: Use, memory: ToolMemory) -> ToolResult:
        """Use a tool; switches and budgets are looked at once more."""

        async def find(query: str) -> Sequence[Any]:
            return await tool.find(query, use.actor)

        asked = Asked(
            tool=tool.name,
            query=use.query,
            is_on=tool.is_on(self.present(use.switched_on, use.question)),
            limit=tool.limit(use.budgets),
            time_left=use.time_left,
        )
        leaves = self.leaves if tool.is_outside else bounded.without_secrets
        return await bounded.use(asked, find, memory, leaves=leaves, pause=self.pause)

    async def retry_kb(self, query: str, _actor: UserId) -> Sequence[Any]:
        """Articles that may hold a fix, each as it could be proposed."""
        found = suggestions(await self.library.search(query), limit=_MAX_KB_RESULTS)
        return [
            ProposedSolution(
                title=shorten(one.title, MAX_PROPOSAL_TITLE),
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

    async def web_search(self, query: str, _actor: UserId) -> Sequence[Any]:
        """Pages of the web."""
        assert self.web is not None  # `present` looked
        return await web_search_documents(self.web, query)

    async def search_existing_issues(self, query: str, actor: UserId) -> Sequence[Any]:
        """Tickets that may be about the same: the person's own, for operators everybody's; and
        issues of the tracker.

        Raises:
            PartlyFailed: the tracker gave no answer; with what the desk has.
        """
        ours = [one for one in await self._candidates(query, actor) if one.odds >= _MIN_ODDS]
        if self.issues is None:
            return [_as_json(one) for one in ours]
        try:
            async with asyncio.timeout(_OUTSIDE_SECONDS):
                theirs = await self.issues.candidates(query, actor)
        except TimeoutError as error:
            raise PartlyFailed([_as_json(one) for one in ours], ErrorKind.UPSTREAM) from error
        except AppError as error:
            raise PartlyFailed(
                [_as_json(one) for one in ours], error.kind, retry_after=error.retry_after
            ) from error
        shared = [one for one in theirs if one.odds >= _MIN_SHARED]
        return [_as_json(one) for one in _in_turn(ours, shared)[:_MAX_CANDIDATES]]

    async def _candidates(self, query: str, actor: UserId) -> Sequence[Candidate]:
        async with self.uow() as work:
            # The role as it is now, not as it was when the session began.
            found = await work.identity.user_by_id(actor)
            if found is None or not found[0].is_active:
                return []
            everybodys = found[0].role.includes(Role.OPERATOR)
        return await self.duplicates.search(
            query, actor, everybodys=everybodys, limit=_MAX_CANDIDATES
        )


def _in_turn(ours: Sequence[Candidate], theirs: Sequence[Candidate]) -> list[Candidate]:
    """Both lists' best by turns: their odds do not measure the same."""
    pairs = zip_longest(ours, theirs)
    return [one for pair in pairs for one in pair if one is not None]


def _as_json(candidate: Candidate) -> dict[str, Any]:
    return {
        **asdict(candidate),
        "source": candidate.source.value,
        "status": candidate.status.value,
        "sameness": candidate.sameness.value,
        "evidence": list(candidate.evidence),
        "created_at": candidate.created_at.isoformat(),
    }
