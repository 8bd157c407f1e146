"""The one table from facts to counters and distributions; nobody else counts what happened.

Names are those of the agent's requirement. Labels are closed sets. A distribution is kept as
Prometheus has it: a counter for each upper bound, one for all, and the sum.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from backend.app.domain.agent_events import ModelRole
from backend.app.domain.chat import OUTCOMES_OF_LINES, STILL_OPEN, ChatMode, Rating
from backend.app.domain.runs import AbortReason
from backend.app.domain.sessions import NextAction, StepStatus, Trigger

Data = Mapping[str, Any]
Labels = dict[str, str]

_AGENT = "chatbot_helpdesk_agent_"
_SECONDS = (1, 5, 15, 30, 60, 300, 1800, 7200, 86_400)
_STEP_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15)
_SMALL_COUNTS = (0, 1, 2, 3, 4, 6, 8, 12)


@dataclass(frozen=True, slots=True)
class Movement:
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


def _each(**values: Iterable[str]) -> list[Labels]:
    """Every combination of these labels' values; without a label, the one series."""
    chosen = product(*([str(one) for one in those] for those in values.values()))
    return [dict(zip(values, one, strict=True)) for one in chosen]


def _outcome(data: Data) -> Labels:
    told = {"resolved_by_agent": "resolved"}.get(data["outcome"], data["outcome"])
    reason = data.get("reason")
    return {"outcome": str(reason if reason in {"budget_exhausted", "error"} else told)}


_WITHDRAWN = "withdrawn"
_STEP_OUTCOMES = {"ok": "ok", "empty": "ok", "timed_out": "timeout"}
_TOOLS = {"retry_kb", "web_search", "search_duplicates"}


def _step(data: Data) -> Labels | None:
    """Of a step that is over with its decision; a tool's is counted when it has ended."""
    action = data["next_action"]
    return None if action in _TOOLS else {"step": action, "outcome": "ok"}


def _tool_step(data: Data) -> Labels:
    return {"step": data["tool"], "outcome": _STEP_OUTCOMES.get(data["outcome"], "error")}


def _tool(data: Data) -> Labels:
    status = data["outcome"]
    outcome = "ok" if status in {"ok", "empty"} else "error"
    return {"tool": data["tool"], "outcome": outcome, "reason": status}


def _answer_rating(data: Data) -> Labels | None:
    return None if data.get("outcome") else {"rating": data["rating"] or _WITHDRAWN}


def _outcome_rating(data: Data) -> Labels | None:
    outcome = data.get("outcome")
    return {"outcome": f"{outcome}_{data['rating'] or _WITHDRAWN}"} if outcome else None


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
        Count(f"{_AGENT}feedback_total", _outcome_rating),
    ),
    "agent.started": (Count(f"{_AGENT}started_total", lambda data: {"trigger": data["trigger"]}),),
    "agent.request_repeated": (Count(f"{_AGENT}session_dedup_total"),),
    "agent.acl_violation": (Count("chatbot_helpdesk_session_acl_violation_total"),),
    "agent.supervisor_decision": (
        Count(f"{_AGENT}step_total", _step),
        Distribution(
            f"{_AGENT}turn_latency_seconds",
            _STEP_SECONDS,
            lambda data: data["latency_ms"] / 1000,
            lambda _: {"phase": "supervisor"},
        ),
    ),
    "agent.specialist_ran": (
        Distribution(
            f"{_AGENT}turn_latency_seconds",
            _STEP_SECONDS,
            lambda data: data["duration_ms"] / 1000,
            lambda _: {"phase": "specialist"},
        ),
    ),
    "agent.tokens_used": (
        Count(f"{_AGENT}tokens_used_total", lambda data: {"role": data["role"]}, _tokens),
    ),
    "agent.injection_blocked": (Count(f"{_AGENT}prompt_injection_blocked_total"),),
    "agent.tool_call": (
        Count(f"{_AGENT}step_total", _tool_step),
        Count(f"{_AGENT}tool_total", _tool),
        Distribution(
            f"{_AGENT}turn_latency_seconds",
            _STEP_SECONDS,
            lambda data: data["duration_ms"] / 1000,
            lambda _: {"phase": "tool"},
        ),
    ),
    "agent.awaiting_user": (Count(f"{_AGENT}clarifying_questions_total", _position),),
    "agent.draft_ready": (Count(f"{_AGENT}draft_ready_total"),),
    "agent.user_confirmed": (Count(f"{_AGENT}user_confirmed_total"),),
    "agent.aborted": (Count(f"{_AGENT}aborted_total", lambda data: {"reason": data["reason"]}),),
    "agent.outcome": (
        Count(f"{_AGENT}outcome_total", _outcome),
        Distribution(
            f"{_AGENT}session_latency_seconds",
            _SECONDS,
            lambda data: data["duration_ms"] / 1000,
        ),
        Distribution(f"{_AGENT}turns_per_session", _SMALL_COUNTS, lambda d: d["total_turns"]),
        Distribution(
            f"{_AGENT}user_questions_per_session", _SMALL_COUNTS, lambda d: d["total_questions"]
        ),
    ),
}

