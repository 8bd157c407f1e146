"""The agent's graph: a supervisor among tools and specialists, two pauses, four ends."""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from backend.app.domain.budgets import Wish
from backend.app.domain.sessions import NextAction, ToolBudgets
from backend.app.services.helpdesk_graph.nodes import (
    lookups,
    pauses,
    specialists,
)
from backend.app.services.helpdesk_graph.nodes.steps import RunContext
from backend.app.services.helpdesk_graph.nodes.supervisor import make_supervisor_node
from backend.app.services.helpdesk_graph.rules import Decider
from backend.app.services.helpdesk_graph.state import HelpdeskState
from backend.app.services.helpdesk_graph.tools import AgentTools

Graph = CompiledStateGraph[HelpdeskState, RunContext, HelpdeskState, HelpdeskState]

#: Where the supervisor's choice leads.
_ROUTES: dict[str, str] = {
    NextAction.RETRY_KB.value: "retry_kb",
    NextAction.WEB_SEARCH.value: "web_search",
    NextAction.SEARCH_DUPLICATES.value: "search_duplicates",
    NextAction.ASK_USER.value: "clarifier",
    NextAction.CLASSIFY.value: "classifier",
    NextAction.PROPOSE_SOLUTION.value: "propose_solution",
    NextAction.WRITE_DRAFT.value: "writer",
    NextAction.RESOLVED_BY_AGENT.value: "resolved",
    NextAction.ABORT.value: "aborted",
}
_ENDS = ("file_ticket", "link_ticket", "resolved", "aborted")
_CONFIRMED = {"filed": "file_ticket", "linked": "link_ticket"}


def _chosen(state: HelpdeskState) -> str:
    return state["next_action"]


def _after_draft(state: HelpdeskState) -> str:
    confirmed = state["answer"].get("confirmed")
    if confirmed is not None:
        return _CONFIRMED[confirmed]
    return "writer" if state["wish"] == Wish.GO_ON else "supervisor"


def build_helpdesk_graph(
    saver: BaseCheckpointSaver[Any],
    decider: Decider,
    budgets: ToolBudgets,
    tools: AgentTools,
    grading: specialists.Grading = specialists.by_rules,
) -> Graph:
    """The graph over a saver, compiled."""
    builder: Any = StateGraph(HelpdeskState, context_schema=RunContext)
    builder.add_node("supervisor", make_supervisor_node(decider, budgets, tools))
    builder.add_node("retry_kb", lookups.make_retry_kb_node(tools))
    builder.add_node("web_search", lookups.make_web_search_node(tools))
    builder.add_node("search_duplicates", lookups.make_search_duplicates_node(tools))
    builder.add_node("classifier", specialists.make_classifier_node(grading))
    builder.add_node("writer", specialists.make_writer_node(grading))
    for name in ("clarifier", "propose_solution"):
        builder.add_node(name, getattr(specialists, name))
    for name in ("await_user", "await_confirm", *_ENDS):
        builder.add_node(name, getattr(pauses, name))
    builder.add_edge(START, "supervisor")
    builder.add_conditional_edges("supervisor", _chosen, _ROUTES)
    for name in ("retry_kb", "web_search", "search_duplicates", "classifier", "await_user"):
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
