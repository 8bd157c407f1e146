"""The agent's graph: a supervisor among tools and specialists, two pauses, four ends."""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from backend.app.domain.budgets import Wish
from backend.app.domain.sessions import NextAction, ToolBudgets
from backend.app.services.helpdesk.leaving import Leaving
from backend.app.services.helpdesk_graph.nodes import (
    lookups,
    pauses,
    specialists,
)
from backend.app.services.helpdesk_graph.nodes.steps import RunContext
from backend.app.services.helpdesk_graph.nodes.supervisor import make_supervisor_node
from backend.app.services.helpdesk_graph.rules import Decider
from backend.app.services.helpdesk_graph.state import HelpdeskState
from backend.app.services.helpdesk_graph.thinking import Mind
from backend.app.services.helpdesk_graph.tools import AgentTools

Graph = CompiledStateGraph[HelpdeskState, RunContext, HelpdeskState, HelpdeskState]

#: Where the supervisor's choice leads; a tool's node is called as its action.
_ROUTES: dict[str, str] = {
    NextAction.ASK_USER.value: "clarifier",
    NextAction.CLASSIFY.value: "classifier",
    NextAction.PROPOSE_SOLUTION.value: "propose_solution",
    NextAction.WRITE_DRAFT.value: "writer",
    NextAction.RESOLVED_BY_AGENT.value: "resolved",
    NextAction.ABORT.value: "aborted",
}
_ENDS = ("file_ticket", "link_ticket", "resolved", "aborted")
_CONFIRMED = {"filed": "file_ticket", "linked": "link_ticket"}


# LangGraph runs a choice that is no coroutine in a thread of its own.
async def _chosen(state: HelpdeskState) -> str:
    return state["next_action"]


async def _after_draft(state: HelpdeskState) -> str:
    confirmed = state["answer"].get("confirmed")
    if confirmed is not None:
        return _CONFIRMED[confirmed]
    return "writer" if state["wish"] == Wish.GO_ON else "supervisor"


def build_helpdesk_graph(
    saver: BaseCheckpointSaver[Any],
    decider: Decider,
    budgets: ToolBudgets,
    tools: AgentTools,
    leaving: Leaving,
    mind: Mind | None = None,
    grading: specialists.Grading = specialists.by_rules,
) -> Graph:
    """The graph over a saver, compiled. Without a mind all goes by rules."""
    builder: Any = StateGraph(HelpdeskState, context_schema=RunContext)
    builder.add_node("supervisor", make_supervisor_node(decider, budgets, tools, mind))
    catalogue = {tool.action.value: tool for tool in tools.catalogue()}
    for name, tool in catalogue.items():
        builder.add_node(name, lookups.make_tool_node(tools, tool, budgets))
    builder.add_node("clarifier", specialists.make_clarifier_node(mind))
    builder.add_node("classifier", specialists.make_classifier_node(grading, mind))
    builder.add_node("propose_solution", specialists.make_propose_solution_node(mind))
    builder.add_node("writer", specialists.make_writer_node(leaving, grading, mind))
    for name in ("await_user", "await_confirm", *_ENDS):
        builder.add_node(name, getattr(pauses, name))
    builder.add_edge(START, "supervisor")
    builder.add_conditional_edges(
        "supervisor", _chosen, _ROUTES | {name: name for name in catalogue}
    )
    for name in (*catalogue, "classifier", "await_user"):
        builder.add_edge(name, "supervisor")
    builder.add_edge("clarifier", "await_user")
    builder.add_edge("propose_solution", "await_user")
    builder.add_edge("writer", "await_confirm")
    builder.add_conditional_edges(
        "await_confirm", _after_draft, [*_CONFIRMED.values(), "writer", "supervisor"]
    )
    for name in _ENDS:
        builder.add_edge(name, END)
    compiled: Graph = builder.compile(checkpointer=saver)
    return compiled
