"""Drafts, proposals and candidates: what is shown is what is filed, and nothing else can be."""

from typing import Any

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.app.domain.principals import Role
from backend.tests.support.agent import (
    A_DRAFT,
    CONFIRM,
    PREVIEW,
    SENTINEL,
    answer_to,
    application,
    confirm,
    count,
    drafted,
    execute,
    filed,
    reply,
    rows,
    session_of,
    started,
)
from backend.tests.support.people import People, Person


async def _previewed(
    client: httpx.AsyncClient, turn: dict[str, Any], **edits: str
) -> dict[str, Any]:
    body = {"session_id": turn["session_id"], "draft": {**turn["draft"], **edits}}
    answer = await client.post(PREVIEW, json=body)
    assert answer.status_code == 200, answer.text
    preview: dict[str, Any] = answer.json()
    return preview


async def test_each_kind_of_turn_has_its_own_fields(client: httpx.AsyncClient) -> None:
    question = await started(client)
    draft = (await reply(client, question, choice="My team")).json()
    last = (await confirm(client, draft)).json()
    given = [
        {name for name, value in turn.items() if value is not None} - {"session_id", "kind"}
        for turn in (question, draft, last)
    ]

    always = {"message", "debug_trace"}
    assert given[0] == always | {
        "choices",
        "pending_question_id",
        "question_number",
        "question_limit",
        "web_results",
    }
    assert given[1] == always | {
        "pending_question_id",
        "draft",
        "body_preview",
        "draft_digest",
        "web_results",
    }
    assert given[2] == always | {"ticket_id", "ticket_number", "issue_state", "deduplicated"}
    assert (question["question_number"], question["question_limit"]) == (1, 2)
    assert (last["deduplicated"], last["issue_state"]) == (False, "off")


async def test_an_edited_draft_is_filed_as_its_preview_showed_it(
    client: httpx.AsyncClient,
) -> None:
    turn = await drafted(client)
    edited = await _previewed(client, turn, title="Reports  answer 403", severity="low")
    assert edited["draft_digest"] != turn["draft_digest"]
    assert edited["draft"]["title"] == "Reports answer 403"
    last = await confirm(client, turn, draft=edited["draft"], draft_digest=edited["draft_digest"])

    assert last.status_code == 200, last.text
    ticket = (await client.get(f"/api/tickets/{last.json()['ticket_id']}")).json()
    assert ticket["title"] == "Reports answer 403"
    assert ticket["body"] == edited["body_preview"]
    assert ticket["severity"] == "low"


@pytest.mark.parametrize(
    "edit",
    [
        {"title": "Another title"},
        {"description": "Another description"},
        {"severity": "critical"},
        {"impact": "Organisation"},
        {"category": "network"},
    ],
)
async def test_a_yes_is_to_every_part_of_the_draft(
    client: httpx.AsyncClient, container: Container, edit: dict[str, str]
) -> None:
    turn = await drafted(client)
    draft = {**turn["draft"], **edit}
    refused = await confirm(client, turn, draft=draft)

    assert (refused.status_code, refused.json()["error"]) == (409, "draft_changed")
    assert refused.json()["preview"] == await _previewed(client, turn, **edit)
    assert await count(container, "tickets") == 0
    preview = refused.json()["preview"]
    assert (
        await confirm(client, turn, draft=preview["draft"], draft_digest=preview["draft_digest"])
    ).json()["kind"] == "filed"


async def test_anothers_digest_is_no_yes(client: httpx.AsyncClient) -> None:
    one, two = await drafted(client), await drafted(client)
    refused = await confirm(client, one, draft_digest=two["draft_digest"])

    assert (refused.status_code, refused.json()["error"]) == (409, "draft_changed")


async def test_what_is_added_to_a_draft_stands_in_the_next_one(
    client: httpx.AsyncClient,
) -> None:
    first = await drafted(client)
    added = "it only happens with the quarterly report"
    second = (await reply(client, first, reply=added)).json()

    assert second["kind"] == "draft_ready"
    assert added in second["draft"]["description"]
    assert second["draft_digest"] != first["draft_digest"]
    assert second["pending_question_id"] != first["pending_question_id"]
    stale = await confirm(client, first)
    assert (stale.status_code, stale.json()["error"]) == (409, "stale_question")
    assert (await session_of(client, second))["exchanges"][-1]["reply"] == added
    last = (await confirm(client, second)).json()
    assert added in (await client.get(f"/api/tickets/{last['ticket_id']}")).json()["body"]


async def test_nothing_that_is_added_to_a_draft_is_lost(client: httpx.AsyncClient) -> None:
    turn = await drafted(client)
    added = [f"detail number {n} of the matter" for n in range(15)]
    for one in added:
        turn = (await reply(client, turn, reply=one)).json()

    assert all(one in turn["draft"]["description"] for one in added)


async def test_what_is_added_may_change_how_the_matter_is_graded(
    client: httpx.AsyncClient,
) -> None:
    first = (await reply(client, await started(client), choice="Only me")).json()
    second = (await reply(client, first, reply="Correction: everyone is affected")).json()

    assert (first["draft"]["impact"], second["draft"]["impact"]) == ("Person", "Organisation")


