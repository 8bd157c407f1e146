"""The agent's answer table, in its order: what each request is told, and what it is told first."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.app.domain.principals import Role
from backend.app.services.helpdesk.flags import Flag
from backend.tests.support.agent import (
    A_DRAFT,
    ABORT,
    CONFIRM,
    NO_QUESTION,
    NOWHERE,
    PREVIEW,
    RESUME,
    SESSIONS,
    START,
    abort,
    answer_to,
    application,
    chat_about,
    confirm,
    drafted,
    execute,
    facts,
    filed,
    reply,
    rows,
    started,
    started_in_chat,
    yes_to,
)
from backend.tests.support.people import People, Person


@pytest.fixture
async def operator(people: People) -> Person:
    """An operator."""
    return await people.make("olga", Role.OPERATOR)


def requests_about(session_id: str, question_id: str = NO_QUESTION) -> dict[str, tuple[str, Any]]:
    """Every request about one session: its address and body."""
    named = {"session_id": session_id, "pending_question_id": question_id}
    return {
        "resume": (RESUME, {**named, "reply": "since monday"}),
        "confirm": (CONFIRM, {**named, "draft": A_DRAFT, "draft_digest": "0" * 64}),
        "abort": (ABORT, {"session_id": session_id}),
        "preview": (PREVIEW, {"session_id": session_id, "draft": A_DRAFT}),
        "session": (f"{SESSIONS}/{session_id}", None),
        "events": (f"{SESSIONS}/{session_id}/events", None),
    }


async def send(client: httpx.AsyncClient, request: tuple[str, Any]) -> httpx.Response:
    path, body = request
    return await (client.get(path) if body is None else client.post(path, json=body))


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


VERBS = list(requests_about(NOWHERE))


@pytest.mark.parametrize("path", [START, RESUME, CONFIRM, ABORT, PREVIEW])
async def test_a_stranger_learns_nothing_of_a_bodys_form(
    anonymous: httpx.AsyncClient, path: str
) -> None:
    for content in (b"{}", b"\x89PNG", b'{"session_id": 1}'):
        answer = await anonymous.post(path, content=content)
        assert refusal(answer) == (401, "sign_in_required")


@pytest.mark.parametrize("verb", VERBS)
async def test_nobody_gets_anywhere_without_a_sign_in(
    anonymous: httpx.AsyncClient, client: httpx.AsyncClient, verb: str
) -> None:
    turn = await started(client)
    answers = [
        await send(anonymous, requests_about(session_id)[verb])
        for session_id in (turn["session_id"], NOWHERE)
    ]

    assert [refusal(one) for one in answers] == [(401, "sign_in_required")] * 2
    assert answers[0].content == answers[1].content
    assert refusal(await anonymous.get("/api/tickets")) == (401, "sign_in_required")
    assert refusal(await anonymous.get(f"/api/tickets/{NOWHERE}")) == (401, "sign_in_required")


@pytest.mark.parametrize("verb", ["resume", "confirm", "preview"])
async def test_a_body_of_another_form_is_refused_alike_for_every_id(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient, verb: str
) -> None:
    own, ended = await started(client), await filed(client)
    anothers = await started(strangers_client)
    ids = [own["session_id"], ended["session_id"], anothers["session_id"], NOWHERE]
    answers = []
    for session_id in ids:
        path, body = requests_about(session_id)[verb]
        answers.append(await client.post(path, json={**body, "unknown": 1}))

    assert [one.status_code for one in answers] == [422] * 4
    assert len({one.content for one in answers}) == 1


async def test_an_answer_needs_the_question_it_answers(client: httpx.AsyncClient) -> None:
    turn = await started(client)
    for missing in ("pending_question_id", "reply"):
        body = answer_to(turn, reply="my team")
        del body[missing]
        assert (await client.post(RESUME, json=body)).status_code == 422


@pytest.mark.parametrize(
    "said",
    [
        {"draft": A_DRAFT},
        {"draft_digest": "0" * 64},
        {"link": {"source": "desk", "number": 1}, "draft": A_DRAFT, "draft_digest": "0" * 64},
        {"link": {"source": "desk", "number": 0}},
        {"link": {"source": "elsewhere", "number": 1}},
        {},
    ],
)
async def test_a_confirm_is_of_a_whole_draft_or_of_a_link(
    client: httpx.AsyncClient, said: dict[str, Any]
) -> None:
    turn = await started(client)

    assert (await client.post(CONFIRM, json=answer_to(turn, **said))).status_code == 422


@pytest.mark.parametrize("verb", VERBS)
async def test_anothers_session_is_as_unknown_as_none(
    client: httpx.AsyncClient,
    strangers_client: httpx.AsyncClient,
    stranger: Person,
    container: Container,
    verb: str,
) -> None:
    turn = await started(client)
    question_id = turn["pending_question_id"]
    unknown = await send(strangers_client, requests_about(NOWHERE, question_id)[verb])
    assert await facts(container, "agent.acl") == []
    foreign = await send(strangers_client, requests_about(turn["session_id"], question_id)[verb])

    assert refusal(foreign) == (404, "agent_session_not_found")
    assert foreign.content == unknown.content
    differing = {"x-request-id", "date"}
    assert {k: v for k, v in foreign.headers.items() if k not in differing} == {
        k: v for k, v in unknown.headers.items() if k not in differing
    }
    assert [
        (one["kind"], one["actor_id"], one["data"])
        for one in await facts(container, "agent.acl_violation")
    ] == [
        (
            "agent.acl_violation",
            UUID(str(stranger.user.id)),
            {"agent_session_id": turn["session_id"]},
        )
    ]


async def test_anothers_chat_starts_nothing(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient
) -> None:
    chat_id = await chat_about(client)
    foreign = await strangers_client.post(START, json={"chat_session_id": chat_id})
    unknown = await strangers_client.post(START, json={"chat_session_id": NOWHERE})

    assert refusal(foreign) == (404, "chat_session_not_found")
    assert foreign.content == unknown.content
    listed = [
        await strangers_client.get(SESSIONS, params={"chat_session_id": one})
        for one in (chat_id, NOWHERE)
    ]
    assert [one.status_code for one in listed] == [404, 404]
    assert listed[0].content == listed[1].content


async def test_an_operator_is_let_in_to_nobodys_session(
    client: httpx.AsyncClient, container: Container, settings: Settings, operator: Person
) -> None:
    turn = await started(client)
    async with application(settings) as own:
        for verb, request in requests_about(turn["session_id"]).items():
            answer = await send(await own.client(operator), request)
            assert answer.status_code == 404, verb


@pytest.mark.parametrize(
    "made_so",
    [
        "updated_at = updated_at - interval '25 hours'",
        "state_version = state_version - 1",
        "state_version = state_version + 1",
    ],
)
@pytest.mark.parametrize("verb", VERBS)
async def test_a_session_that_nobody_can_go_on_with_is_gone(
    client: httpx.AsyncClient, container: Container, verb: str, made_so: str
) -> None:
    turn = await drafted(client)
    await execute(container, f"UPDATE agent_sessions SET {made_so}")
    await container.switchboard.set(Flag.KILL_SWITCH, is_on=True)
    request = requests_about(turn["session_id"], turn["pending_question_id"])[verb]

    assert refusal(await send(client, request)) == (410, "session_expired")


@pytest.mark.parametrize(
    "made_so",
    ["updated_at = updated_at - interval '25 hours'", "state_version = state_version - 1"],
)
async def test_a_session_that_is_gone_keeps_nobody_from_a_new_one(
    client: httpx.AsyncClient, container: Container, made_so: str
) -> None:
    turn = await started_in_chat(client)
    await execute(container, f"UPDATE agent_sessions SET {made_so}")
    again = await client.post(START, json={"chat_session_id": turn["chat_session_id"]})

    assert again.status_code == 200, again.text
    assert again.json()["session_id"] != turn["session_id"]
    ended = await rows(
        container,
        "SELECT outcome, reason FROM agent_sessions WHERE id = :id",
        id=turn["session_id"],
    )
    assert [(one["outcome"], one["reason"]) for one in ended] == [("aborted", "expired")]


async def test_what_has_ended_says_so_before_anything_is_switched_off(
    client: httpx.AsyncClient, container: Container
) -> None:
    drafted_turn = await drafted(client)
    filed_turn = (await confirm(client, drafted_turn)).json()
    await container.switchboard.set(Flag.KILL_SWITCH, is_on=True)
    again = await confirm(client, drafted_turn)
    other = await confirm(client, drafted_turn, draft={**A_DRAFT, "title": "Another"})

    assert refusal(await reply(client, drafted_turn, reply="more")) == (409, "session_ended")
    assert (again.status_code, other.status_code) == (200, 200)
    assert again.json()["ticket_number"] == filed_turn["ticket_number"]
    assert other.json()["ticket_number"] == filed_turn["ticket_number"]
    stopped = await abort(client, drafted_turn)
    assert stopped.status_code == 200
    assert stopped.json()["turn"]["kind"] == "filed"


async def test_a_cancelled_session_stays_so(client: httpx.AsyncClient) -> None:
    turn = await drafted(client)
    first, second = await abort(client, turn), await abort(client, turn)

    assert first.json() == second.json()
    assert first.json()["ok"] is True
    assert first.json()["turn"]["kind"] == "aborted"
    assert first.json()["turn"]["reason"] == "user"
    assert refusal(await confirm(client, turn)) == (409, "session_ended")
    assert refusal(await reply(client, turn, reply="more")) == (409, "session_ended")
    preview = {"session_id": turn["session_id"], "draft": A_DRAFT}
    assert refusal(await client.post(PREVIEW, json=preview)) == (409, "session_ended")


async def test_an_earlier_question_is_open_no_longer(client: httpx.AsyncClient) -> None:
    first = await started(client)
    second = (await reply(client, first, choice="Only me")).json()

    assert second["pending_question_id"] != first["pending_question_id"]
    assert refusal(await reply(client, first, reply="My team")) == (409, "stale_question")
    stale = yes_to(second, pending_question_id=first["pending_question_id"])
    assert refusal(await client.post(CONFIRM, json=stale)) == (409, "stale_question")


async def test_a_question_is_nothing_to_confirm(client: httpx.AsyncClient) -> None:
    turn = await started(client)
    body = answer_to(turn, draft=A_DRAFT, draft_digest="0" * 64)

    assert refusal(await client.post(CONFIRM, json=body)) == (409, "stale_question")
    linking = answer_to(turn, link={"source": "desk", "number": 1})
    assert refusal(await client.post(CONFIRM, json=linking)) == (409, "stale_question")


@pytest.fixture
async def busy(client: httpx.AsyncClient, container: Container) -> AsyncIterator[dict[str, Any]]:
    """A session that somebody drives just now."""
    turn = await drafted(client)
    await execute(
        container,
        "UPDATE runs SET owner = thread_id, lease_until = now() + interval '1 hour',"
        " claimed_at = now()",
    )
    yield turn
    await execute(container, "UPDATE runs SET owner = NULL, lease_until = NULL, claimed_at = NULL")


async def test_who_answers_while_it_works_is_told_so_before_the_question_is_looked_at(
    client: httpx.AsyncClient, busy: dict[str, Any]
) -> None:
    stale = {**busy, "pending_question_id": NO_QUESTION}
    for turn in (busy, stale):
        said = await reply(client, turn, reply="more")
        assert refusal(said) == (409, "run_in_progress")
        assert said.headers["retry-after"] == "1"
        assert refusal(await confirm(client, turn)) == (409, "run_in_progress")


async def test_a_session_whose_owner_does_not_answer_is_ended_all_the_same(
    client: httpx.AsyncClient, busy: dict[str, Any]
) -> None:
    assert (await abort(client, busy)).json()["turn"]["reason"] == "user"
