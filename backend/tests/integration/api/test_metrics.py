"""From the names that the requirement gives to what a scrape holds."""

from datetime import timedelta
from uuid import uuid4

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from backend.app.bootstrap import Container
from backend.app.db.repositories.checkpoints import Write
from backend.app.domain.runs import GraphKind, ThreadId
from backend.app.services.runs.claims import Held
from backend.app.services.runs.endings import Handed, Paused
from backend.app.services.runs.saver import Begun
from backend.app.services.series import complete
from backend.tests.support.agent import abort, confirm, drafted, filed, started, started_in_chat

_AGENT = "chatbot_helpdesk_agent_"
#: The requirement's names, with the labels that it gives them and the values of each.
REQUIRED: dict[str, dict[str, set[str]]] = {
    "started_total": {"trigger": {"chip", "phrase", "llm_router"}},
    "step_total": {"step": set(), "outcome": {"ok", "error", "timeout"}},
    "tool_total": {"tool": set(), "outcome": {"ok", "error", "skipped"}, "reason": set()},
    "outcome_total": {
        "outcome": {"filed", "linked", "resolved", "aborted", "budget_exhausted", "error"}
    },
    "session_dedup_total": {},
    "prompt_injection_blocked_total": {"reason": {"marker", "answer"}},
    "clarifying_questions_total": {"position": {"1", "2"}},
    "session_latency_seconds": {},
    "turn_latency_seconds": {"phase": {"supervisor", "tool", "specialist"}},
    "turns_per_session": {},
    "user_questions_per_session": {},
    "tokens_used_total": {"role": {"supervisor", "clarifier", "classifier", "proposer", "writer"}},
    "checkpoint_total": {"op": {"read", "write", "delete", "expire"}, "outcome": set()},
    "draft_ready_total": {},
    "user_confirmed_total": {},
    "aborted_total": {
        "reason": {
            *("user", "budget_exhausted", "server_restart", "kill_switch", "expired"),
            *("erased", "error"),
        }
    },
}
NAMES = {
    **{f"{_AGENT}{name}": labels for name, labels in REQUIRED.items()},
    "chatbot_helpdesk_session_acl_violation_total": {},
}

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


async def scraped(container: Container) -> Samples:
    page, _ = await container.metrics_page()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(page.decode())
        for sample in family.samples
    }


@pytest.mark.parametrize("name", NAMES)
async def test_every_name_is_there_from_the_start_with_its_labels(
    container: Container, name: str
) -> None:
    samples = await scraped(container)
    shown = name if name.endswith("_total") else f"{name}_count"
    found = [dict(labels) for one, labels in samples if one == shown]

    assert found
    assert all(set(labels) == set(NAMES[name]) for labels in found)
    for label, values in NAMES[name].items():
        if values:
            assert {labels[label] for labels in found} == values


async def test_journeys_move_series_that_were_there_and_no_others(
    container: Container, client: httpx.AsyncClient
) -> None:
    before = await scraped(container)
    await filed(client)
    await abort(client, await started(client))
    await container.facts.read_all()
    after = await scraped(container)

    process = {key for key in before if key[0].startswith("chatbot_http_")}
    fresh = {key for key in after if not key[0].startswith("chatbot_http_")} - set(before)
    assert fresh == set()  # so labels are closed sets
    assert all(value >= before[key] for key, value in after.items() if key not in process
               and key in before)  # fmt: skip

    def rise(name: str, **labels: str) -> float:
        key = (name, frozenset(labels.items()))
        return after[key] - before[key]

    assert rise(f"{_AGENT}started_total", trigger="chip") == 2
    assert rise(f"{_AGENT}outcome_total", outcome="filed") == 1
    assert rise(f"{_AGENT}outcome_total", outcome="aborted") == 1
    assert rise(f"{_AGENT}aborted_total", reason="user") == 1
    assert rise(f"{_AGENT}turn_latency_seconds_count", phase="specialist") > 0
    assert rise(f"{_AGENT}checkpoint_total", op="read", outcome="ok") > 0
    assert rise(f"{_AGENT}checkpoint_total", op="write", outcome="ok") > 0
    assert rise(f"{_AGENT}checkpoint_total", op="delete", outcome="ok") > 0
    assert len(complete(await container.facts.counters())) == len(complete([]))


async def test_a_sweep_that_deletes_what_was_left_is_counted_as_expiry(
    container: Container,
) -> None:
    before = await scraped(container)
    await container.runs.checkpoints.expire([])
    after = await scraped(container)
    key = (f"{_AGENT}checkpoint_total", frozenset({("op", "expire"), ("outcome", "ok")}))

    assert after[key] - before[key] == 1


async def test_what_a_run_keeps_that_is_anothers_by_now_is_counted_as_refused(
    container: Container,
) -> None:
    engine, before = container.runs, await scraped(container)
    claim = engine.claims.first(
        ThreadId(uuid4()), GraphKind.HELPDESK, allowance=timedelta(seconds=9)
    )
    held = Held(claim, begun=Begun(writes=[Write("1", "task", "", 0, "channel", None, b"")]))
    ending = await engine._settled(held, Paused((), {}))
    after = await scraped(container)
    key = (f"{_AGENT}checkpoint_total", frozenset({("op", "write"), ("outcome", "refused")}))

    assert isinstance(ending, Handed)
    assert after[key] - before[key] == 1


async def test_a_verdict_on_an_outcome_counts_under_both(
    container: Container, client: httpx.AsyncClient
) -> None:
    open_turn = await started_in_chat(client)
    ended = await drafted(client, in_chat=True)
    await confirm(client, ended)
    for turn, rating, comment in (
        (ended, "unhelpful", None),
        (ended, "unhelpful", "It was the wrong printer"),  # the same, with a reason: counted once
        (ended, "helpful", None),
        (open_turn, "helpful", None),
    ):
        path = f"/api/chat/messages/{turn['chat_message_id']}/feedback"
        rated = await client.put(path, json={"rating": rating, "comment": comment})
        assert rated.status_code == 200
    await container.facts.read_all()

    name, moved = f"{_AGENT}feedback_total", await scraped(container)
    counted = {dict(labels)["outcome"]: value for (one, labels), value in moved.items()
               if one == name and value}  # fmt: skip
    assert counted == {"filed_unhelpful": 1, "filed_helpful": 1, "open_helpful": 1}
    assert ("chatbot_feedback_total", frozenset({("rating", "helpful")})) in moved
    assert not [
        value for (one, _), value in moved.items() if one == "chatbot_feedback_total" and value
    ]
