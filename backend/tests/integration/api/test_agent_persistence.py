"""What a session leaves in its chat, in the facts, and, once it is over or deleted, behind."""

import asyncio
from typing import Any

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.app.domain.sessions import NextAction
from backend.app.services.helpdesk.flags import Flag
from backend.tests.support.agent import (
    SESSIONS,
    START,
    abort,
    application,
    chat_about,
    confirm,
    count,
    drafted,
    execute,
    facts,
    reply,
    rows,
    search_held,
    searching,
    session_of,
    started_in_chat,
)
from backend.tests.support.people import Person

_CHECKPOINTS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


async def _lines(client: httpx.AsyncClient, chat_id: str) -> list[dict[str, Any]]:
    listed = (await client.get(f"/api/chat/sessions/{chat_id}/messages")).json()["items"]
    return [one for one in listed if one["agent_summary"] is not None]


async def test_a_journey_has_one_line_in_its_chat_that_says_how_it_stands(
    client: httpx.AsyncClient,
) -> None:
    first = await started_in_chat(client)
    chat_id, line_id = first["chat_session_id"], first["chat_message_id"]
    kinds: list[str] = []
    lines: list[dict[str, Any]] = []
    turn = first
    for go_on in (None, "My team", "it began on monday", "confirm"):
        if go_on == "confirm":
            turn = (await confirm(client, turn)).json()
        elif go_on is not None:
            turn = (await reply(client, turn, reply=go_on)).json()
        lines = await _lines(client, chat_id)
        assert [one["id"] for one in lines] == [line_id]
        assert turn["chat_message_id"] == line_id
        assert lines[0]["content"] == turn["message"]
        kinds.append(lines[0]["agent_summary"]["kind"])

    assert kinds == ["question", "draft_ready", "draft_ready", "filed"]
    assert lines[0]["agent_summary"]["ticket_id"] == turn["ticket_id"]
    assert lines[0]["agent_summary"]["agent_session_id"] == turn["session_id"]


async def test_each_session_of_a_chat_has_its_own_line(client: httpx.AsyncClient) -> None:
    first = await started_in_chat(client)
    chat_id = first["chat_session_id"]
    await abort(client, first)
    second = (await client.post(START, json={"chat_session_id": chat_id})).json()
    listed = (await client.get(SESSIONS, params={"chat_session_id": chat_id})).json()["items"]

    assert [one["agent_summary"]["kind"] for one in await _lines(client, chat_id)] == [
        "aborted",
        "question",
    ]
    assert [(one["session_id"], one["status"]) for one in listed] == [
        (second["session_id"], "awaiting_user"),
        (first["session_id"], "ended"),
    ]


async def test_a_line_can_be_rated_at_once_and_keeps_its_rating(
    client: httpx.AsyncClient,
) -> None:
    turn = await started_in_chat(client)
    path = f"/api/chat/messages/{turn['chat_message_id']}/feedback"
    rated = await client.put(path, json={"rating": "helpful"})
    await reply(client, turn, choice="My team")

    assert (rated.status_code, rated.json()["feedback"]) == (200, "helpful")
    assert [one["feedback"] for one in await _lines(client, turn["chat_session_id"])] == ["helpful"]


async def test_a_session_can_be_shown_again_after_a_reload(client: httpx.AsyncClient) -> None:
    waiting = await drafted(client, in_chat=True)
    session = await session_of(client, waiting)

    assert (session["status"], session["outcome"]) == ("awaiting_confirm", None)
    assert session["turn"]["draft_digest"] == waiting["draft_digest"]
    assert session["turn"]["pending_question_id"] == waiting["pending_question_id"]
    trace = waiting["debug_trace"]
    assert session["steps"][-len(trace) :] == trace  # a turn tells of its own steps
    assert [one["reply"] for one in session["exchanges"]] == ["My team"]
    assert (await confirm(client, session["turn"])).json()["kind"] == "filed"


async def _left_of(container: Container, session_id: str) -> dict[str, int]:
    found = {}
    for table in (*_CHECKPOINTS, "runs", "run_events"):
        query = f"SELECT count(*) AS n FROM {table} WHERE thread_id::text = :id"
        found[table] = (await rows(container, query, id=session_id))[0]["n"]
    query = "SELECT count(*) AS n FROM agent_sessions WHERE id = :id"
    found["agent_sessions"] = (await rows(container, query, id=session_id))[0]["n"]
    return found


@pytest.mark.parametrize("state", ["asking", "drafted", "filed", "cancelled"])
async def test_with_its_chat_everything_of_a_session_is_deleted_but_its_ticket(
    client: httpx.AsyncClient, container: Container, state: str
) -> None:
    turn = await started_in_chat(client)
    chat_id = turn["chat_session_id"]
    if state in {"drafted", "filed"}:
        turn = (await reply(client, turn, choice="My team")).json()
    if state == "filed":
        await confirm(client, turn)
    if state == "cancelled":
        await abort(client, turn)
    gone = await client.delete(f"/api/chat/sessions/{chat_id}")
    await container.tasks.drain(5)  # a confirm is answered before its run has ended
    await container.agent_sweeps.run()

    assert gone.status_code == 204
    assert set((await _left_of(container, turn["session_id"])).values()) == {0}
    query = "SELECT data FROM facts WHERE kind = 'agent.outcome'"
    outcomes = [row["data"]["outcome"] for row in await rows(container, query)]
    assert outcomes == ["filed" if state == "filed" else "aborted"]
    assert await count(container, "tickets") == (state == "filed")
    again = await reply(client, {**turn, "pending_question_id": "0"}, reply="hello")
    assert (again.status_code, again.json()["error"]) == (404, "agent_session_not_found")


