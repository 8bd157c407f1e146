"""The agent over HTTP: the journey, and the answer table."""

from typing import Any

import httpx

SENTINEL = "Oracle Financials 403 error on budget reports"
START = "/api/helpdesk/agent/start"
RESUME = "/api/helpdesk/agent/resume"
CONFIRM = "/api/helpdesk/agent/confirm"
ABORT = "/api/helpdesk/agent/abort"


async def chat_about(client: httpx.AsyncClient, question: str = SENTINEL) -> str:
    chat_id = str((await client.post("/api/chat/sessions", json={"mode": "agent"})).json()["id"])
    asked = await client.post(f"/api/chat/sessions/{chat_id}/messages", json={"text": question})
    assert asked.status_code == 201
    assert asked.json()["answer"]["kb_resolved"] is False
    return chat_id


async def start(client: httpx.AsyncClient, question: str = SENTINEL) -> dict[str, Any]:
    chat_id = await chat_about(client, question)
    answer = await client.post(START, json={"chat_session_id": chat_id})
    assert answer.status_code == 200, answer.text
    turn: dict[str, Any] = answer.json()
    return turn


async def reply(client: httpx.AsyncClient, turn: dict[str, Any], **said: str) -> httpx.Response:
    return await client.post(
        RESUME,
        json={
            "session_id": turn["session_id"],
            "pending_question_id": turn["pending_question_id"],
            **said,
        },
    )


async def to_draft(client: httpx.AsyncClient) -> dict[str, Any]:
    turn: dict[str, Any] = (await reply(client, await start(client), choice="My team")).json()
    assert turn["kind"] == "draft_ready"
    return turn


async def confirm(client: httpx.AsyncClient, turn: dict[str, Any]) -> httpx.Response:
    return await client.post(
        CONFIRM,
        json={
            "session_id": turn["session_id"],
            "pending_question_id": turn["pending_question_id"],
            "draft": turn["draft"],
            "draft_digest": turn["draft_digest"],
        },
    )


async def test_the_demos_question_goes_the_way_that_is_laid_down(
    client: httpx.AsyncClient,
) -> None:
    asked = await start(client)

    assert asked["kind"] == "question"
    assert asked["message"] == "Is this affecting only you or your team?"
    assert asked["choices"] == ["Only me", "My team", "Everyone"]
    taken = [step["action"] for step in asked["debug_trace"]]
    assert taken == ["search_duplicates", "web_search", "ask_user"]
    assert [step["status"] for step in asked["debug_trace"]] == ["empty", "ok", "ok"]

    drafted = (await reply(client, asked, choice="My team")).json()

    assert drafted["kind"] == "draft_ready"
    graded = [drafted["draft"][name] for name in ("severity", "category", "impact")]
    assert graded == ["high", "access", "Team"]
    assert "Oracle" in drafted["draft"]["title"]
    assert f"agent_session: {drafted['session_id']}" in drafted["body_preview"]
    assert "chat_session: " in drafted["body_preview"]

    filed = await confirm(client, drafted)

    assert filed.status_code == 200, filed.text
    assert filed.json()["kind"] == "filed"
    ticket = (await client.get(f"/api/tickets/{filed.json()['ticket_id']}")).json()
    assert ticket["title"] == drafted["draft"]["title"]
    assert ticket["body"] == drafted["body_preview"]
    assert [one["id"] for one in (await client.get("/api/tickets")).json()["items"]] == [
        ticket["id"]
    ]
