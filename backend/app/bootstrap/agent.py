"""What the agent is made of: its parts, the run engine under it, and what stands outside."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from backend.app.core.clock import Clock
from backend.app.core.errors import Unavailable
from backend.app.core.ids import IdSource
from backend.app.core.settings import Environment, Settings
from backend.app.core.tasks import Tasks
from backend.app.core.web_search_settings import WebSearchProvider
from backend.app.db.notify import Bell
from backend.app.db.uow import UnitOfWork
from backend.app.domain.language_models import LanguageModel
from backend.app.domain.runs import NOTIFY_CHANNEL, GraphKind, OwnerId
from backend.app.domain.tracker import IssueTracker
from backend.app.providers.issue_tracker.github import github
from backend.app.providers.langsmith_tracer import LangSmithTracer
from backend.app.providers.name_model import name_model
from backend.app.providers.web_search import CannedWebSearch
from backend.app.providers.web_search_local import LocalWebSearch, PagesUnreadable
from backend.app.providers.web_search_tavily import tavily_search
from backend.app.services.helpdesk.admission import Admission
from backend.app.services.helpdesk.categories import Categories
from backend.app.services.helpdesk.filing import Filing
from backend.app.services.helpdesk.github import IssueWriter
from backend.app.services.helpdesk.leaving import Leaving
from backend.app.services.helpdesk_graph.beginning import Beginning
from backend.app.services.helpdesk_graph.confirming import Confirming
from backend.app.services.helpdesk_graph.driver import HelpdeskDriver, budgets_of
from backend.app.services.helpdesk_graph.graph import build_helpdesk_graph
from backend.app.services.helpdesk_graph.rules import Decider, RuleBasedDecider
from backend.app.services.helpdesk_graph.runner import HelpdeskRunner
from backend.app.services.helpdesk_graph.sessions import HelpdeskSessions
from backend.app.services.helpdesk_graph.stopping import Stopping
from backend.app.services.helpdesk_graph.thinking import Mind
from backend.app.services.helpdesk_graph.tools import AgentTools
from backend.app.services.runs.checkpoint import Checkpoints, checkpoints
from backend.app.services.runs.claims import Claims
from backend.app.services.runs.control import RunControls
from backend.app.services.runs.counting import CountCheckpoint
from backend.app.services.runs.engine import RunEngine
from backend.app.services.runs.events import RunEvents
from backend.app.services.runs.fitness import refuse_unless_fit
from backend.app.services.tools.web_search import WebSearch


def _as_they_are(made: Checkpoints) -> Checkpoints:
    return made


def _as_built(tools: AgentTools) -> AgentTools:
    return tools


@dataclass(frozen=True)
class AgentParts:
    """What the agent decides, thinks, looks things up and searches the web with, keeps its
    checkpoints and writes issues with. ``model``: instead of the one that the settings name.
    """

    decider: Decider = field(default_factory=RuleBasedDecider)
    web: WebSearch | None = None
    kept: Callable[[Checkpoints], Checkpoints] = _as_they_are
    model: LanguageModel | None = None
    tracked: Callable[[IssueTracker], IssueTracker] = lambda made: made
    tools: Callable[[AgentTools], AgentTools] = _as_built


class WebSearchNotThere(Unavailable):
    """The search of the web that is set cannot be had."""


async def web_search(settings: Settings, held: AsyncExitStack, *, demo: bool) -> WebSearch | None:
    """The search of the web that is set, else the demo's, or none; it is there as long as ``held``.

    Raises:
        WebSearchNotThere: its packages or its pages are missing, or a test would ask elsewhere.
    """
    chosen = settings.web_search
    if settings.server.environment is Environment.TEST and chosen.leaves_this_machine:
        raise WebSearchNotThere("HELPDESK_ENVIRONMENT=test asks nobody outside this machine")
    try:
        if chosen.provider is WebSearchProvider.LOCAL and chosen.path is not None:
            return await asyncio.to_thread(LocalWebSearch.over, chosen.path)
        if chosen.provider is WebSearchProvider.TAVILY and chosen.api_key is not None:
            key = chosen.api_key.get_secret_value()
            return await held.enter_async_context(tavily_search(key, chosen.base_url))
    except PagesUnreadable as error:
        raise WebSearchNotThere(f"HELPDESK_WEB_SEARCH_PATH: {error}") from error
    except ImportError as error:
        raise WebSearchNotThere(
            "HELPDESK_WEB_SEARCH_PROVIDER=tavily needs the packages of requirements-live.lock"
        ) from error
    return CannedWebSearch() if demo else None


@asynccontextmanager
async def issue_tracker(
    settings: Settings, clock: Clock, parts: AgentParts
) -> AsyncIterator[IssueTracker | None]:
    """The outside tracker, where one is configured."""
    if not settings.github.is_configured:
        yield None
        return
    made = github(settings.github, clock)
    async with made.client:
        yield parts.tracked(made)


@dataclass(frozen=True)
class Runs:
    """The run engine and what belongs to it."""

    engine: RunEngine
    claims: Claims
    controls: RunControls
    events: RunEvents


@asynccontextmanager
async def run_engine(
    settings: Settings,
    uow: UnitOfWork,
    tasks: Tasks,
    clock: Clock,
    parts: AgentParts,
    count: CountCheckpoint,
) -> AsyncIterator[Runs]:
    """The run engine over the checkpoints that are set, listening to the other replicas."""
    assert settings.database.url is not None  # whoever builds has chosen a database
    url, owner = settings.database.url.get_secret_value(), OwnerId(uuid4())
    await refuse_unless_fit(uow, clock, settings.runs, settings.checkpoints.backend, owner)
    bell = Bell(url, NOTIFY_CHANNEL)
    async with checkpoints(settings.checkpoints, url, count=count) as kept, bell.listening():
        claims = Claims(uow, clock, settings.runs, owner)
        engine = RunEngine(uow, claims, parts.kept(kept), tasks, bell, settings.runs)
        controls = RunControls(uow, claims, bell, settings.runs)
        yield Runs(engine, claims, controls, RunEvents(uow, bell))


def mind_of(settings: Settings, model: LanguageModel | None, ids: IdSource) -> Mind | None:
    """The model as the agent uses it; None: by rules."""
    if model is None:
        return None
    return Mind(
        model,
        ids,
        budget=settings.agent.max_tokens_per_session,
        seconds=settings.model.timeout_seconds,
        limit=settings.agent.tool_output_max_chars,
    )


@asynccontextmanager
async def what_leaves(settings: Settings) -> AsyncIterator[Leaving]:
    """What texts pass through on their way out of the house."""
    names = settings.leaving
    model = name_model(enabled=names.enabled, configured=names.model_dir)
    try:
        yield Leaving(model, names.seconds, settings.github_text.body_max_chars)
    finally:
        if model is not None:
            model.close()


def helpdesk_agent(
    settings: Settings,
    uow: UnitOfWork,
    runs: Runs,
    tools: AgentTools,
    categories: Categories,
    clock: Clock,
    ids: IdSource,
    parts: AgentParts,
    mind: Mind | None,
    issues: IssueWriter,
    filed: Leaving,
    tracer: LangSmithTracer | None,
) -> HelpdeskRunner:
    """The agent: its graph on the run engine, and the four ways in."""
    graph = build_helpdesk_graph(
        runs.engine.checkpoints.saver,
        parts.decider,
        budgets_of(settings.agent),
        parts.tools(tools),
        filed,
        mind,
        categories.classification,
    )
    driver = HelpdeskDriver(graph, uow, clock, ids, settings.agent)
    runs.engine.register(GraphKind.HELPDESK, driver)
    admission = Admission(uow, settings.agent, settings.checkpoints.ttl)
    return HelpdeskRunner(
        uow=uow,
        ids=ids,
        admission=admission,
        beginning=Beginning(ids),
        confirming=Confirming(ids, Filing(ids, issues), driver, filed),
        stopping=Stopping(uow, runs.claims, runs.controls, runs.engine),
        claims=runs.claims,
        engine=runs.engine,
        sessions=HelpdeskSessions(uow, admission, runs.events, filed),
        tracer=tracer,
    )
