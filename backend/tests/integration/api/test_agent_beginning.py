"""What a session takes from its chat: the matter that is still open, and what did not help."""

from typing import Any

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.domain.knowledge import ArticleSource
from backend.tests.support.agent import START, abort, chat_about, reply, started_in_chat

VPN = ArticleSource(
    "vpn",
    "VPN connects but nothing loads",
    "Disconnect, wait and connect again.\n\n## On Windows\n\n1. Open the settings.\n2. Flush DNS.",
    questions=("pages time out while I am on vpn",),
)
TROUBLE = "the vpn connects but nothing loads"


async def say(client: httpx.AsyncClient, chat_id: str, text: str) -> dict[str, Any]:
    """Ask in a chat; the exchange."""
    asked = await client.post(f"/api/chat/sessions/{chat_id}/messages", json={"text": text})
    assert asked.status_code == 201, asked.text
    exchange: dict[str, Any] = asked.json()
    return exchange


@pytest.fixture
async def answered(client: httpx.AsyncClient, container: Container) -> tuple[str, dict[str, Any]]:
    """A chat with a question that the knowledge base answered, and the answer."""
    await container.library.bring_up_to_date("sample", [VPN], sample=True)
    chat_id = str((await client.post("/api/chat/sessions", json={"mode": "agent"})).json()["id"])
    answer = (await say(client, chat_id, TROUBLE))["answer"]
    assert answer["kb_resolved"] is True
    return chat_id, answer


async def rate(client: httpx.AsyncClient, answer: dict[str, Any], rating: str) -> None:
    path = f"/api/chat/messages/{answer['id']}/feedback"
    assert (await client.put(path, json={"rating": rating})).status_code == 200


async def draft_of(client: httpx.AsyncClient, turn: dict[str, Any]) -> dict[str, Any]:
    while turn["kind"] == "question":
        turn = (await reply(client, turn, reply="I don't know")).json()
    assert turn["kind"] == "draft_ready", turn
    return turn


async def test_an_answer_that_did_not_help_is_not_proposed_again(
    client: httpx.AsyncClient, answered: tuple[str, dict[str, Any]]
) -> None:
    chat_id, answer = answered
    await rate(client, answer, "unhelpful")
    turn = (await client.post(START, json={"chat_session_id": chat_id})).json()

    assert turn["proposal"] is None, turn
    described = (await draft_of(client, turn))["draft"]["description"]
    assert TROUBLE in described.lower()
    assert f"## Did not help\n\n- {VPN.title}" in described


async def test_a_call_for_help_is_about_what_was_asked_before_it(
    client: httpx.AsyncClient, answered: tuple[str, dict[str, Any]]
) -> None:
    chat_id, _ = answered
    await say(client, chat_id, "get help")
    turn = (await client.post(START, json={"chat_session_id": chat_id})).json()
    draft = (await draft_of(client, turn))["draft"]

    assert "vpn" in draft["title"].lower()
    assert TROUBLE in draft["description"].lower()


async def test_a_call_for_help_alone_is_nothing_to_look_into(client: httpx.AsyncClient) -> None:
    chat_id = await chat_about(client, "Help me, please!")
    answer = await client.post(START, json={"chat_session_id": chat_id})
    alone = {"conversation": [{"role": "user", "content": "I need help"}]}

    assert (answer.status_code, answer.json()["error"]) == (422, "nothing_to_work_on")
    assert (await client.post(START, json=alone)).status_code == 422


async def test_a_matter_that_was_settled_is_not_taken_up_with_the_next(
    client: httpx.AsyncClient, answered: tuple[str, dict[str, Any]]
) -> None:
    chat_id, answer = answered
    await rate(client, answer, "helpful")
    await say(client, chat_id, "the zorblax gizmo hums at night")
    turn = (await client.post(START, json={"chat_session_id": chat_id})).json()
    draft = (await draft_of(client, turn))["draft"]

    assert "zorblax" in draft["title"].lower()
    assert "vpn" not in draft["description"].lower()


async def test_help_again_goes_on_with_what_was_left(client: httpx.AsyncClient) -> None:
    turn = await started_in_chat(client, "the zorblax gizmo hums at night")
    await abort(client, turn)
    await say(client, turn["chat_session_id"], "help me troubleshoot this")
    again = await client.post(START, json={"chat_session_id": turn["chat_session_id"]})
    draft = (await draft_of(client, again.json()))["draft"]

    assert "zorblax" in draft["title"].lower()
