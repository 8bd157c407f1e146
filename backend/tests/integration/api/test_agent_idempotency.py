"""Asking twice does nothing twice: keys, double clicks, two tabs, a cancel against a confirm."""

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.app.db.repositories.identity import IdentityRepository
from backend.app.db.repositories.sessions import SessionRepository
from backend.app.domain.sessions import AgentSessionId
from backend.app.services.helpdesk.flags import Flag
from backend.tests.support.agent import (
    CONFIRM,
    RESUME,
    START,
    STREAM,
    abort,
    answer_to,
    application,
    chat_about,
    confirm,
    conversation,
    count,
    drafted,
    execute,
    facts,
    frames,
    reply,
    rows,
    session_of,
    started,
    yes_to,
)
from backend.tests.support.people import Person

KEY = {"Idempotency-Key": "once-and-only-once"}
AT_ONCE = 20
ROUNDS = 100


async def test_a_start_under_the_same_key_is_the_same_session(
    client: httpx.AsyncClient, container: Container
) -> None:
    first = await client.post(START, json=conversation(), headers=KEY)
    again = await client.post(START, json=conversation(), headers=KEY)

    assert again.status_code == 200
    assert again.json() == first.json()
    assert await count(container, "agent_sessions") == 1
    repeated = await facts(container, "agent.request_repeated")
    assert [one["data"]["operation"] for one in repeated] == ["start"]


async def test_twenty_starts_at_once_under_one_key_are_one_session(
    requester: Person, settings: Settings, container: Container
) -> None:
    async with application(settings) as own, application(settings) as other:
        clients = [await own.client(requester), await other.client(requester)]
        answers = await asyncio.gather(
            *(clients[n % 2].post(START, json=conversation(), headers=KEY) for n in range(AT_ONCE))
        )

    assert [one.status_code for one in answers] == [200] * AT_ONCE
    assert len({one.json()["session_id"] for one in answers}) == 1
    assert await count(container, "agent_sessions") == 1
    assert len(await facts(container, "agent.started")) == 1
    assert len(await facts(container, "agent.request_repeated")) == AT_ONCE - 1


async def test_a_key_stands_for_one_body(client: httpx.AsyncClient, container: Container) -> None:
    await client.post(START, json=conversation(), headers=KEY)
    other = await client.post(START, json=conversation("the printer jams"), headers=KEY)

    assert (other.status_code, other.json()["error"]) == (422, "idempotency_key_reused")
    assert await count(container, "agent_sessions") == 1


async def test_an_accepted_key_is_answered_before_switches_are_looked_at(
    client: httpx.AsyncClient, container: Container
) -> None:
    chat_id = await chat_about(client)
    first = await client.post(START, json={"chat_session_id": chat_id}, headers=KEY)
    await container.switchboard.set(Flag.KILL_SWITCH, is_on=True)
    again = await client.post(START, json={"chat_session_id": chat_id}, headers=KEY)
    other = await client.post(START, json=conversation(), headers=KEY)

    assert again.json()["session_id"] == first.json()["session_id"]
    assert (other.status_code, other.json()["error"]) == (503, "kill_switch_on")


async def test_a_key_is_free_again_after_ten_minutes(
    client: httpx.AsyncClient, container: Container
) -> None:
    first = await client.post(START, json=conversation(), headers=KEY)
    for minutes, is_same in ((9, True), (2, False)):
        await execute(
            container,
            "UPDATE idempotency_keys SET created_at = created_at - make_interval(mins => :n)",
            n=minutes,
        )
        again = await client.post(START, json=conversation(), headers=KEY)
        assert (again.json()["session_id"] == first.json()["session_id"]) is is_same


async def test_a_key_is_a_persons_own(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient
) -> None:
    mine = await client.post(START, json=conversation(), headers=KEY)
    theirs = await strangers_client.post(START, json=conversation(), headers=KEY)

    assert (mine.status_code, theirs.status_code) == (200, 200)
    assert mine.json()["session_id"] != theirs.json()["session_id"]


@pytest.mark.parametrize("key", ["", "x" * 129, "with space", "nul\x00", "é"])
async def test_a_key_has_a_form(client: httpx.AsyncClient, key: str) -> None:
    headers = [(b"Idempotency-Key", key.encode("utf-8"))]
    answer = await client.post(START, json=conversation(), headers=headers)

    assert answer.status_code == 422


async def test_two_starts_at_once_in_one_chat_are_one_session_and_a_conflict(
    requester: Person, client: httpx.AsyncClient, settings: Settings
) -> None:
    async with application(settings) as own:
        tabs = [client, await own.client(requester)]
        for _ in range(5):
            chat_id = await chat_about(client)
            answers = await asyncio.gather(
                *(tab.post(START, json={"chat_session_id": chat_id}) for tab in tabs)
            )
            won, lost = sorted(answers, key=lambda one: one.status_code)
            assert (won.status_code, lost.status_code) == (200, 409)
            assert lost.json()["error"] == "session_open"
            assert lost.json()["session_id"] == won.json()["session_id"]
            await abort(client, won.json())


