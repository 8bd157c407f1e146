"""Tickets: one's own and those one follows; for operators everybody's."""

from typing import Any

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.app.domain.principals import Role
from backend.tests.support.agent import (
    A_DRAFT,
    NOWHERE,
    PREVIEW,
    application,
    confirm,
    drafted,
    execute,
    filed,
)
from backend.tests.support.people import People

TICKETS = "/api/tickets"


async def _filed_as(client: httpx.AsyncClient, title: str) -> dict[str, Any]:
    turn = await drafted(client)
    draft = {**A_DRAFT, "title": title}
    body = {"session_id": turn["session_id"], "draft": draft}
    shown = (await client.post(PREVIEW, json=body)).json()
    last = await confirm(client, turn, draft=draft, draft_digest=shown["draft_digest"])
    ticket: dict[str, Any] = last.json()
    return ticket


async def test_a_filed_ticket_is_its_requesters_to_see(client: httpx.AsyncClient) -> None:
    turn = await filed(client)
    ticket = (await client.get(f"{TICKETS}/{turn['ticket_id']}")).json()
    listed = (await client.get(TICKETS)).json()

    assert (ticket["number"], ticket["status"], ticket["origin"]) == (1, "new", "chat")
    assert (ticket["is_mine"], ticket["requester_name"]) == (True, "Rita")
    assert ticket["agent_session_id"] == turn["session_id"]
    assert listed["next_before"] is None
    assert listed["items"] == [{name: ticket[name] for name in listed["items"][0]}]


async def test_anothers_ticket_is_as_unknown_as_none(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient
) -> None:
    turn = await filed(client)
    foreign = await strangers_client.get(f"{TICKETS}/{turn['ticket_id']}")
    unknown = await strangers_client.get(f"{TICKETS}/{NOWHERE}")

    assert (foreign.status_code, foreign.json()["error"]) == (404, "ticket_not_found")
    assert foreign.content == unknown.content
    for query in ("", "?query=oracle", "?before=99"):
        assert (await strangers_client.get(f"{TICKETS}{query}")).json()["items"] == []


async def test_everybodys_tickets_are_for_operators(
    client: httpx.AsyncClient, settings: Settings, container: Container, people: People
) -> None:
    turn = await filed(client)
    refused = await client.get(TICKETS, params={"scope": "all"})
    assert (refused.status_code, refused.json()["error"]) == (403, "operators_only")
    async with application(settings) as own:
        operator = await own.client(await people.make("olga", Role.OPERATOR))
        everybodys = (await operator.get(TICKETS, params={"scope": "all"})).json()["items"]
        mine = (await operator.get(TICKETS)).json()["items"]
        one = await operator.get(f"{TICKETS}/{turn['ticket_id']}")

    assert [(each["id"], each["is_mine"]) for each in everybodys] == [(turn["ticket_id"], False)]
    assert mine == []
    assert one.status_code == 200


async def test_a_list_is_read_page_by_page_and_searched_by_words(
    client: httpx.AsyncClient,
) -> None:
    titles = ["Printer on floor 2 jams", "VPN drops every hour", "Printer out of toner"]
    for title in titles:
        await _filed_as(client, title)
    first = (await client.get(TICKETS, params={"limit": 2})).json()
    second = (await client.get(TICKETS, params={"limit": 2, "before": first["next_before"]})).json()
    found = (await client.get(TICKETS, params={"query": "printers"})).json()
    number = first["items"][0]["number"]
    [by_number] = (await client.get(TICKETS, params={"query": f"#{number}"})).json()["items"]

    assert by_number["number"] == number
    assert [one["title"] for one in first["items"]] == titles[:0:-1]
    assert [one["title"] for one in second["items"]] == titles[:1]
    assert second["next_before"] is None
    assert [one["title"] for one in found["items"]] == [titles[2], titles[0]]


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "before=0", "before=99999999999", "scope=theirs",
     f"query={'x' * 201}"],
)  # fmt: skip
async def test_a_list_is_asked_for_in_its_form(client: httpx.AsyncClient, query: str) -> None:
    assert (await client.get(f"{TICKETS}?{query}")).status_code == 422


async def test_a_ticket_outlives_the_chat_it_came_from(
    client: httpx.AsyncClient, container: Container
) -> None:
    turn = await drafted(client, in_chat=True)
    last = (await confirm(client, turn)).json()
    assert (await client.delete(f"/api/chat/sessions/{turn['chat_session_id']}")).status_code == 204
    ticket = await client.get(f"{TICKETS}/{last['ticket_id']}")

    assert ticket.status_code == 200
    assert (ticket.json()["chat_session_id"], ticket.json()["agent_session_id"]) == (None, None)
    await execute(container, "DELETE FROM agent_sessions")
    assert (await client.get(f"{TICKETS}/{last['ticket_id']}")).status_code == 200
