"""The one table from facts to counters and distributions; nobody else counts what happened.

Names are those of the agent's requirement. Labels are closed sets. A distribution is kept as
Prometheus has it: a counter for each upper bound, one for all, and the sum.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from backend.app.domain.sessions import TOOL_NAMES

Data = Mapping[str, Any]
Labels = dict[str, str]

AGENT = "chatbot_helpdesk_agent_"
_SECONDS = (1, 5, 15, 30, 60, 300, 1800, 7200, 86_400)
_STEP_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15)
_SMALL_COUNTS = (0, 1, 2, 3, 4, 6, 8, 12)


class Movement(NamedTuple):
    """A counter, and how far a fact moves it."""

    name: str
    labels: Labels
    by: float = 1


@dataclass(frozen=True, slots=True)
class Distribution:
    """A fact's value is put among ``bounds``; a value of None is not counted."""

    name: str
    bounds: Sequence[float]
    value: Callable[[Data], float | None]
    labels: Callable[[Data], Labels] = lambda _: {}


@dataclass(frozen=True, slots=True)
class Count:
    """A fact moves a counter, by one unless ``by`` says how far; by nothing is not at all."""

    name: str
    labels: Callable[[Data], Labels | None] = lambda _: {}
    by: Callable[[Data], float] = lambda _: 1


def _outcome(data: Data) -> Labels:
    told = {"resolved_by_agent": "resolved"}.get(data["outcome"], data["outcome"])
    reason = data.get("reason")
    return {"outcome": str(reason if reason in {"budget_exhausted", "error"} else told)}


WITHDRAWN = "withdrawn"
_STEP_OUTCOMES = {"ok": "ok", "empty": "ok", "timed_out": "timeout"}
_TOOL_OUTCOMES = {"ok": "ok", "empty": "ok", "switched_off": "skipped", "blocked": "skipped"}
#: A tool's name → its step's.
_STEPS = {name: action.value for action, name in TOOL_NAMES.items()}


def _filing(data: Data) -> Labels:
    return {"how": "found" if data["was_found"] else "written"}


def _step(data: Data) -> Labels | None:
    """Of a step that is over with its decision; a tool's is counted when it has ended."""
    action = data["next_action"]
    return None if action in TOOL_NAMES else {"step": action, "outcome": "ok"}


def _tool_step(data: Data) -> Labels:
    step = _STEPS.get(data["tool"]) or str(data["tool"])
    return {"step": step, "outcome": _STEP_OUTCOMES.get(data["outcome"], "error")}


def _tool(data: Data) -> Labels | None:
    """Of a use that called something, or was kept from it; what the session knew cost nothing."""
    if data.get("is_cached"):
        return None
    status = data["outcome"]
    outcome = _TOOL_OUTCOMES.get(status, "error")
    return {"tool": data["tool"], "outcome": outcome, "reason": data.get("cause") or status}


def _tool_seconds(data: Data) -> float | None:
    return None if data.get("is_cached") else float(data["duration_ms"]) / 1000


def _decided(data: Data) -> Labels:
    prompt = data.get("prompt")
    by = "model" if prompt else "rules"
    return {"next_action": data["next_action"], "by": by, "prompt": prompt or "none"}


def _answer_rating(data: Data) -> Labels | None:
    return None if data.get("outcome") else {"rating": data["rating"] or WITHDRAWN}


def _outcome_rating(data: Data) -> Labels | None:
    outcome = data.get("outcome")
    return {"outcome": f"{outcome}_{data['rating'] or WITHDRAWN}"} if outcome else None


def _tokens(data: Data) -> float:
    return float(data["tokens_in"] + data["tokens_out"])


def _position(data: Data) -> Labels | None:
    position = data.get("position")
    return {"position": str(position)} if position else None


