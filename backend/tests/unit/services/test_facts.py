"""The one table from fact to counter."""

import inspect
from uuid import UUID

from prometheus_client.parser import text_string_to_metric_families

from backend.app.domain import agent_events, events
from backend.app.domain.sessions import STATE_VERSION, AgentSessionId
from backend.app.providers.metrics import PrometheusMetrics
from backend.app.services.counters import DISTRIBUTIONS, HELP, TABLE, movements
from backend.app.services.series import SERIES, complete
from backend.app.services.tools.bounded import CAUSES

FACTS = [
    member
    for module in (events, agent_events)
    for _, member in inspect.getmembers(module, inspect.isclass)
    if issubclass(member, events.Fact) and hasattr(member, "kind")
]


def test_every_counter_is_of_a_fact_that_exists_and_is_explained() -> None:
    assert set(TABLE) <= {fact.kind for fact in FACTS}
    assert {one.name for moved in TABLE.values() for one in moved} == set(HELP) == set(SERIES)


def test_kinds_are_dotted_and_unlike() -> None:
    kinds = [fact.kind for fact in set(FACTS)]

    assert len(kinds) > 10
    assert len(set(kinds)) == len(kinds)
    assert all(kind.count(".") == 1 for kind in kinds)


def test_a_distribution_is_what_prometheus_takes_for_a_histogram() -> None:
    ended = {"outcome": "filed", "total_turns": 3, "total_questions": 1, "duration_ms": 2500}
    counted: dict[tuple[str, str], tuple[str, dict[str, str], float]] = {}
    for _ in range(2):
        for moved in movements("agent.outcome", ended):
            key = (moved.name, str(moved.labels))
            before = counted.get(key, (moved.name, moved.labels, 0.0))[2]
            counted[key] = (moved.name, moved.labels, before + moved.by)

    page, _ = PrometheusMetrics().page(counted.values(), HELP, DISTRIBUTIONS)

    families = {one.name: one for one in text_string_to_metric_families(page.decode())}
    latency = families["chatbot_helpdesk_agent_session_latency_seconds"]
    assert latency.type == "histogram"
    values = {(one.name.rpartition("_")[2], one.labels.get("le")): one.value
              for one in latency.samples}  # fmt: skip
    assert values[("sum", None)] == 5
    assert values[("count", None)] == values[("bucket", "+Inf")] == values[("bucket", "5")] == 2
    assert ("bucket", "1") not in values
    outcome = families["chatbot_helpdesk_agent_outcome"]
    assert [(one.labels, one.value) for one in outcome.samples] == [({"outcome": "filed"}, 2)]


def test_a_forced_end_counts_under_its_reason() -> None:
    ended = {
        "outcome": "aborted",
        "reason": "error",
        "total_turns": 0,
        "total_questions": 0,
        "duration_ms": 1,
    }

    [moved] = [one for one in movements("agent.outcome", ended) if one.name.endswith("e_total")]

    assert moved.labels == {"outcome": "error"}


def test_what_was_never_moved_stands_at_zero_and_once() -> None:
    name, labels = "chatbot_helpdesk_agent_outcome_total", {"outcome": "filed"}
    told = complete([(name, labels, 3.0)])

    keys = [(one, tuple(sorted(each.items()))) for one, each, _ in told]
    assert len(keys) == len(set(keys))
    assert [value for one, each, value in told if (one, each) == (name, labels)] == [3.0]
    assert {value for one, each, value in told if (one, each) != (name, labels)} == {0.0}


def test_tokens_are_counted_by_role_and_none_is_no_count() -> None:
    def moved(tokens: int) -> list[tuple[dict[str, str], float]]:
        used = {"role": "writer", "tokens_in": tokens, "tokens_out": tokens}
        asked = {**used, "outcome": "ok", "prompt": "writer-1"}
        return [
            (one.labels, one.by)
            for one in movements("agent.model_call", asked)
            if one.name.endswith("_tokens_used_total")
        ]

    assert moved(7) == [({"role": "writer"}, 14.0)]
    assert moved(0) == []


def test_every_cause_that_a_search_may_have_has_a_series() -> None:
    reasons = {one["reason"] for one in SERIES["chatbot_helpdesk_agent_tool_total"]}

    # Refused and failed say why; a step that was stopped is told of no more.
    assert {one for one in CAUSES if one not in {"blocked", "failed", "stopped"}} <= reasons


def test_an_error_is_told_by_its_type_and_a_digest() -> None:
    failed = agent_events.AgentFailed(
        agent_session_id=AgentSessionId(UUID(int=1)),
        chat_session_id=None,
        error="ValueError",
        message_hash="0123456789abcdef",
    )

    assert failed.data() == {
        "kind": "ValueError",
        "message_hash": "0123456789abcdef",
        "agent_session_id": str(UUID(int=1)),
        "chat_session_id": None,
        "state_version": STATE_VERSION,
    }
