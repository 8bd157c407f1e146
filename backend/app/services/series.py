"""Every series that a scrape shows from the start; what moves them is in ``counters``."""

from collections.abc import Iterable, Iterator
from itertools import product

from backend.app.core.errors import ErrorKind
from backend.app.domain.chat import OUTCOMES_OF_LINES, STILL_OPEN, ChatMode, Rating
from backend.app.domain.language_models import ModelRole
from backend.app.domain.runs import AbortReason
from backend.app.domain.sessions import TOOL_NAMES, NextAction, Trigger
from backend.app.domain.tracker import IssueChangeKind
from backend.app.services.counters import AGENT, TABLE, WITHDRAWN, Distribution, Labels

#: The tool that writes an issue; a use of it is counted by how it went, without a cause.
_FILE = "file_ticket"
#: What a search's causes are told as.
_SEARCH_REASONS: dict[str, tuple[str, ...]] = {
    "ok": ("ok", "empty"),
    "skipped": ("switched_off", "over_budget", "nothing_to_send"),
    "error": ("timed_out", *ErrorKind),
}


def _each(**values: Iterable[str]) -> list[Labels]:
    """Every combination of these labels' values; without a label, the one series."""
    chosen = product(*([str(one) for one in those] for those in values.values()))
    return [dict(zip(values, one, strict=True)) for one in chosen]


#: Every series there can be without a model, by name: labels are closed sets, so all are there from
#: the start, and the first count of one is a rise that a monitor sees.
SERIES: dict[str, list[Labels]] = {
    "chatbot_sign_ins_total": _each(outcome=("ok", "credentials", "limit")),
    "chatbot_chat_sessions_total": _each(mode=ChatMode),
    "chatbot_answers_total": _each(kb_resolved=("true", "false")),
    "chatbot_feedback_total": _each(rating=(*Rating, WITHDRAWN)),
    "chatbot_helpdesk_session_acl_violation_total": _each(),
    f"{AGENT}feedback_total": _each(
        outcome=[
            f"{outcome}_{rating}"
            for outcome in (*OUTCOMES_OF_LINES.values(), STILL_OPEN)
            for rating in (*Rating, WITHDRAWN)
        ]
    ),
    f"{AGENT}started_total": _each(trigger=Trigger),
    f"{AGENT}session_dedup_total": _each(),
    f"{AGENT}step_total": [
        *_each(step=sorted(set(NextAction) - set(TOOL_NAMES)), outcome=("ok",)),
        *_each(step=(*sorted(TOOL_NAMES), _FILE), outcome=("ok", "timeout", "error")),
    ],
    f"{AGENT}tool_total": [
        *(
            {"tool": tool, "outcome": outcome, "reason": reason}
            for tool in sorted(TOOL_NAMES.values())
            for outcome, reasons in _SEARCH_REASONS.items()
            for reason in reasons
        ),
        *_each(tool=(_FILE,), outcome=("ok",), reason=("ok",)),
        *_each(tool=(_FILE,), outcome=("error",), reason=("failed", "timed_out")),
    ],
    f"{AGENT}issue_filed_total": _each(how=("written", "found")),
    "chatbot_tracker_changes_total": _each(change=IssueChangeKind),
    # By which prompt is known where prompts are: the series of models are there once one is asked.
    f"{AGENT}decision_total": _each(next_action=NextAction, by=("rules",), prompt=("none",)),
    f"{AGENT}model_call_total": [],
    f"{AGENT}turn_latency_seconds": _each(phase=("supervisor", "tool", "specialist")),
    f"{AGENT}session_latency_seconds": _each(),
    f"{AGENT}turns_per_session": _each(),
    f"{AGENT}user_questions_per_session": _each(),
    f"{AGENT}tokens_used_total": _each(role=ModelRole),
    f"{AGENT}prompt_injection_blocked_total": _each(reason=("marker", "answer")),
    f"{AGENT}clarifying_questions_total": _each(position=("1", "2")),
    f"{AGENT}draft_ready_total": _each(),
    f"{AGENT}user_confirmed_total": _each(),
    f"{AGENT}aborted_total": _each(reason=AbortReason),
    f"{AGENT}outcome_total": _each(
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