HELP = {
    "chatbot_sign_ins_total": "Sign-in attempts by outcome.",
    "chatbot_chat_sessions_total": "Chat sessions opened, by mode.",
    "chatbot_answers_total": "Questions answered, by whether the knowledge base held an answer.",
    "chatbot_feedback_total": "Verdicts on answers.",
    f"{_AGENT}feedback_total": "Verdicts on sessions by their outcome and what was said of it.",
    f"{_AGENT}started_total": "Agent sessions started, by what began them.",
    f"{_AGENT}session_dedup_total": "Requests repeated under their idempotency key.",
    "chatbot_helpdesk_session_acl_violation_total": "Requests for another person's session.",
    f"{_AGENT}tokens_used_total": "Tokens that models took, by the role they were asked in.",
    f"{_AGENT}prompt_injection_blocked_total": "Texts that were kept from a model.",
    f"{_AGENT}turn_latency_seconds": "Time of a decision, a tool call or a specialist's work.",
    f"{_AGENT}step_total": "Steps of the agent by how they ended.",
    f"{_AGENT}tool_total": "Tool calls by how they ended.",
    f"{_AGENT}clarifying_questions_total": "Clarifying questions by their position.",
    f"{_AGENT}draft_ready_total": "Drafts that were shown.",
    f"{_AGENT}user_confirmed_total": "Drafts and links that were confirmed.",
    f"{_AGENT}aborted_total": "Sessions that were ended before their end, by reason.",
    f"{_AGENT}outcome_total": "Sessions by outcome.",
    f"{_AGENT}session_latency_seconds": "Time from a session's start to its outcome.",
    f"{_AGENT}turns_per_session": "The supervisor's decisions in one session.",
    f"{_AGENT}user_questions_per_session": "Clarifying questions in one session.",
}

#: The names that are distributions: their counters end in ``_bucket``, ``_sum`` and ``_count``.
DISTRIBUTIONS = frozenset(
    one.name for moved in TABLE.values() for one in moved if isinstance(one, Distribution)
)


#: Every series there can be, by name: labels are closed sets, so all are there from the start, and
#: the first count of one is a rise that a monitor sees.
SERIES: dict[str, list[Labels]] = {
    "chatbot_sign_ins_total": _each(outcome=("ok", "credentials", "limit")),
    "chatbot_chat_sessions_total": _each(mode=ChatMode),
    "chatbot_answers_total": _each(kb_resolved=("true", "false")),
    "chatbot_feedback_total": _each(rating=(*Rating, _WITHDRAWN)),
    "chatbot_helpdesk_session_acl_violation_total": _each(),
    f"{_AGENT}feedback_total": _each(
        outcome=[
            f"{outcome}_{rating}"
            for outcome in (*OUTCOMES_OF_LINES.values(), STILL_OPEN)
            for rating in (*Rating, _WITHDRAWN)
        ]
    ),
    f"{_AGENT}started_total": _each(trigger=Trigger),
    f"{_AGENT}session_dedup_total": _each(),
    f"{_AGENT}step_total": [
        *_each(step=sorted(set(NextAction) - _TOOLS), outcome=("ok",)),
        *_each(step=sorted(_TOOLS), outcome=("ok", "timeout", "error")),
    ],
    f"{_AGENT}tool_total": [
        _tool({"tool": tool, "outcome": status.value})
        for tool in sorted(_TOOLS)
        for status in StepStatus
        if status is not StepStatus.RUNNING
    ],
    f"{_AGENT}turn_latency_seconds": _each(phase=("supervisor", "tool", "specialist")),
    f"{_AGENT}session_latency_seconds": _each(),
    f"{_AGENT}turns_per_session": _each(),
    f"{_AGENT}user_questions_per_session": _each(),
    f"{_AGENT}tokens_used_total": _each(role=ModelRole),
    f"{_AGENT}prompt_injection_blocked_total": _each(),
    f"{_AGENT}clarifying_questions_total": _each(position=("1", "2")),
    f"{_AGENT}draft_ready_total": _each(),
    f"{_AGENT}user_confirmed_total": _each(),
    f"{_AGENT}aborted_total": _each(reason=AbortReason),
    f"{_AGENT}outcome_total": _each(
        outcome=("filed", "linked", "resolved", "aborted", "budget_exhausted", "error")
    ),
}


def complete(
    counted: Iterable[tuple[str, Labels, float]],
) -> list[tuple[str, Labels, float]]:
    """Counters as they are kept, and at zero those that were never moved."""
    there = list(counted)
    known = {(name, frozenset(labels.items())) for name, labels, _ in there}
    never = [
        (name, labels, 0.0)
        for name, labels in _all_counters()
        if (name, frozenset(labels.items())) not in known
    ]
    return [*there, *never]


def _all_counters() -> Iterator[tuple[str, Labels]]:
    bounds = {
        one.name: one.bounds
        for moved in TABLE.values()
        for one in moved
        if isinstance(one, Distribution)
    }
    for name, series in SERIES.items():
        for labels in series:
            if name not in bounds:
                yield name, labels
                continue
            for bound in (*(f"{one:g}" for one in bounds[name]), "+Inf"):
                yield f"{name}_bucket", {**labels, "le": bound}
            yield f"{name}_sum", labels
            yield f"{name}_count", labels


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
