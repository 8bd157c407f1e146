"""The composition root: the one place that builds the object graph and takes it down again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.app.bootstrap.agent import AgentParts as AgentParts
from backend.app.bootstrap.agent import WebSearchNotThere as WebSearchNotThere
from backend.app.bootstrap.agent import (
    helpdesk_agent,
    issue_tracker,
    mind_of,
    run_engine,
    web_search,
    what_leaves,
)
from backend.app.bootstrap.jobs import every_job
from backend.app.core.clock import Clock, SystemClock
from backend.app.core.errors import AppError
from backend.app.core.ids import IdSource, RandomIds
from backend.app.core.periodic import every
from backend.app.core.settings import Settings
from backend.app.core.tasks import Tasks
from backend.app.db import engine as database
from backend.app.db.uow import UnitOfWork, unit_of_work
from backend.app.domain.embeddings import Embeddings
from backend.app.providers.audit_log import AuditFile
from backend.app.providers.embeddings import MiniLM
from backend.app.providers.issue_tracker.github import github
from backend.app.providers.langsmith_tracer import LangSmithTracer, keep_libraries_from_tracing
from backend.app.providers.llm.factory import language_model
from backend.app.providers.metrics import PrometheusMetrics
from backend.app.providers.name_model import is_intact, model_folder
from backend.app.services.chat.exchanges import ChatExchanges
from backend.app.services.chat.sessions import ChatSessions
from backend.app.services.checkup.parts import PartChecks
from backend.app.services.counters import DISTRIBUTIONS, HELP
from backend.app.services.facts import FactReaders
from backend.app.services.helpdesk.categories import Categories
from backend.app.services.helpdesk.duplicates import Duplicates
from backend.app.services.helpdesk.escalation import Escalation
from backend.app.services.helpdesk.filing import Filing
from backend.app.services.helpdesk.github import IssueWriter
from backend.app.services.helpdesk.issue_news import IssueNews
from backend.app.services.helpdesk.issue_search import IssueSearch
from backend.app.services.helpdesk_graph.runner import HelpdeskRunner
from backend.app.services.helpdesk_graph.sessions import HelpdeskSessions
from backend.app.services.helpdesk_graph.sweeps import SessionSweeps
from backend.app.services.helpdesk_graph.switchboard import Switchboard
from backend.app.services.helpdesk_graph.tools import AgentTools
from backend.app.services.identity.accounts import Accounts
from backend.app.services.identity.passwords import Passwords
from backend.app.services.identity.sign_in import SignIn
from backend.app.services.identity.sweeps import IdentitySweeps
from backend.app.services.jobs.runner import Jobs
from backend.app.services.knowledge.library import KnowledgeLibrary
from backend.app.services.runs.claims import Claims
from backend.app.services.runs.engine import RunEngine
from backend.app.services.series import complete
from backend.app.services.telemetry import Telemetry
from backend.app.services.tickets.desk import TicketDesk
from backend.app.services.tickets.issues import IssueWatch

_ROOT = Path(__file__).resolve().parents[3]
_DRAIN_SECONDS = 10.0
_ANSWER_SECONDS = 10.0
_TIDY_SECONDS = 3600.0
#: How long a checkup waits for the tracker.
_LOOK_SECONDS = 5.0


@dataclass(frozen=True)
class Container:
    """The running application's services."""

    settings: Settings
    engine: AsyncEngine
    probe: AsyncEngine
    uow: UnitOfWork
    tasks: Tasks
    metrics: PrometheusMetrics
    accounts: Accounts
    sign_in: SignIn
    chat_sessions: ChatSessions
    exchanges: ChatExchanges
    library: KnowledgeLibrary
    facts: FactReaders
    sweeps: IdentitySweeps
    jobs: Jobs
    tickets: TicketDesk
    escalation: Escalation
    telemetry: Telemetry
    runs: RunEngine
    claims: Claims
    agent: HelpdeskRunner
    agent_sessions: HelpdeskSessions
    agent_sweeps: SessionSweeps
    switchboard: Switchboard
    issues: IssueWriter
    issue_watch: IssueWatch
    embeddings: Embeddings
    duplicates: Duplicates
    categories: Categories

    async def database_answers(self) -> bool:
        """Whether the database answers in time."""
        return await database.answers(self.probe)

    def observe_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count and time one request."""
        self.metrics.observe_request(method, route, status, seconds)

    async def metrics_page(self) -> tuple[bytes, str]:
        """The text of a scrape and its content type."""
        return self.metrics.page(complete(await self.facts.counters()), HELP, DISTRIBUTIONS)


@asynccontextmanager
async def build(
    settings: Settings,
    *,
    clock: Clock | None = None,
    ids: IdSource | None = None,
    demo: bool = False,
    agent_with: AgentParts | None = None,
) -> AsyncIterator[Container]:
    """Build everything over ``settings``; on leaving, wait for running work and close the pool.

    ``demo``: the agent's tools have canned results for the demo's question. ``agent_with``: parts
    of the agent instead of what the settings say.

    Raises:
        SchemaNotCurrent: the database is not migrated to this version.
        DatabaseUnavailable: it does not answer.
        ClocksDiffer, CheckpointsNotShared: this process must not drive the agent's runs.
        WebSearchNotThere: the search of the web that is set cannot be had.
    """
    clock, ids = clock or SystemClock(), ids or RandomIds()
    embeddings = MiniLM(settings.semantic)
    engine = database.create_engine(settings.database)
    probe = database.create_probe(settings.database)
    keep_libraries_from_tracing()
    tracer = LangSmithTracer(settings.traces, clock) if settings.traces.tracing_v2 else None
    try:
        await database.refuse_unless_current(engine)
        facts = FactReaders(
            unit_of_work(engine),
            AuditFile(log_dir(settings), clock),
            timedelta(days=settings.observability.facts_kept_days),
        )
        # Before anybody tells anything: commands and the start's own preparations tell facts too.
        await facts.settle()
        uow, tasks, passwords = unit_of_work(engine), Tasks(), Passwords()
        # Searches leave half of the pool to everything else.
        searches = asyncio.Semaphore(max(1, settings.database.pool_size // 2))
        library = KnowledgeLibrary(uow, ids, searches=searches)
        sweeps = IdentitySweeps(uow, settings.identity)
        metrics = PrometheusMetrics()
        async with AsyncExitStack() as held:
            leaving = await held.enter_async_context(what_leaves(settings))
            filed = replace(leaving, stays_here=not settings.github.is_configured)
            parts = agent_with or AgentParts(web=await web_search(settings, held, demo=demo))
            model = await held.enter_async_context(language_model(settings.model))
            count = metrics.count_checkpoint
            runs = await held.enter_async_context(
                run_engine(settings, uow, tasks, clock, parts, count)
            )
            tracker = await held.enter_async_context(issue_tracker(settings, clock, parts))
            writing = settings.github, settings.agent, IssueNews(ids)
            issues = IssueWriter(uow, ids, clock, tasks, tracker, *writing)
            duplicates, categories = Duplicates(uow, embeddings), Categories(uow, embeddings)
            searched = IssueSearch(tracker, uow) if tracker else None
            tools = AgentTools(
                uow, library, duplicates, parts.web, leaves=leaving.query, issues=searched
            )
            mind = mind_of(settings, parts.model or model, ids)
            made_of = parts, mind, issues, filed, tracer
            agent = helpdesk_agent(settings, uow, runs, tools, categories, clock, ids, *made_of)
            agent_sweeps = SessionSweeps(
                uow, agent.stopping, runs.engine.checkpoints, settings.checkpoints.ttl
            )
            yield Container(
                settings=settings,
                engine=engine,
                probe=probe,
                uow=uow,
                tasks=tasks,
                metrics=metrics,
                accounts=Accounts(uow, ids, clock, passwords),
                sign_in=SignIn(
                    uow, ids, passwords, settings.identity, await passwords.hash(ids.secret())
                ),
                chat_sessions=ChatSessions(uow, ids, settings.chat, agent.stopping.end_in_chat),
                exchanges=ChatExchanges(uow, ids, clock, library, tasks, settings.chat),
                library=library,
                facts=facts,
                sweeps=sweeps,
                jobs=every_job(uow, settings, sweeps, agent_sweeps, issues, duplicates, facts),
                tickets=TicketDesk(uow),
                escalation=Escalation(
                    uow, ids, agent.admission, Filing(ids, issues), filed, settings.chat
                ),
                telemetry=Telemetry(
                    uow, metrics.count_page_event, settings.observability.page_telemetry
                ),
                runs=runs.engine,
                claims=runs.claims,
                agent=agent,
                agent_sessions=agent.sessions,
                agent_sweeps=agent_sweeps,
                switchboard=Switchboard(uow, settings.agent),
                issues=issues,
                issue_watch=IssueWatch(uow, ids, settings.github),
                embeddings=embeddings,
                duplicates=duplicates,
                categories=categories,
            )
            await runs.engine.drain(_DRAIN_SECONDS)
    finally:
        embeddings.close()
        if tracer is not None:
            await tracer.close()
        await engine.dispose()
        await probe.dispose()


@asynccontextmanager
async def background(container: Container) -> AsyncIterator[None]:
    """Run what goes on all the time: fact readers, sweeps and, unless workers of their own do them,
    jobs. They end on leaving.
    """
    settings = container.settings
    async with AsyncExitStack() as held:
        if settings.jobs.run_in_process:
            await held.enter_async_context(container.jobs.working())
        always = every(
            (settings.observability.fact_poll_seconds, "facts", container.facts.read_all),
            (_TIDY_SECONDS, "audit_rotation", container.facts.tidy),
            (_ANSWER_SECONDS, "unanswered_questions", container.exchanges.answer_left_over),
            (settings.runs.heartbeat_seconds, "heartbeat", container.claims.beat),
            (settings.runs.sweep_seconds, "runs_left_over", container.runs.sweep),
        )
        await held.enter_async_context(always)
        yield
        # While claims are still kept alive: runs stop at their next step, for others to go on with.
        await container.runs.drain(_DRAIN_SECONDS)
    with suppress(AppError, OSError):  # what is not read now is read at the next start
        await container.facts.read_all()


def log_dir(settings: Settings) -> Path:
    """Where the audit file is written."""
    return settings.observability.log_dir or _ROOT / "logs"


def ui_dir(settings: Settings) -> Path:
    """Where the built page is."""
    return settings.server.ui_dir or _ROOT / "frontend-vue" / "dist"


def part_checks(settings: Settings, clock: Clock) -> PartChecks:
    """The checks of what can be set up, over the adapters that a start would use."""

    async def ask_tracker() -> int:
        seconds = min(settings.github.timeout_seconds, _LOOK_SECONDS)
        made = github(settings.github.model_copy(update={"timeout_seconds": seconds}), clock)
        async with made.client:
            return await made.look()

    @asynccontextmanager
    async def search() -> AsyncIterator[None]:
        async with AsyncExitStack() as held:
            await web_search(settings, held, demo=False)
            yield

    async def has_names() -> bool:
        folder = model_folder(settings.leaving.model_dir)
        return folder is not None and await asyncio.to_thread(is_intact, folder)

    def lacks_meaning() -> str | None:
        embeddings = MiniLM(settings.semantic)
        try:
            return embeddings.missing
        finally:
            embeddings.close()

    return PartChecks(
        settings,
        lambda: language_model(settings.model),
        search,
        ask_tracker,
        has_names,
        lacks_meaning,
    )
