"""Without the agent: a summary, a draft, and a ticket that its person files once."""

import asyncio
from typing import Any

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.tests.support.agent import (
    A_DRAFT,
    NOWHERE,
    SENTINEL,
    application,
    chat_about,
    conversation,
    count,
    execute,
    facts,
    rows,
    started,
)
from backend.tests.support.people import Person

SUMMARIZE = "/api/helpdesk/summarize"
DRAFT = "/api/helpdesk/draft-ticket"
CREATE = "/api/helpdesk/create-issue"
SECRET = "my password is Tr0ub4dor&3xyz"


async def _file(client: httpx.AsyncClient, key: str | None = None, **edits: Any) -> httpx.Response:
    draft = {**A_DRAFT, **{name: edits[name] for name in edits if name in A_DRAFT}}
    rest = {name: edits[name] for name in edits if name not in A_DRAFT}
    headers = {"Idempotency-Key": key} if key else {}
    return await client.post(CREATE, json={"draft": draft, **rest}, headers=headers)


async def test_a_conversation_is_summed_up_in_a_line_and_in_a_few(
    client: httpx.AsyncClient,
) -> None:
    said = conversation("Outlook 2019 shows error 0x800CCC0E since Monday.", SECRET)
    answer = await client.post(SUMMARIZE, json=said)

    assert answer.status_code == 200
    told = answer.json()
    assert "0x800CCC0E" in told["title"] + told["summary"]
    assert "> Outlook 2019" in told["summary"]
    assert "**Graded:**" in told["summary"]
    assert "Tr0ub4dor" not in answer.text


async def test_ones_own_chat_can_be_drafted_edited_and_filed(
    client: httpx.AsyncClient, container: Container, requester: Person
) -> None:
    chat = await chat_about(client)
    drafted = (await client.post(DRAFT, json={"chat_session_id": chat})).json()
    assert SENTINEL in drafted["body_preview"]
    assert "agent_session" not in drafted["body_preview"]
    filed = await _file(client, **{**drafted["draft"], "title": "Ours"}, chat_session_id=chat)

    assert filed.status_code == 200
    ticket = (await client.get(f"/api/tickets/{filed.json()['ticket_id']}")).json()
    assert (ticket["title"], ticket["origin"], ticket["is_mine"]) == ("Ours", "api", True)
    assert ticket["body"].startswith(drafted["body_preview"].split("\n\nSeverity")[0])
    assert ticket["chat_session_id"] == chat
    assert ticket["agent_session_id"] is None
    [filing] = await rows(container, "SELECT * FROM filings")
    assert (filing["state"], filing["confirmed_by"]) == ("filed", requester.user.id)
    assert f"agent_session: {filing['session_id']}\nchat_session: " in ticket["body"]
    [fact] = await facts(container, "ticket.")
    assert fact["data"]["ticket_number"] == ticket["number"]


async def test_a_bare_call_for_help_is_no_matter_of_its_own(client: httpx.AsyncClient) -> None:
    said = conversation("The printer on floor 2 prints blank pages", "get help")
    drafted = await client.post(DRAFT, json=said)
    only = await client.post(DRAFT, json=conversation("help me please"))

    assert "printer on floor 2" in drafted.json()["draft"]["title"].lower()
    assert (only.status_code, only.json()["error"]) == (422, "nothing_to_work_on")


async def test_what_is_filed_is_redacted_made_harmless_and_short(
    client: httpx.AsyncClient, container: Container
) -> None:
    text = f"{SECRET} <script>x</script> @everyone #12 " + "y" * 7900
    filed = await _file(client, title=f"{SECRET} fails", description=text[:8000])

    assert filed.status_code == 200
    [ticket] = await rows(container, "SELECT title, body FROM tickets")
    assert "Tr0ub4dor" not in ticket["title"] + ticket["body"]
    assert "<script" not in ticket["body"]
    assert "@everyone" not in ticket["body"]
    assert len(ticket["body"]) <= 8000


@pytest.mark.parametrize("key", ["key-1", None])
async def test_the_same_request_at_the_same_time_and_again_is_one_ticket(
    client: httpx.AsyncClient, container: Container, key: str | None
) -> None:
    answers = await asyncio.gather(*(_file(client, key) for _ in range(8)))
    again = await _file(client, key)

    told = [one.json() for one in [*answers, again]]
    assert {one.status_code for one in answers} == {200}
    assert len({one["ticket_id"] for one in told}) == 1
    assert [one["deduplicated"] for one in told].count(False) == 1
    assert await count(container, "tickets") == await count(container, "filings") == 1
    assert len(await facts(container, "ticket.")) == 1


async def test_a_key_stands_for_one_ticket_of_one_person(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient, container: Container
) -> None:
    first = await _file(client, "key-1")
    other = await _file(client, "key-1", title="Another")
    theirs = await _file(strangers_client, "key-1", title="Another")

    assert (other.status_code, other.json()["error"]) == (422, "idempotency_key_reused")
    assert theirs.status_code == 200
    assert theirs.json()["ticket_id"] != first.json()["ticket_id"]
    assert (await client.get(f"/api/tickets/{theirs.json()['ticket_id']}")).status_code == 404


