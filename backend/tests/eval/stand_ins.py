"""What is handed to the agent instead of its own: tools that are watched, and fail when told to.

They stand beneath the agent's tools, so that time limits, redaction and their own failures are the
real ones.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from backend.app.core.clock import SystemClock
from backend.app.core.errors import Upstream
from backend.app.domain.principals import UserId
from backend.app.domain.sessions import CandidateSource
from backend.app.domain.tickets import Candidate, TicketStatus
from backend.app.domain.web import WebPage
from backend.app.providers.web_search import CannedWebSearch
from backend.app.services.helpdesk.duplicates import Duplicates
from backend.app.services.helpdesk_graph.tools import AgentTools
from backend.app.services.knowledge.library import KnowledgeLibrary
from backend.tests.eval.scenario import Fault, Issue, Page, Tool, ToolResults


class SearchElsewhereFailed(Upstream):
    """A search elsewhere gave no usable answer."""


@dataclass(slots=True)
class Props:
    """The tools of one session: what they give, how they fail, and what was asked of them."""

    results: ToolResults = field(default_factory=ToolResults)
    #: Tool and query of every call, in order.
    calls: list[tuple[Tool, str]] = field(default_factory=list)
    #: Every text that a tool gave.
    given: list[str] = field(default_factory=list)
    has_hung: asyncio.Event = field(default_factory=asyncio.Event)

    async def call(self, tool: Tool, query: str) -> None:
        """Note a call, and fail if it is to fail."""
        self.calls.append((tool, query))
        found = getattr(self.results, tool.value)
        if not isinstance(found, Fault):
            return
        if found.fault == "failed":
            raise SearchElsewhereFailed
        if found.fault == "timed_out":
            raise TimeoutError
        if found.fault == "broken":
            raise RuntimeError("a fault that nobody foresaw")
        self.has_hung.set()
        await asyncio.Event().wait()


@dataclass(slots=True)
class Stagehand:
    """Hands every call to the props of the session that is played now."""

    props: Props = field(default_factory=Props)

    def around(self, tools: AgentTools) -> AgentTools:
        """The agent's tools over watched ones."""
        return replace(
            tools,
            library=cast(KnowledgeLibrary, _WatchedLibrary(tools.library, self)),
            duplicates=cast(Duplicates, _WatchedDuplicates(tools.duplicates, self)),
            web=_StandInWeb(self),
        )


@dataclass(frozen=True, slots=True)
class _WatchedLibrary:
    real: KnowledgeLibrary
    stage: Stagehand

    async def search(self, query: str) -> Any:
        props = self.stage.props
        await props.call(Tool.RETRY_KB, query)
        found = await self.real.search(query)
        for hit in found.hits:
            spans = [span.text for span in (hit.opening, hit.passage) if span is not None]
            props.given.append("\n".join([hit.title, *spans]))
        return found


@dataclass(frozen=True, slots=True)
class _StandInWeb:
    stage: Stagehand
    canned: CannedWebSearch = field(default_factory=CannedWebSearch)

    def covers(self, question: str) -> bool:
        found = self.stage.props.results.web_search
        return self.canned.covers(question) if found == "demo" else found is not None

    async def search(self, query: str) -> Sequence[WebPage]:
        props = self.stage.props
        await props.call(Tool.WEB_SEARCH, query)
        found = props.results.web_search
        if found == "demo":
            pages = list(await self.canned.search(query))
        else:
            assert isinstance(found, tuple)
            pages = [_page(one) for one in found]
        props.given += ["\n".join([one.title, one.url, one.snippet]) for one in pages]
        return pages


def _page(page: Page) -> WebPage:
    return WebPage(page.title, page.url, " ".join([page.snippet] * page.times))


@dataclass(frozen=True, slots=True)
class _WatchedDuplicates:
    real: Duplicates
    stage: Stagehand

    async def search(self, query: str, person: UserId, **which: Any) -> Sequence[Candidate]:
        props = self.stage.props
        await props.call(Tool.SEARCH_EXISTING_ISSUES, query)
        scripted = props.results.search_existing_issues
        if isinstance(scripted, tuple):
            found: Sequence[Candidate] = [_candidate(one, query) for one in scripted]
        else:
            found = await self.real.search(query, person, **which)
        props.given += [f"#{one.number} {one.title}" for one in found]
        return found


def _candidate(issue: Issue, query: str) -> Candidate:
    common = {*issue.title.lower().split()} & {*query.lower().split()}
    return Candidate(
        source=CandidateSource.DESK,
        number=issue.number,
        title=issue.title,
        status=TicketStatus(issue.status),
        url=f"/my/tickets/{issue.number}",
        odds=issue.odds,
        evidence=tuple(sorted(common)),
        created_at=SystemClock().now(),
    )
