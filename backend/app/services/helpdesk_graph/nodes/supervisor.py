"""The node that picks the next step, within what is allowed."""

from dataclasses import dataclass, field
from typing import Any

from langgraph.config import get_stream_writer
from langgraph.runtime import Runtime

from backend.app.core.text import whole_characters
from backend.app.domain.budgets import Allowed, Spent, Wish, allowed_actions
from backend.app.domain.language_models import ModelFault, ModelRole, Usage
from backend.app.domain.sessions import NextAction, StepStatus, ToolBudgets
from backend.app.services.helpdesk.grounding import leads_elsewhere
from backend.app.services.helpdesk_graph.nodes.knowing import (
    known_query,
    next_proposal,
    next_question_of,
)
from backend.app.services.helpdesk_graph.nodes.steps import SLOW, Node, RunContext, Update, told
from backend.app.services.helpdesk_graph.prompts import SUPERVISOR
from backend.app.services.helpdesk_graph.rules import (
    Decider,
    Decision,
    RuleBasedDecider,
    Situation,
)
from backend.app.services.helpdesk_graph.shapes import (
    MAX_QUERY_CHARACTERS,
    MAX_REASON_CHARACTERS,
    decided_among,
    line,
)
from backend.app.services.helpdesk_graph.state import HelpdeskState
from backend.app.services.helpdesk_graph.thinking import Mind
from backend.app.services.helpdesk_graph.tools import AgentTools

#: A longer reason is none: cut before it is redacted, it could hold half a secret.
_MAX_GIVEN_CHARACTERS = 2000
_NO_REASON = "no reason was given"
#: What is done where a choice is not allowed.
_RULES = RuleBasedDecider()
#: A run that begins after one of these begins anew to count what was done in a reduced way.
_PAUSING = frozenset({NextAction.ASK_USER, NextAction.PROPOSE_SOLUTION, NextAction.WRITE_DRAFT})


@dataclass(frozen=True, slots=True)
class _Picked:
    """A decision, by whom, and at what cost. ``prompt`` is None when rules took it."""

    decision: Decision
    query: str = ""
    prompt: str | None = None
    usage: Usage = field(default_factory=Usage)
    fault: ModelFault | None = None


def _spent(state: HelpdeskState, context: RunContext) -> Spent:
    return Spent(
        turns=state.get("turns_taken", 0),
        questions=len(state.get("questions_asked", [])),
        kb_retries=state.get("kb_retry_attempts", 0),
        web_searches=state.get("web_search_attempts", 0),
        duplicate_searches=state.get("duplicate_searches", 0),
        proposals=len(state.get("proposed_solutions", [])),
        tokens=max(state.get("tokens", 0), context.tokens),
        is_classified="classification" in state,
        has_proposal=next_proposal(state) is not None,
        has_question=next_question_of(state) is not None,
        is_out_of_time=context.time_left() <= 0,
        wish=Wish(state.get("wish", Wish.GO_ON)),
    )


def make_supervisor_node(
    decider: Decider, budgets: ToolBudgets, tools: AgentTools, mind: Mind | None = None
) -> Node:
    """The node that picks the next step: a model if there is one, else the rules."""

    async def supervisor(state: HelpdeskState, runtime: Runtime[RunContext]) -> Update:
        context = runtime.context
        context.tokens = max(context.tokens, state.get("tokens", 0))
        began = context.clock.monotonic()
        present = tools.present(context.tools, state["case"]["original_question"])
        allowed = allowed_actions(_spent(state, context), budgets, present)
        picked = await _picked(state, context, allowed, decider, mind)
        decision = picked.decision
        step: dict[str, Any] = {
            "seq": state.get("step", {}).get("seq", 0) + 1,
            "action": decision.action.value,
            "reason": _presentable(decision.reason),
            "started_at": context.clock.now().isoformat(),
            "latency_ms": round((context.clock.monotonic() - began) * 1000),
            "tokens_in": picked.usage.tokens_in,
            "tokens_out": picked.usage.tokens_out,
            "prompt": picked.prompt,
            "is_decided": True,
        }
        if decision.action in SLOW:
            get_stream_writer()(told(step, StepStatus.RUNNING, is_new=True))
        return {
            "next_action": decision.action.value,
            # A step that leaves no choice is none of the supervisor's turns.
            "turns_taken": state.get("turns_taken", 0) + (not allowed.is_forced),
            "tokens": context.tokens,
            "actions_taken": [*state.get("actions_taken", []), decision.action.value],
            "chosen_query": [picked.query] if picked.query else [],
            "degraded": _degraded(state, picked.fault),
            "step": step,
        }

    return supervisor


async def _picked(
    state: HelpdeskState,
    context: RunContext,
    allowed: Allowed,
    decider: Decider,
    mind: Mind | None,
) -> _Picked:
    """What the model chooses, or, where it may not or cannot, the rules."""
    picked = _Picked(Decision(NextAction.WRITE_DRAFT, ""))
    if mind is not None and not allowed.is_forced and not state["case"]["is_scripted"]:
        picked = await _by_model(state, context, allowed, mind)
        if picked.prompt is not None:
            return picked
    situation = _situation(state)
    decision = await decider.decide(situation, allowed)
    if decision.action not in allowed:
        decision = await _RULES.decide(situation, allowed)
    return _Picked(decision, usage=picked.usage, fault=picked.fault)


async def _by_model(
    state: HelpdeskState, context: RunContext, allowed: Allowed, mind: Mind
) -> _Picked:
    brief = mind.briefing().deciding(state, allowed)
    form = decided_among([action.value for action in allowed.reasons])
    thought = await mind.think(context, SUPERVISOR, brief, form)
    if thought.value is None:
        return _Picked(
            Decision(NextAction.WRITE_DRAFT, ""), usage=thought.usage, fault=thought.fault
        )
    action = NextAction(thought.value.next_action)  # one of the allowed: the form says so
    reason = line(thought.value.reason, MAX_REASON_CHARACTERS)
    if not reason or leads_elsewhere(reason):
        reason = allowed.reasons[action]
    query = line(thought.value.query, MAX_QUERY_CHARACTERS) if action in SLOW else ""
    return _Picked(Decision(action, reason), query, SUPERVISOR.version, thought.usage)


def _degraded(state: HelpdeskState, fault: ModelFault | None) -> dict[str, str]:
    """In what the run since the last pause worked in a reduced way."""
    last = state.get("step", {}).get("action")
    so_far = {} if last in _PAUSING else state.get("degraded", {})
    return so_far if fault is None else {**so_far, ModelRole.SUPERVISOR.value: fault.value}


def _presentable(reason: str) -> str:
    """A decider's reason as it may be stored and shown, whatever it was written by."""
    if len(reason) > _MAX_GIVEN_CHARACTERS:
        return _NO_REASON
    return line(whole_characters(reason), MAX_REASON_CHARACTERS) or _NO_REASON


def _situation(state: HelpdeskState) -> Situation:
    return Situation(
        taken=[NextAction(one) for one in state.get("actions_taken", [])],
        wish=Wish(state.get("wish", Wish.GO_ON)),
        best_odds=max((one["odds"] for one in state.get("duplicate_candidates", [])), default=0.0),
        has_news=[known_query(state)] != state.get("last_kb_query", []),
        has_web_news=not state.get("web_search_results")
        and [known_query(state)] != state.get("last_web_query", []),
        is_scripted=state["case"]["is_scripted"],
    )
