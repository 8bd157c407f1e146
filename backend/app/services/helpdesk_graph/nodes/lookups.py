"""The node that looks something up with a tool: one for each row of the catalogue."""

from collections.abc import Mapping
from typing import Any

from langgraph.config import get_stream_writer
from langgraph.runtime import Runtime

from backend.app.domain.sessions import StepStatus, ToolBudgets
from backend.app.services.helpdesk_graph.nodes.knowing import query_of
from backend.app.services.helpdesk_graph.nodes.steps import Node, RunContext, Update, told
from backend.app.services.helpdesk_graph.state import HelpdeskState
from backend.app.services.helpdesk_graph.tools import AgentTools, Tool, Use
from backend.app.services.tools.bounded import ToolResult


def make_tool_node(tools: AgentTools, tool: Tool, budgets: ToolBudgets) -> Node:
    """Use the tool for what is known by now, tell how it went, and keep what it found."""

    async def look_up(state: HelpdeskState, runtime: Runtime[RunContext]) -> Update:
        context, query = runtime.context, query_of(state)
        memory, kept = context.memory, state.get("tool_results", {})
        memory.recall(tool.name, kept.get(tool.name, {}), _count(state, tool))
        began = context.clock.monotonic()
        result = await tools.use(
            tool,
            Use(
                query=query,
                actor=context.session.user_id,
                switched_on=context.tools,
                question=state["case"]["original_question"],
                budgets=budgets,
                time_left=context.time_left,
            ),
            memory,
        )
        _tell(state, result, round((context.clock.monotonic() - began) * 1000))
        return {
            tool.attempts: memory.used[tool.name],
            tool.asked: [query],
            tool.results: result.items or state.get(tool.results, []),
            "tool_results": {**kept, tool.name: dict(memory.results[tool.name])},
            "searched": _searched(state, tool, result),
        }

    return look_up


def _count(state: HelpdeskState, tool: Tool) -> int:
    kept: Mapping[str, Any] = state
    return int(kept.get(tool.attempts, 0))


def _tell(state: HelpdeskState, result: ToolResult, took: int) -> None:
    get_stream_writer()(
        told(
            state["step"],
            result.status,
            duration_ms=took,
            found=len(result.items),
            cause=result.cause,
            is_cached=result.is_cached,
        )
    )


def _searched(state: HelpdeskState, tool: Tool, result: ToolResult) -> list[str]:
    """The places that were looked at with success, each once."""
    places = state.get("searched", [])
    is_new = result.status in {StepStatus.OK, StepStatus.EMPTY} and tool.place not in places
    return [*places, tool.place] if is_new else places
