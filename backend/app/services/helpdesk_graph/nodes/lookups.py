"""The nodes that look something up with a tool."""

from collections.abc import Awaitable

from langgraph.config import get_stream_writer
from langgraph.runtime import Runtime

from backend.app.services.helpdesk_graph.nodes.knowing import query_of
from backend.app.services.helpdesk_graph.nodes.steps import Node, RunContext, Update, told
from backend.app.services.helpdesk_graph.state import HelpdeskState
from backend.app.services.helpdesk_graph.tools import AgentTools, ToolResult


async def _use(
    state: HelpdeskState, context: RunContext, call: Awaitable[ToolResult]
) -> ToolResult:
    began = context.clock.monotonic()
    result = await call
    took = round((context.clock.monotonic() - began) * 1000)
    get_stream_writer()(
        told(state["step"], result.status, duration_ms=took, found=len(result.items))
    )
    return result


def make_retry_kb_node(tools: AgentTools) -> Node:
    """A second pass over the knowledge base, with what is known by now."""

    async def retry_kb(state: HelpdeskState, runtime: Runtime[RunContext]) -> Update:
        context, query = runtime.context, query_of(state)
        call = tools.retry_kb(query, time_left=context.time_left())
        result = await _use(state, context, call)
        return {
            "kb_retry_attempts": state.get("kb_retry_attempts", 0) + 1,
            "last_kb_query": [query],
            "kb_retry_results": result.items or state.get("kb_retry_results", []),
        }

    return retry_kb


def make_web_search_node(tools: AgentTools) -> Node:
    """A search of the web."""

    async def web_search(state: HelpdeskState, runtime: Runtime[RunContext]) -> Update:
        context = runtime.context
        call = tools.web_search(query_of(state), time_left=context.time_left())
        result = await _use(state, context, call)
        return {
            "web_search_attempts": state.get("web_search_attempts", 0) + 1,
            "web_search_results": result.items,
        }

    return web_search


def make_search_duplicates_node(tools: AgentTools) -> Node:
    """A search for tickets about the same."""

    async def search_duplicates(state: HelpdeskState, runtime: Runtime[RunContext]) -> Update:
        context = runtime.context
        call = tools.search_existing_issues(
            query_of(state), context.session.user_id, time_left=context.time_left()
        )
        result = await _use(state, context, call)
        return {
            "duplicate_searches": state.get("duplicate_searches", 0) + 1,
            "duplicate_candidates": result.items,
        }

    return search_duplicates
