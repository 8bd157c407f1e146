"""The node that picks the next step, within what is allowed."""

from langgraph.config import get_stream_writer
from langgraph.runtime import Runtime

from backend.app.core.text import clean, shorten, whole_characters
from backend.app.domain.budgets import Spent, Wish, allowed_actions
from backend.app.domain.redaction import redact
from backend.app.domain.sessions import NextAction, StepStatus, ToolBudgets
from backend.app.services.helpdesk_graph.nodes.knowing import (
    next_proposal,
    next_question_of,
    query_of,
)
from backend.app.services.helpdesk_graph.nodes.steps import SLOW, Node, RunContext, Update, told
from backend.app.services.helpdesk_graph.rules import Decider, Decision, Situation
from backend.app.services.helpdesk_graph.state import HelpdeskState
from backend.app.services.helpdesk_graph.tools import AgentTools

#: Characters of a step's reason: a sentence that is stored and shown with the step.
MAX_REASON_CHARACTERS = 200
#: A longer reason is none: cut before it is redacted, it could hold half a secret.
_MAX_GIVEN_CHARACTERS = 2000
_NO_REASON = "no reason was given"


def _spent(state: HelpdeskState, context: RunContext) -> Spent:
    return Spent(
        turns=state.get("turns_taken", 0),
        questions=len(state.get("questions_asked", [])),
        kb_retries=state.get("kb_retry_attempts", 0),
        web_searches=state.get("web_search_attempts", 0),
        duplicate_searches=state.get("duplicate_searches", 0),
        proposals=len(state.get("proposed_solutions", [])),
        tokens=state.get("tokens", 0),
        is_classified="classification" in state,
        has_proposal=next_proposal(state) is not None,
        has_question=next_question_of(state) is not None,
        is_out_of_time=context.time_left() <= 0,
        wish=Wish(state.get("wish", Wish.GO_ON)),
    )


def make_supervisor_node(decider: Decider, budgets: ToolBudgets, tools: AgentTools) -> Node:
    """The node that picks the next step."""

    async def supervisor(state: HelpdeskState, runtime: Runtime[RunContext]) -> Update:
        context = runtime.context
        began = context.clock.monotonic()
        present = tools.present(context.tools, state["case"]["original_question"])
        allowed = allowed_actions(_spent(state, context), budgets, present)
        decision = await decider.decide(_situation(state), allowed)
        if decision.action not in allowed:
            action, reason = next(iter(allowed.reasons.items()))
            decision = Decision(action, reason)
        step = {
            "seq": state.get("step", {}).get("seq", 0) + 1,
            "action": decision.action.value,
            "reason": _presentable(decision.reason),
            "started_at": context.clock.now().isoformat(),
            "latency_ms": round((context.clock.monotonic() - began) * 1000),
            "is_decided": True,
        }
        if decision.action in SLOW:
            get_stream_writer()(told(step, StepStatus.RUNNING, is_new=True))
        return {
            "next_action": decision.action.value,
            # A step that leaves no choice is none of the supervisor's turns.
            "turns_taken": state.get("turns_taken", 0) + (not allowed.is_forced),
            "actions_taken": [*state.get("actions_taken", []), decision.action.value],
            "step": step,
        }

    return supervisor


def _presentable(reason: str) -> str:
    """A decider's reason as it may be stored and shown, whatever it was written by."""
    if len(reason) > _MAX_GIVEN_CHARACTERS:
        return _NO_REASON
    told = redact(clean(whole_characters(reason))).text
    return shorten(told, MAX_REASON_CHARACTERS) or _NO_REASON


def _situation(state: HelpdeskState) -> Situation:
    return Situation(
        taken=[NextAction(one) for one in state.get("actions_taken", [])],
        wish=Wish(state.get("wish", Wish.GO_ON)),
        best_odds=max((one["odds"] for one in state.get("duplicate_candidates", [])), default=0.0),
        has_news=[query_of(state)] != state.get("last_kb_query", []),
        is_scripted=state["case"]["is_scripted"],
    )