async def test_a_session_that_has_ended_leaves_no_checkpoint(
    client: httpx.AsyncClient, container: Container
) -> None:
    waiting = await drafted(client)
    before = await _left_of(container, waiting["session_id"])
    await confirm(client, waiting)
    await container.tasks.drain(5)
    after = await _left_of(container, waiting["session_id"])

    assert before["checkpoints"] > 0
    assert [after[table] for table in _CHECKPOINTS] == [0, 0, 0]
    assert after["run_events"] > 0


async def test_a_chat_deleted_against_a_confirm_leaves_a_whole_ticket_or_none(
    requester: Person, settings: Settings, container: Container
) -> None:
    async with application(settings) as own:
        client = await own.client(requester)
        for round_ in range(15):
            turn = await drafted(client, in_chat=True)
            before = await count(container, "tickets")

            async def delete(pause: float, chat_id: str) -> httpx.Response:
                await asyncio.sleep(pause)
                return await client.delete(f"/api/chat/sessions/{chat_id}")

            confirmed, gone = await asyncio.gather(
                confirm(client, turn), delete(round_ / 500, turn["chat_session_id"])
            )
            filed = await count(container, "tickets") - before
            assert gone.status_code == 204
            assert confirmed.status_code in {200, 404, 409}, confirmed.text
            assert filed == (confirmed.status_code == 200)
        await own.container.tasks.drain(5)
        await own.container.agent_sweeps.run()

    assert await count(container, "agent_sessions") == 0
    assert [await count(container, table) for table in _CHECKPOINTS] == [0, 0, 0]


async def test_everything_is_switched_off_under_a_running_session(
    requester: Person, settings: Settings, container: Container
) -> None:
    async with application(settings) as own:
        client = await own.client(requester)
        chat_id = await chat_about(client)
        async with search_held(container):
            starting = asyncio.ensure_future(client.post(START, json={"chat_session_id": chat_id}))
            await searching(container)
            await own.container.switchboard.set(Flag.KILL_SWITCH, is_on=True)
        turn = (await starting).json()

    assert (turn["kind"], turn["reason"]) == ("aborted", "kill_switch")
    ended = (await facts(container, "agent.outcome"))[0]["data"]
    assert (ended["outcome"], ended["reason"]) == ("aborted", "kill_switch")
    assert [one["data"]["reason"] for one in await facts(container, "agent.aborted")] == [
        "kill_switch"
    ]


async def test_a_journey_is_told_fact_by_fact(
    client: httpx.AsyncClient, container: Container, requester: Person
) -> None:
    await confirm(client, await drafted(client, in_chat=True))
    told = await facts(container)
    decided = [
        one["data"]["next_action"] for one in told if one["kind"] == "agent.supervisor_decision"
    ]

    assert [one["kind"].removeprefix("agent.") for one in told] == [
        "started",
        "supervisor_decision",
        "tool_call",
        "supervisor_decision",
        "tool_call",
        "supervisor_decision",
        "specialist_ran",
        "awaiting_user",
        "resumed",
        "supervisor_decision",
        "specialist_ran",
        "supervisor_decision",
        "specialist_ran",
        "draft_ready",
        "outcome",
        "user_confirmed",
    ]
    assert decided == [
        NextAction.SEARCH_DUPLICATES,
        NextAction.WEB_SEARCH,
        NextAction.ASK_USER,
        NextAction.CLASSIFY,
        NextAction.WRITE_DRAFT,
    ]
    assert {str(one["actor_id"]) for one in told} == {str(requester.user.id)}
    data = {one["kind"]: one["data"] for one in told}
    assert data["agent.started"]["trigger"] == "chip"
    assert {"tokens_in", "tokens_out", "latency_ms", "turn"} <= set(
        data["agent.supervisor_decision"]
    )
    assert {"tool", "outcome", "duration_ms"} <= set(data["agent.tool_call"])
    assert len(data["agent.awaiting_user"]["question_hash"]) == 16
    assert {"title_hash", "severity", "category"} <= set(data["agent.draft_ready"])
    assert data["agent.user_confirmed"]["ticket_number"] == 1
    outcome = data["agent.outcome"]
    assert (outcome["outcome"], outcome["total_turns"], outcome["total_questions"]) == (
        "filed",
        5,
        1,
    )
    assert "Oracle" not in str([one["data"] for one in told])


async def test_nothing_is_done_twice_however_often_a_session_pauses(
    client: httpx.AsyncClient, container: Container
) -> None:
    turn = await drafted(client, in_chat=True)
    for added in ("it began on monday", "only in chrome", "also for carla"):
        turn = (await reply(client, turn, reply=added)).json()
    await confirm(client, turn)
    told = [one["kind"].removeprefix("agent.") for one in await facts(container)]
    wanted = {"started": 1, "tool_call": 2, "supervisor_decision": 5, "resumed": 4}
    wanted |= {"awaiting_user": 1, "draft_ready": 4, "outcome": 1, "user_confirmed": 1}
    wanted |= {"specialist_ran": 3}

    assert {kind: told.count(kind) for kind in set(told)} == wanted
    assert await count(container, "chat_messages") == 3


async def test_a_session_that_has_told_much_still_answers(
    client: httpx.AsyncClient, container: Container
) -> None:
    turn = await drafted(client)
    await execute(
        container,
        "INSERT INTO run_events (thread_id, seq, kind, data)"
        " SELECT thread_id, n, kind, data FROM run_events, generate_series(100, 700) AS n"
        " WHERE seq = 1",
    )
    await execute(container, "UPDATE runs SET last_seq = 700")
    added = await reply(client, turn, reply="it began on monday")

    assert added.status_code == 200, added.text
    assert (await confirm(client, added.json())).json()["kind"] == "filed"