async def test_the_same_text_is_another_ticket_under_another_key_for_another_or_later(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient, container: Container
) -> None:
    await _file(client)
    await _file(client, "key-1")
    await _file(strangers_client)
    assert await count(container, "tickets") == 3
    await execute(
        container, "UPDATE filings SET confirmed_at = confirmed_at - interval '11 minutes'"
    )
    later = await _file(client)

    assert later.json()["deduplicated"] is False
    assert await count(container, "tickets") == 4


@pytest.mark.parametrize("path", [SUMMARIZE, DRAFT])
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"conversation": []}, 422),
        ({"conversation": [{"role": "assistant", "content": "hello"}]}, 422),
        ({"conversation": [{"role": "user", "content": "x" * 8001}]}, 422),
        ({"conversation": [{"role": "user", "content": "x" * 8000}] * 5}, 422),
        ({"conversation": [{"role": "user", "content": "x"}] * 41}, 422),
        ({"chat_session_id": NOWHERE}, 404),
        ({"chat_session_id": NOWHERE, "conversation": [{"role": "user", "content": "x"}]}, 404),
        ({"conversation": [{"role": "user", "content": "x"}], "model": "mine"}, 422),
    ],
)
async def test_what_cannot_be_read_is_refused(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], status: int
) -> None:
    assert (await client.post(path, json=body)).status_code == status


@pytest.mark.parametrize(
    ("edits", "status"),
    [
        ({"title": ""}, 422),
        ({"title": "x" * 121}, 422),
        ({"description": "x" * 8001}, 422),
        ({"severity": "awful"}, 422),
        ({"chat_session_id": NOWHERE}, 404),
        ({"requester_id": NOWHERE}, 422),
    ],
)
async def test_a_ticket_that_cannot_be_is_refused_and_nothing_is_stored(
    client: httpx.AsyncClient, container: Container, edits: dict[str, Any], status: int
) -> None:
    assert (await _file(client, **edits)).status_code == status
    assert await count(container, "tickets") == 0


async def test_anothers_chat_does_not_exist(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient
) -> None:
    chat = await chat_about(client)
    answers = [
        await strangers_client.post(SUMMARIZE, json={"chat_session_id": chat}),
        await strangers_client.post(DRAFT, json={"chat_session_id": chat}),
        await _file(strangers_client, chat_session_id=chat),
    ]

    assert {(one.status_code, one.json()["error"]) for one in answers} == {
        (404, "chat_session_not_found")
    }


async def test_it_is_limited_as_the_chat_is_and_repetitions_do_not_count(
    settings: Settings, container: Container, requester: Person
) -> None:
    slow = settings.model_copy(
        update={"chat": settings.chat.model_copy(update={"messages_per_minute": 3})}
    )
    async with application(slow) as own:
        client = await own.client(requester)
        assert (await client.post(SUMMARIZE, json=conversation())).status_code == 200
        assert (await client.post(DRAFT, json=conversation())).status_code == 200
        assert (await _file(client)).status_code == 200
        assert (await _file(client)).json()["deduplicated"] is True
        refused = [await client.post(SUMMARIZE, json=conversation()), await _file(client, "k")]

    for one in refused:
        assert (one.status_code, one.json()["error"]) == (429, "asked_too_often")
        assert 1 <= int(one.headers["retry-after"]) <= 60


async def test_tickets_of_ones_own_and_sessions_share_the_days_cap(
    settings: Settings, container: Container, requester: Person
) -> None:
    async with application(settings, max_sessions_per_user_per_day=2) as own:
        client = await own.client(requester)
        await started(client)
        assert (await _file(client)).status_code == 200
        refused = await _file(client, "k")

    assert (refused.status_code, refused.json()["error"]) == (429, "daily_cap_reached")


async def test_it_is_there_while_the_agent_is_switched_off_and_the_page_is_told(
    settings: Settings, container: Container, requester: Person, client: httpx.AsyncClient
) -> None:
    assert (await client.get("/api/chat/welcome")).json()["agent_enabled"] is True
    async with application(settings, enabled=False) as own:
        off = await own.client(requester)
        assert (await off.get("/api/chat/welcome")).json()["agent_enabled"] is False
        assert (await off.post(DRAFT, json=conversation())).status_code == 200
        assert (await _file(off)).status_code == 200


async def test_who_may_not_start_the_agent_is_told_so(
    settings: Settings, container: Container, requester: Person, stranger: Person
) -> None:
    only = (stranger.user.id,)
    async with application(settings, enabled_user_ids=only) as own:
        for person, may in ((requester, False), (stranger, True)):
            client = await own.client(person)
            assert (await client.get("/api/chat/welcome")).json()["agent_enabled"] is may