async def test_a_reply_under_the_same_key_is_taken_once(client: httpx.AsyncClient) -> None:
    turn = await started(client)
    body = answer_to(turn, choice="My team")
    answers = await asyncio.gather(
        *(client.post(RESUME, json=body, headers=KEY) for _ in range(AT_ONCE))
    )
    other = await client.post(RESUME, json={**body, "choice": "Only me"}, headers=KEY)
    streamed = await client.post(RESUME, json=body, headers={**KEY, **STREAM})

    assert [one.status_code for one in answers] == [200] * AT_ONCE
    assert len({one.json()["pending_question_id"] for one in answers}) == 1
    assert (other.status_code, other.json()["error"]) == (409, "stale_question")
    assert list(frames(streamed.text))[-1][0] == "turn"
    assert len((await session_of(client, turn))["exchanges"]) == 1


async def test_a_request_that_stands_still_keeps_its_person_from_no_other_session(
    client: httpx.AsyncClient, container: Container, requester: Person
) -> None:
    asked, waiting, stuck = await started(client), await drafted(client), await started(client)
    engine = container.engine
    async with engine.begin() as start, engine.begin() as resume, asyncio.timeout(5):
        await IdentityRepository(AsyncSession(bind=start)).lock_user(requester.user.id)
        stuck_id = AgentSessionId(UUID(stuck["session_id"]))
        sessions = SessionRepository(AsyncSession(bind=resume))
        assert await sessions.enter(stuck_id, requester.user.id) is not None
        assert (await reply(client, asked, choice="My team")).status_code == 200
        assert (await confirm(client, waiting)).status_code == 200
        second = asyncio.ensure_future(reply(client, stuck, choice="My team"))
        done, _ = await asyncio.wait([second], timeout=0.2)
        assert not done  # requests of one session come one after the other
        await resume.rollback()
        assert (await second).status_code == 200


async def test_of_two_different_answers_the_first_one_counts(
    client: httpx.AsyncClient, container: Container
) -> None:
    turn = await started(client)
    said = ["My team", "Everyone"]
    answers = await asyncio.gather(*(reply(client, turn, choice=one) for one in said))
    won = [said[n] for n in range(2) if answers[n].status_code == 200]
    lost = [one.json()["error"] for one in answers if one.status_code != 200]

    assert len(won) == 1
    assert lost[0] in {"run_in_progress", "stale_question"}
    exchanges = (await session_of(client, turn))["exchanges"]
    assert [one["reply"] for one in exchanges] == won
    assert len(await facts(container, "agent.resumed")) == 1


@pytest.mark.parametrize("headers", [{}, KEY])
async def test_twenty_confirms_at_once_are_one_ticket(
    client: httpx.AsyncClient, container: Container, headers: dict[str, str]
) -> None:
    turn = await drafted(client, in_chat=True)
    answers = await asyncio.gather(
        *(client.post(CONFIRM, json=yes_to(turn), headers=headers) for _ in range(AT_ONCE))
    )

    assert {one.status_code for one in answers} == {200}
    assert {one.json()["kind"] for one in answers} == {"filed"}
    assert len({one.json()["ticket_number"] for one in answers}) == 1
    assert (await count(container, "tickets"), await count(container, "filings")) == (1, 1)
    assert len(await facts(container, "agent.user_confirmed")) == 1
    assert len(await facts(container, "agent.outcome")) == 1


async def _race(client: httpx.AsyncClient, turn: dict[str, Any], pause: float) -> tuple[Any, Any]:
    """The cancel comes so many seconds behind the confirm; before it, when that is negative."""

    async def later(seconds: float, call: Awaitable[httpx.Response]) -> httpx.Response:
        await asyncio.sleep(max(0.0, seconds))
        return await call

    confirmed, aborted = await asyncio.gather(
        later(-pause, confirm(client, turn)), later(pause, abort(client, turn))
    )
    return confirmed, aborted


async def test_a_cancel_against_a_confirm_is_decided_once(
    requester: Person, settings: Settings, container: Container
) -> None:
    ends: Counter[str] = Counter()
    async with application(settings) as own:
        client = await own.client(requester)
        for n in range(ROUNDS):
            turn = await drafted(client)
            confirmed, aborted = await _race(client, turn, (n % 25 - 12) / 1000)
            session = await session_of(client, turn)
            tickets = await rows(
                container,
                "SELECT number FROM tickets WHERE agent_session_id = :id",
                id=turn["session_id"],
            )
            assert aborted.status_code == 200
            assert aborted.json()["turn"]["kind"] == session["outcome"]
            ends[session["outcome"]] += 1
            if session["outcome"] == "filed":
                assert confirmed.status_code == 200
                assert [one["number"] for one in tickets] == [confirmed.json()["ticket_number"]]
            else:
                assert session["outcome"] == "aborted"
                assert confirmed.status_code == 409
                assert not tickets

    assert sum(ends.values()) == ROUNDS
    assert set(ends) == {"filed", "aborted"}, ends
