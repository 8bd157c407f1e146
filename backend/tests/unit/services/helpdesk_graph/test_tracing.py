"""Spans tell shapes, and tracing never reaches the agent."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from backend.app.core.errors import NotFound
from backend.app.domain.sessions import Severity, StepStatus
from backend.app.providers.langsmith_tracer import anonymised
from backend.app.services.helpdesk_graph.tracing import (
    Span,
    shape,
    trace_agent_run,
    trace_agent_tool,
)
from backend.app.services.tools.bounded import ToolResult

SECRET = "my password is hunter2-xyz"


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