#: Fact kind → what it moves.
TABLE: dict[str, tuple[Count | Distribution, ...]] = {
    "auth.signed_in": (Count("chatbot_sign_ins_total", lambda _: {"outcome": "ok"}),),
    "auth.sign_in_refused": (
        Count("chatbot_sign_ins_total", lambda data: {"outcome": data["reason"]}),
    ),
    "chat.session_started": (
        Count("chatbot_chat_sessions_total", lambda data: {"mode": data["mode"]}),
    ),
    "chat.question_answered": (
        Count(
            "chatbot_answers_total",
            lambda data: {"kb_resolved": str(data["kb_resolved"]).lower()},
        ),
    ),
    "chat.answer_rated": (
        Count("chatbot_feedback_total", _answer_rating),
        Count(f"{AGENT}feedback_total", _outcome_rating),
    ),
    "agent.started": (Count(f"{AGENT}started_total", lambda data: {"trigger": data["trigger"]}),),
    "agent.request_repeated": (Count(f"{AGENT}session_dedup_total"),),
    "agent.acl_violation": (Count("chatbot_helpdesk_session_acl_violation_total"),),
    "agent.supervisor_decision": (
        Count(f"{AGENT}step_total", _step),
        Count(f"{AGENT}decision_total", _decided),
        Distribution(
            f"{AGENT}turn_latency_seconds",
            _STEP_SECONDS,
            lambda data: data["latency_ms"] / 1000,
            lambda _: {"phase": "supervisor"},
        ),
    ),
    "agent.specialist_ran": (
        Distribution(
            f"{AGENT}turn_latency_seconds",
            _STEP_SECONDS,
            lambda data: data["duration_ms"] / 1000,
            lambda _: {"phase": "specialist"},
        ),
    ),
    "agent.model_call": (
        Count(f"{AGENT}tokens_used_total", lambda data: {"role": data["role"]}, _tokens),
        Count(
            f"{AGENT}model_call_total",
            lambda data: {name: data[name] for name in ("role", "outcome", "prompt")},
        ),
    ),
    "agent.injection_blocked": (
        Count(f"{AGENT}prompt_injection_blocked_total", lambda data: {"reason": data["reason"]}),
    ),
    "agent.tool_call": (
        Count(f"{AGENT}step_total", _tool_step),
        Count(f"{AGENT}tool_total", _tool),
        Distribution(
            f"{AGENT}turn_latency_seconds",
            _STEP_SECONDS,
            _tool_seconds,
            lambda _: {"phase": "tool"},
        ),
    ),
    "agent.awaiting_user": (Count(f"{AGENT}clarifying_questions_total", _position),),
    "agent.draft_ready": (Count(f"{AGENT}draft_ready_total"),),
    "agent.user_confirmed": (Count(f"{AGENT}user_confirmed_total"),),
    "agent.issue_filed": (Count(f"{AGENT}issue_filed_total", _filing),),
    "tracker.issue_changed": (
        Count("chatbot_tracker_changes_total", lambda data: {"change": data["change"]}),
    ),
    "agent.aborted": (Count(f"{AGENT}aborted_total", lambda data: {"reason": data["reason"]}),),
    "agent.outcome": (
        Count(f"{AGENT}outcome_total", _outcome),
        Distribution(
            f"{AGENT}session_latency_seconds",
            _SECONDS,
            lambda data: data["duration_ms"] / 1000,
        ),
        Distribution(f"{AGENT}turns_per_session", _SMALL_COUNTS, lambda d: d["total_turns"]),
        Distribution(
            f"{AGENT}user_questions_per_session", _SMALL_COUNTS, lambda d: d["total_questions"]
        ),
    ),
}

HELP = {
    "chatbot_sign_ins_total": "Sign-in attempts by outcome.",
    "chatbot_chat_sessions_total": "Chat sessions opened, by mode.",
    "chatbot_answers_total": "Questions answered, by whether the knowledge base held an answer.",
    "chatbot_feedback_total": "Verdicts on answers.",
    f"{AGENT}feedback_total": "Verdicts on sessions by their outcome and what was said of it.",
    f"{AGENT}started_total": "Agent sessions started, by what began them.",
    f"{AGENT}session_dedup_total": "Requests repeated under their idempotency key.",
    "chatbot_helpdesk_session_acl_violation_total": "Requests for another person's session.",
    f"{AGENT}turn_latency_seconds": "Time of a decision, a tool call or a specialist's work.",
    f"{AGENT}decision_total": "Decisions of the supervisor, by model or by rules.",
    f"{AGENT}tokens_used_total": "Tokens by the provider's count, by what they were used for.",
    f"{AGENT}model_call_total": "Questions to a model by how they ended.",
    f"{AGENT}prompt_injection_blocked_total": "Attempts to steer a model that were stopped.",
    f"{AGENT}step_total": "Steps of the agent by how they ended.",
    f"{AGENT}tool_total": "Tool calls by how they ended.",
    f"{AGENT}clarifying_questions_total": "Clarifying questions by their position.",
    f"{AGENT}draft_ready_total": "Drafts that were shown.",
    f"{AGENT}user_confirmed_total": "Drafts and links that were confirmed.",
    f"{AGENT}issue_filed_total": "Tickets in the tracker: written, or found when looked for.",
    "chatbot_tracker_changes_total": "Changes of issues that the tracker's webhook told of.",
    f"{AGENT}aborted_total": "Sessions that were ended before their end, by reason.",
    f"{AGENT}outcome_total": "Sessions by outcome.",
    f"{AGENT}session_latency_seconds": "Time from a session's start to its outcome.",
    f"{AGENT}turns_per_session": "The supervisor's decisions in one session.",
    f"{AGENT}user_questions_per_session": "Clarifying questions in one session.",
}

#: The names that are distributions: their counters end in ``_bucket``, ``_sum`` and ``_count``.
DISTRIBUTIONS = frozenset(
    one.name for moved in TABLE.values() for one in moved if isinstance(one, Distribution)
)


def movements(kind: str, data: Data) -> Iterable[Movement]:
    """What a fact moves; nothing when its session was deleted before it was counted."""
    if data.get("redacted"):
        return
    for one in TABLE.get(kind, ()):
        if isinstance(one, Distribution):
            yield from _spread(one, data)
        elif (labels := one.labels(data)) is not None and (by := one.by(data)):
            yield Movement(one.name, labels, by)


def summed(moved: Iterable[Movement]) -> list[tuple[str, Labels, float]]:
    """How far each counter is moved in all."""
    totals: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    for one in moved:
        key = one.name, frozenset(one.labels.items())
        totals[key] = totals.get(key, 0) + one.by
    return [(name, dict(labels), by) for (name, labels), by in totals.items()]


def _spread(one: Distribution, data: Data) -> Iterable[Movement]:
    value, labels = one.value(data), one.labels(data)
    if value is None:
        return
    for bound in one.bounds:
        if value <= bound:
            yield Movement(f"{one.name}_bucket", {**labels, "le": f"{bound:g}"})
    yield Movement(f"{one.name}_bucket", {**labels, "le": "+Inf"})
    yield Movement(f"{one.name}_sum", labels, value)
    yield Movement(f"{one.name}_count", labels)
