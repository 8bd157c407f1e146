"""The agent over HTTP: the journey."""

from typing import Any

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.domain.knowledge import ArticleSource
from backend.tests.support.agent import (
    confirm,
    count,
    reply,
    session_of,
    started,
    started_in_chat,
)

VPN = ArticleSource(
    "vpn",
    "VPN connects but nothing loads",
    "Disconnect, wait and connect again.\n\n## On Windows\n\n1. Open the settings.\n2. Flush DNS.",
    questions=("pages time out while I am on vpn",),
)
TROUBLE = "the vpn connects but nothing loads"


async def test_the_demos_question_goes_the_way_that_is_laid_down(
    client: httpx.AsyncClient,
) -> None:
    asked = await started_in_chat(client)

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


@pytest.fixture
async def proposal(client: httpx.AsyncClient, container: Container) -> dict[str, Any]:
    """A turn that offers an article."""
    await container.library.bring_up_to_date("sample", [VPN], sample=True)
    turn = await started(client, TROUBLE)
    assert turn["proposal"] is not None, turn
    return turn


async def test_a_proposal_quotes_an_article_and_is_no_clarifying_question(
    client: httpx.AsyncClient, proposal: dict[str, Any]
) -> None:
    assert proposal["kind"] == "question"
    assert proposal["choices"] == ["That fixed it", "Still broken", "File a ticket"]
    assert proposal["question_number"] is None
    assert proposal["proposal"]["title"] == VPN.title
    source = proposal["sources"][0]
    assert f"[{source['number']}]" in proposal["proposal"]["text"]
    article = (await client.get(f"/api/knowledge/articles/{source['article_id']}")).json()
    assert article["body"][source["start"] : source["end"]] == source["quote"]


async def test_a_fix_that_worked_ends_the_session_without_a_ticket(
    client: httpx.AsyncClient, container: Container, proposal: dict[str, Any]
) -> None:
    turn = (await reply(client, proposal, choice="That fixed it")).json()

    assert turn["kind"] == "resolved"
    assert (await session_of(client, turn))["outcome"] == "resolved_by_agent"
    assert await count(container, "tickets") == 0
    again = await reply(client, proposal, choice="Still broken")
    assert (again.status_code, again.json()["error"]) == (409, "session_ended")


async def test_a_fix_that_did_not_work_stands_in_the_draft(
    client: httpx.AsyncClient, proposal: dict[str, Any]
) -> None:
    turn = (await reply(client, proposal, choice="Still broken")).json()
    while turn["kind"] == "question":
        turn = (await reply(client, turn, reply="I don't know")).json()

    assert turn["kind"] == "draft_ready"
    assert f"## Did not help\n\n- {VPN.title}" in turn["draft"]["description"]
    # A verdict that was chosen is no answer to a question, and tells nothing to search for.
    assert "Still broken" not in turn["draft"]["description"]


async def test_who_wants_a_ticket_gets_its_draft_at_once(
    client: httpx.AsyncClient, proposal: dict[str, Any]
) -> None:
    turn = (await reply(client, proposal, choice="File a ticket")).json()

    assert turn["kind"] == "draft_ready"
    assert [one["action"] for one in turn["debug_trace"]][-2:] == ["classify", "write_draft"]
