"""Where scenarios are played: the application over a real database, its people, and what the agent
is handed for each session.
"""

from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.engine import RowMapping

from backend.app.bootstrap import AgentParts, Container, log_dir
from backend.app.core.settings import Settings
from backend.app.db.models import Base
from backend.app.domain.knowledge import ArticleSource
from backend.app.domain.principals import Role
from backend.app.domain.sessions import AgentSessionId
from backend.app.schemas.helpdesk import AgentSession
from backend.app.services.helpdesk_graph.rules import RuleBasedDecider
from backend.tests.eval.deciders import Deciding, Mind, Scripted, scripted
from backend.tests.eval.journey import Journey
from backend.tests.eval.scenario import Article, Budgets, Issue, Scenario
from backend.tests.eval.stand_ins import Props, Stagehand
from backend.tests.support.agent import Application, application, facts, rows
from backend.tests.support.leaks import kept_words
from backend.tests.support.people import People, Person

#: What outlasts a session: accounts, their tokens, and rows that a migration made.
_KEPT_TABLES = {"users", "access_tokens", "fact_epochs", "fact_readers", "instance_keys"}
_CHECKPOINTS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
_INSERT = """
    INSERT INTO tickets (id, number, requester_id, title, body, problem, status, severity, impact,
                         category, origin)
    OVERRIDING SYSTEM VALUE
    VALUES (:id, :number, :requester_id, :title, :body, :title || E'\\n' || :body, :status,
            'medium', 'Person', 'other', 'web')
"""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a session: as its person saw it, and as the database has it."""

    journey: Journey
    props: Props
    deciding: Deciding
    view: AgentSession
    facts: list[RowMapping]
    tickets: list[RowMapping]
    followers: list[RowMapping]
    filings: list[RowMapping]
    #: Everything that is stored or was logged or answered.
    kept: str

    @property
    def trace(self) -> str:
        """What was decided, found and shown, line by line."""
        lines = [f"decided {one}" for one in self.deciding.noted]
        lines += [f"called  {tool}: {query[:100]!r}" for tool, query in self.props.calls]
        lines += [
            f"step {one.seq:2} {one.action.value} {one.status.value} ({one.reason})"
            for one in self.view.steps
        ]
        lines += [
            f"asked   {one.path} -> {one.status}"
            f" {one.answer.get('kind') or one.answer.get('error') or ''}"
            f" {str(one.answer.get('message', ''))[:80]!r}"
            for one in self.journey.asked
        ]
        return "\n".join(lines)


@dataclass(slots=True)
class Stage:
    """Plays one session after the other; each finds the database empty but for the people."""

    settings: Settings
    people: dict[str, Person]
    held: AsyncExitStack
    hand: Stagehand = field(default_factory=Stagehand)
    deciding: Deciding = field(default_factory=Deciding)
    _applications: dict[Budgets, Application] = field(default_factory=dict)
    #: Characters of the audit file that are of earlier sessions.
    _logged: int = 0

    @property
    def _audit(self) -> Path:
        return log_dir(self.settings) / "helpdesk_agent_audit.jsonl"

    async def _application(self, budgets: Budgets) -> Application:
        """Budgets are built into a graph: an application for each set of them."""
        if budgets not in self._applications:
            parts = AgentParts(decider=self.deciding, tools=self.hand.around)
            differing = budgets.model_dump(exclude_none=True)
            made = application(self.settings, parts=parts, **differing)
            self._applications[budgets] = await self.held.enter_async_context(made)
        return self._applications[budgets]

    async def set_up(self, scenario: Scenario, mind: Mind | None = None) -> Journey:
        """Everything as the scenario has it, and a session that is about to begin."""
        given = scenario.given
        application = await self._application(given.budgets)
        container = application.container
        props = self.hand.props = Props(given.mock_tool_results)
        self.deciding.noted = []
        self.deciding.mind = mind
        self.deciding.decider = (
            scripted(given.mock_provider_script.supervisor_decisions)
            if given.mock_provider_script and mind is None
            else RuleBasedDecider()
        )
        self._logged = len(self._audit.read_text("utf-8")) if self._audit.exists() else 0
        await _empty(container)
        await self._furnish(container, scenario)
        journey = Journey(
            scenario,
            await application.client(self.people[given.role.value]),
            await application.client(self.people["stranger"]),
            container,
            props.has_hung,
        )
        self.deciding.texts = lambda: [*journey.texts, *props.given]
        return journey

    async def _furnish(self, container: Container, scenario: Scenario) -> None:
        given = scenario.given
        for flag in given.switched_off:
            await container.switchboard.set(flag, is_on=False)
        results = given.mock_tool_results
        if isinstance(results.retry_kb, tuple) and results.retry_kb:
            articles = [_article(one) for one in results.retry_kb]
            await container.library.bring_up_to_date("eval", articles)
        scripted_issues = results.search_existing_issues
        issues = [*given.tickets, *(scripted_issues if isinstance(scripted_issues, tuple) else ())]
        for issue in issues:
            await self._add(container, issue, given.role)

    async def _add(self, container: Container, issue: Issue, role: Role) -> None:
        whose = "stranger" if issue.of == "stranger" else role.value
        async with container.engine.begin() as connection:
            await connection.execute(
                sa.text(_INSERT),
                {
                    "id": uuid4(), "number": issue.number, "title": issue.title,
                    "body": issue.body or issue.title, "status": issue.status,
                    "requester_id": self.people[whose].user.id,
                },
            )  # fmt: skip

    async def over(self, journey: Journey) -> Played:
        """What has come of a session."""
        container = journey.container
        await container.tasks.drain(10)
        found = AgentSessionId((await rows(container, "SELECT id FROM agent_sessions"
                                           " ORDER BY created_at"))[0]["id"])  # fmt: skip
        await container.facts.read_all()
        logged = self._audit.read_text("utf-8")[self._logged :] if self._audit.exists() else ""
        kept = await kept_words(container)
        return Played(
            journey=journey,
            props=self.hand.props,
            deciding=self.deciding,
            view=await container.agent_sessions.view_unscoped(found),
            facts=await facts(container),
            tickets=list(await rows(container, "SELECT * FROM tickets ORDER BY number")),
            followers=list(await rows(container, "SELECT * FROM ticket_followers")),
            filings=list(await rows(container, "SELECT * FROM filings")),
            kept="\n".join([kept, logged, journey.shown_text]),
        )

    async def play(self, scenario: Scenario) -> Played:
        """A scenario from its start to what its person does last."""
        journey = await self.set_up(scenario)
        await journey.play()
        return await self.over(journey)

    @property
    def script_has_run_out(self) -> bool:
        """Whether a script was asked for more than it has."""
        decider = self.deciding.decider
        return isinstance(decider, Scripted) and decider.has_run_out


def _article(article: Article) -> ArticleSource:
    key = "-".join(article.title.lower().split())
    return ArticleSource(key, article.title, article.body, questions=article.questions)


#: In an order that foreign keys allow. Of few rows, deleting is quicker than truncating.
_DELETIONS = "; ".join(
    [
        *(f"DELETE FROM {name}" for name in _CHECKPOINTS),
        *(
            f"DELETE FROM {table.name}"
            for table in reversed(Base.metadata.sorted_tables)
            if table.name not in _KEPT_TABLES
        ),
        "SELECT setval(pg_get_serial_sequence('tickets', 'number'), 1, false)",
    ]
)


async def _empty(container: Container) -> None:
    async with container.engine.begin() as connection:
        raw = await connection.get_raw_connection()
        assert raw.driver_connection is not None
        await raw.driver_connection.execute(_DELETIONS)


async def people_of(container: Container) -> dict[str, Person]:
    """The people of all scenarios, by what they are in them."""
    people = People(container)
    return {
        "requester": await people.make("rita", Role.REQUESTER),
        "stranger": await people.make("sam", Role.REQUESTER),
        "operator": await people.make("olga", Role.OPERATOR),
    }