async def test_a_draft_can_be_cancelled_in_words(
    client: httpx.AsyncClient, container: Container
) -> None:
    turn = (await reply(client, await drafted(client), reply="cancel")).json()

    assert (turn["kind"], turn["reason"]) == ("aborted", "user")
    assert await count(container, "tickets") == 0


async def test_a_person_is_only_shown_candidates_of_their_own(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient
) -> None:
    mine = await filed(client)
    theirs = await started(strangers_client)
    again = await started(client)

    assert theirs["candidates"] is None
    assert "Oracle" not in str(theirs["debug_trace"])
    shown = again["candidates"]
    assert [one["number"] for one in shown] == [mine["ticket_number"]]
    assert shown[0]["url"] == f"/my/tickets/{mine['ticket_id']}"
    assert (shown[0]["source"], shown[0]["status"]) == ("desk", "new")
    assert 0.4 <= shown[0]["odds"] <= 1
    assert shown[0]["evidence"]


async def test_an_operator_is_shown_everybodys_and_follows_what_they_link_to(
    client: httpx.AsyncClient, settings: Settings, container: Container, people: People
) -> None:
    ticket = await filed(client)
    async with application(settings) as own:
        operator = await own.client(await people.make("olga", Role.OPERATOR))
        draft = (await reply(operator, await started(operator), choice="My team")).json()
        assert [one["number"] for one in draft["candidates"]] == [ticket["ticket_number"]]
        link = {"source": "desk", "number": ticket["ticket_number"]}
        linked = await operator.post(CONFIRM, json=answer_to(draft, link=link))
        again = await operator.post(CONFIRM, json=answer_to(draft, link=link))
        mine = (await operator.get("/api/tickets")).json()["items"]

    assert linked.status_code == 200, linked.text
    assert linked.json()["kind"] == "linked"
    assert linked.json()["linked_issue_url"] == f"/my/tickets/{ticket['ticket_id']}"
    assert again.json()["ticket_id"] == linked.json()["ticket_id"]
    assert [(one["id"], one["is_mine"]) for one in mine] == [(ticket["ticket_id"], False)]
    assert await count(container, "tickets") == 1
    assert await count(container, "filings") == 1


@pytest.mark.parametrize("source", ["desk", "github"])
async def test_only_a_candidate_that_was_shown_can_be_linked(
    client: httpx.AsyncClient,
    strangers_client: httpx.AsyncClient,
    container: Container,
    source: str,
) -> None:
    anothers = await filed(strangers_client)
    turn = await drafted(client)
    for number in (anothers["ticket_number"], 999):
        link = {"source": source, "number": number}
        refused = await client.post(CONFIRM, json=answer_to(turn, link=link))
        assert (refused.status_code, refused.json()["error"]) == (409, "not_a_candidate")
    assert await count(container, "ticket_followers") == 0
    assert (await confirm(client, turn)).json()["kind"] == "filed"


async def test_who_may_not_see_a_candidate_any_more_cannot_link_to_it(
    client: httpx.AsyncClient, settings: Settings, container: Container, people: People
) -> None:
    ticket = await filed(client)
    operator = await people.make("olga", Role.OPERATOR)
    async with application(settings) as own:
        demoted = await own.client(operator)
        draft = (await reply(demoted, await started(demoted), choice="My team")).json()
        await execute(container, "UPDATE users SET role = 'requester' WHERE username = 'olga'")
        link = {"source": "desk", "number": ticket["ticket_number"]}
        refused = await demoted.post(CONFIRM, json=answer_to(draft, link=link))

    assert (refused.status_code, refused.json()["error"]) == (409, "not_a_candidate")


async def test_a_person_can_link_to_their_own_earlier_ticket(
    client: httpx.AsyncClient, container: Container
) -> None:
    first = await filed(client)
    turn = await drafted(client)
    link = {"source": "desk", "number": first["ticket_number"]}
    linked = (await client.post(CONFIRM, json=answer_to(turn, link=link))).json()

    assert (linked["kind"], linked["ticket_id"]) == ("linked", first["ticket_id"])
    assert await count(container, "tickets") == 1
    listed = (await client.get("/api/tickets")).json()["items"]
    assert [one["is_mine"] for one in listed] == [True]


async def test_a_ticket_is_preceded_by_its_owners_yes(
    client: httpx.AsyncClient, container: Container, requester: Person
) -> None:
    turn = await drafted(client)
    await confirm(client, turn)
    found = await rows(container, "SELECT * FROM filings")

    assert [
        (one["state"], one["draft_digest"], str(one["confirmed_by"]), str(one["session_id"]))
        for one in found
    ] == [("filed", turn["draft_digest"], str(requester.user.id), turn["session_id"])]


async def test_a_preview_stores_nothing(client: httpx.AsyncClient) -> None:
    turn = await started(client, SENTINEL)
    before = await session_of(client, turn)
    body = {"session_id": turn["session_id"], "draft": A_DRAFT}
    assert (await client.post(PREVIEW, json=body)).status_code == 200

    assert await session_of(client, turn) == before
