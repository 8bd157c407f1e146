"""Spans tell shapes, and tracing never reaches the agent."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

import pytest
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from backend.app.core.clock import SystemClock
from backend.app.core.errors import NotFound
from backend.app.core.ids import RandomIds
from backend.app.domain.budgets import Tools
from backend.app.domain.language_models import ModelAnswer, ModelCall, Usage
from backend.app.domain.principals import UserId
from backend.app.domain.sessions import TOOL_NAMES, Severity, StepStatus, ToolBudgets
from backend.app.providers.langsmith_tracer import anonymised
from backend.app.services.helpdesk_graph.briefing import Brief
from backend.app.services.helpdesk_graph.nodes.steps import RunContext
from backend.app.services.helpdesk_graph.prompts import CLASSIFIER
from backend.app.services.helpdesk_graph.shapes import Graded
from backend.app.services.helpdesk_graph.thinking import Mind
from backend.app.services.helpdesk_graph.tools import AgentTools, Use
from backend.app.services.helpdesk_graph.tracing import (
    Span,
    shape,
    trace_agent_run,
    trace_agent_tool,
)
from backend.app.services.tools.bounded import ToolMemory, ToolResult
from backend.tests.support.agent import a_session

SECRET = "my password is hunter2-xyz"
OFF = Tools(retry_kb=False, web_search=False, search_duplicates=False)


class NoSuchPlace(NotFound):
    """It is nowhere."""


@dataclass
class Kept:
    """Keeps what it is sent, or fails at it."""

    spans: list[Span] = field(default_factory=list)
    is_broken: bool = False

    def now(self) -> datetime:
        return datetime(2026, 3, 10, tzinfo=UTC)

    def send(self, span: Span) -> None:
        if self.is_broken:
            raise RuntimeError(SECRET)
        self.spans.append(span)


@trace_agent_tool("look")
async def look(query: str) -> ToolResult:
    return ToolResult(StepStatus.OK, [query])


@trace_agent_tool("write", run_type="llm")
def write(query: str) -> str:
    return query * 2


@dataclass
class Begun:
    session_id: UUID
    ending: "asyncio.Future[str]"


@dataclass
class Agent:
    """Has ways in."""

    tracer: Kept | None
    release: asyncio.Event = field(default_factory=asyncio.Event)

    @trace_agent_run("start")
    async def start(self, query: str) -> Begun:
        async def run() -> str:
            await self.release.wait()
            await look(query)
            return write(query)

        return Begun(UUID(int=1), asyncio.ensure_future(run()))

    @trace_agent_run("abort")
    async def abort(self, error: Exception) -> None:
        raise error


def names(kept: Kept) -> list[str]:
    return [span.name for span in kept.spans]


async def test_a_root_ends_with_its_run_and_has_what_was_done_below_it() -> None:
    kept = Kept()
    agent = Agent(kept)
    begun = await agent.start(SECRET)
    assert names(kept) == []  # the caller has its answer, and the run goes on
    agent.release.set()
    assert await begun.ending == SECRET * 2
    await asyncio.sleep(0)

    assert names(kept) == ["look", "write", "helpdesk_agent.start"]
    tool, _, root = kept.spans
    assert (tool.parent, tool.root.id) == (root, root.id)
    assert tool.order.startswith(f"{root.order}.")
    assert tool.inputs == {"query": {"length": len(SECRET)}}
    told = tool.outputs["result"]
    assert (told["status"], told["items"]) == ("ok", {"items": 1})
    assert (root.metadata["tool_count"], root.metadata["session_id"]) == (1, str(UUID(int=1)))


async def test_without_a_tracer_or_a_root_nothing_is_made() -> None:
    agent = Agent(None)
    agent.release.set()
    assert await (await agent.start("x")).ending == "xx"
    assert write("y") == "yy"


@pytest.mark.parametrize(
    ("error", "told"), [(ValueError(SECRET), "ValueError"), (NoSuchPlace(SECRET), "no_such_place")]
)
async def test_an_error_is_told_by_its_kind_and_goes_on(error: Exception, told: str) -> None:
    kept = Kept()
    with pytest.raises(type(error)):
        await Agent(kept).abort(error)

    assert [span.error for span in kept.spans] == [told]


async def test_a_tracer_that_fails_changes_nothing() -> None:
    agent = Agent(Kept(is_broken=True))
    agent.release.set()

    assert await (await agent.start("x")).ending == "xx"
    with pytest.raises(ValueError, match="own"):
        await agent.abort(ValueError("its own"))


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (SECRET, {"length": 26}),
        ([SECRET], {"items": 1}),
        ({SECRET: SECRET}, {"keys": 1}),
        (Severity.HIGH, "high"),
        (None, None),
        (3, 3),
        (UUID(int=7), str(UUID(int=7))),
        (object(), {"type": "object"}),
    ],
)
def test_a_shape_holds_no_text(value: Any, told: Any) -> None:
    assert shape(value) == told


def test_the_last_guard_lets_closed_words_through_and_nothing_else() -> None:
    leaving = {"a": SECRET, "b": ["filed", 3, True, None], "c": {"d": "ada@example.org"}}

    assert anonymised(leaving) == {
        "a": "length 26",
        "b": ["filed", 3, True, None],
        "c": {"d": "length 15"},
    }


@dataclass
class Grader:
    """A model that grades everything alike."""

    async def ask(self, call: ModelCall) -> ModelAnswer:
        assert SECRET in call.user
        graded = {"severity": "low", "impact": "Person", "category": "other"}
        return ModelAnswer(graded, Usage(5, 7))


@dataclass
class Thinker:
    """Has one way in, whose graph asks a model and uses a tool."""

    tracer: Kept

    @trace_agent_run("start")
    async def start(self, query: str) -> None:
        async def node(_state: dict[str, Any], runtime: Runtime[RunContext]) -> dict[str, Any]:
            mind = Mind(Grader(), RandomIds(), budget=9000, seconds=5.0, limit=400)
            await mind.think(runtime.context, CLASSIFIER, Brief(query), Graded)
            tools = AgentTools(cast(Any, None), cast(Any, None), cast(Any, None))
            use = Use(query, UserId(UUID(int=1)), OFF, query, ToolBudgets(), lambda: 1.0)
            for tool in tools.catalogue():
                await tools.use(tool, use, ToolMemory())
            return {}

        graph: Any = StateGraph(dict, RunContext)
        graph.add_node("node", node).add_edge(START, "node")
        clock = SystemClock()
        context = RunContext(a_session(UUID(int=1), UUID(int=2)), clock, clock.monotonic() + 9, OFF)
        await graph.compile().ainvoke({}, context=context)


async def test_models_and_tools_are_traced_wherever_they_are_used_and_without_text() -> None:
    kept = Kept()
    await Thinker(kept).start(SECRET)

    spans = {span.name: span for span in kept.spans}
    assert set(spans) == {"ask_classifier", *TOOL_NAMES.values(), "helpdesk_agent.start"}
    asked = spans["ask_classifier"]
    assert (asked.run_type, asked.inputs["role"]) == ("llm", "classifier")
    assert asked.outputs["result"]["usage"] == {"tokens_in": 5, "tokens_out": 7}
    assert {spans[name].inputs["query"]["length"] for name in TOOL_NAMES.values()} == {len(SECRET)}
    assert spans["helpdesk_agent.start"].tools == len(TOOL_NAMES)
    assert "hunter2" not in str([(span.inputs, span.outputs) for span in kept.spans])
