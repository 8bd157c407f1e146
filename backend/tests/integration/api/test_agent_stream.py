"""The agent's turns as streams: nothing is lost, and going away changes nothing."""

import asyncio
from contextlib import AsyncExitStack, suppress
from typing import Any

import httpx
import pytest
from sqlalchemy.exc import TimeoutError as PoolTimeout

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.tests.support.agent import (
    CONFIRM,
    NOWHERE,
    RESUME,
    SENTINEL,
    SESSIONS,
    START,
    STREAM,
    abort,
    answer_to,
    application,
    chat_about,
    conversation,
    drafted,
    filed,
    frames,
    leave_stream,
    reply,
    search_held,
    searching,
    session_of,
    started,
    yes_to,
)
from backend.tests.support.people import Person

Told = list[tuple[str, int | None, Any]]


async def _streamed(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> Told:
    answer = await client.post(path, json=body, headers=STREAM)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "no-store" in answer.headers["cache-control"]
    return list(frames(answer.text))


def _is_whole(told: Told, kind: str) -> None:
    names = [name for name, _, _ in told]
    assert names[0] == "session"
    assert set(names[1:-1]) <= {"step"}
    assert names[-1] == "turn"
    assert told[-1][2]["kind"] == kind
    numbers = [number for _, number, _ in told[1:] if number is not None]
    assert len(numbers) == len(told) - 1
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    began = {one["seq"] for name, _, one in told if name == "step" and one["status"] == "running"}
    done = {one["seq"] for name, _, one in told if name == "step" and one["status"] != "running"}
    assert began <= done
    assert done == set(range(min(done), max(done) + 1)) if done else kind == "filed"


async def test_a_journey_in_streams_tells_each_step_and_ends_with_its_turn(
    client: httpx.AsyncClient,
) -> None:
    chat_id = await chat_about(client)
    first = await _streamed(client, START, {"chat_session_id": chat_id})
    asked = first[-1][2]
    second = await _streamed(client, RESUME, answer_to(asked, choice="My team"))
    waiting = second[-1][2]
    last = await _streamed(client, CONFIRM, yes_to(waiting))

    _is_whole(first, "question")
    _is_whole(second, "draft_ready")
    _is_whole(last, "filed")
    assert first[0][2]["session_id"] == asked["session_id"]
    numbers = [number for _, number, _ in [*first[1:], *second[1:], *last[1:]]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert all(told[-1][2]["chat_message_id"] for told in (first, second, last))


async def test_a_stream_and_a_plain_answer_tell_the_same_turn(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient
) -> None:
    streamed = (await _streamed(client, START, conversation()))[-1][2]
    plain = await started(strangers_client)

    for turn in (streamed, plain):
        for name in ("session_id", "pending_question_id", "debug_trace"):
            turn.pop(name, None)
    assert streamed == plain


async def test_who_comes_back_hears_exactly_the_rest(client: httpx.AsyncClient) -> None:
    turn = await drafted(client)
    path = f"{SESSIONS}/{turn['session_id']}/events"
    whole = list(frames((await client.get(path)).text))
    last = (await session_of(client, turn))["last_event_id"]

    assert [number for _, number, _ in whole] == list(range(1, last + 1))
    for seen in range(last):
        rest = await client.get(path, headers={"Last-Event-ID": str(seen)})
        assert rest.status_code == 200
        assert list(frames(rest.text)) == whole[seen:]
    for seen in (last, last + 100):
        over = await client.get(path, headers={"Last-Event-ID": str(seen)})
        assert (over.status_code, over.content) == (204, b"")


async def test_a_session_that_has_ended_is_replayed_and_then_over(
    client: httpx.AsyncClient,
) -> None:
    turn = await filed(client)
    path = f"{SESSIONS}/{turn['session_id']}/events"
    told = list(frames((await client.get(path)).text))

    assert told[-1][0] == "turn"
    assert told[-1][2]["kind"] == "filed"
    over = await client.get(path, headers={"Last-Event-ID": str(told[-1][1])})
    assert over.status_code == 204


@pytest.mark.parametrize("seen", ["x", "-1", "1.5", "9" * 30])
async def test_a_place_to_go_on_from_is_a_number(client: httpx.AsyncClient, seen: str) -> None:
    turn = await started(client)
    path = f"{SESSIONS}/{turn['session_id']}/events"

    assert (await client.get(path, headers={"Last-Event-ID": seen})).status_code == 422


async def test_a_refusal_is_no_stream(client: httpx.AsyncClient) -> None:
    body = {"session_id": NOWHERE, "pending_question_id": "0" * 32, "reply": "hello"}
    answer = await client.post(RESUME, json=body, headers=STREAM)

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("after_frames", [1, 2, 3, 4])
async def test_who_goes_away_in_mid_stream_leaves_the_same_session(
    requester: Person, settings: Settings, container: Container, after_frames: int
) -> None:
    async with application(settings) as own:
        client = await own.client(requester)
        plain = await session_of(client, await started(client))
        chat_id = await chat_about(client)
        async with search_held(container):
            leaving = asyncio.ensure_future(
                leave_stream(
                    own.app,
                    requester,
                    START,
                    {"chat_session_id": chat_id},
                    after_frames=after_frames,
                )
            )
            session_id = await searching(container, but=plain["session_id"])
            if after_frames <= 2:
                await leaving  # gone while the search still waits
        await leaving
        path = f"{SESSIONS}/{session_id}"
        events = await client.get(f"{path}/events")
        left = (await client.get(path)).json()

    assert list(frames(events.text))[-1][0] == "turn"
    assert left["status"] == "awaiting_user"
    assert left["turn"]["message"] == plain["turn"]["message"]
    assert _bare(left["steps"]) == _bare(plain["steps"])
    assert left["last_event_id"] == plain["last_event_id"]


def _bare(steps: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(one["seq"], one["action"], one["status"], one["found"]) for one in steps]


async def test_a_session_can_be_followed_while_it_works_and_its_question_not_be_answered(
    requester: Person, settings: Settings, container: Container
) -> None:
    async with application(settings) as own:
        client, other = await own.client(requester), await own.client(requester)
        async with search_held(container):
            starting = asyncio.ensure_future(client.post(START, json=conversation()))
            session_id = await searching(container)
            running = (await other.get(f"{SESSIONS}/{session_id}")).json()
            following = asyncio.ensure_future(other.get(f"{SESSIONS}/{session_id}/events"))
            body = {"session_id": session_id, "pending_question_id": "0" * 32, "reply": "hello"}
            early = await other.post(RESUME, json=body)
        turn = (await starting).json()
        followed = list(frames((await following).text))

    assert (running["status"], running["turn"]) == ("running", None)
    assert [one["status"] for one in running["steps"]] == ["running"]
    assert (early.status_code, early.json()["error"]) == (409, "run_in_progress")
    assert followed[-1][0] == "turn"
    assert followed[-1][2]["pending_question_id"] == turn["pending_question_id"]


async def test_a_stream_that_cannot_go_on_says_so_and_the_session_does(
    requester: Person, settings: Settings, container: Container
) -> None:
    small = {"pool_size": 4, "pool_timeout_seconds": 0.5}
    async with application(settings, database=small) as own, AsyncExitStack() as held:
        client = await own.client(requester)
        async with search_held(container):
            streaming = asyncio.ensure_future(
                client.post(START, json=conversation(), headers=STREAM)
            )
            session_id = await searching(container)
            with suppress(PoolTimeout):
                while True:  # until the pool has none left
                    await held.enter_async_context(own.container.engine.connect())
            told = list(frames((await streaming).text))
            await held.aclose()
        rest = await client.get(f"{SESSIONS}/{session_id}/events")

    name, number, said = told[-1]
    assert (name, number, said["error"]) == ("error", None, "database_unavailable")
    assert told[0][0] == "session"
    assert list(frames(rest.text))[-1][0] == "turn"


async def test_a_session_can_be_cancelled_while_it_works(
    requester: Person, settings: Settings, container: Container
) -> None:
    async with application(settings) as own:
        client, other = await own.client(requester), await own.client(requester)
        async with search_held(container):
            starting = asyncio.ensure_future(client.post(START, json=conversation()))
            session_id = await searching(container)
            stopped = await asyncio.wait_for(abort(other, {"session_id": session_id}), 3)
        answered = (await starting).json()
        session = (await client.get(f"{SESSIONS}/{session_id}")).json()

    assert stopped.json()["turn"]["reason"] == "user"
    assert answered["kind"] == "aborted"
    assert (session["status"], session["outcome"]) == ("ended", "aborted")
    assert [one["status"] for one in session["steps"]] == ["stopped"]


async def test_a_chat_that_is_deleted_while_its_session_works_takes_it_along(
    requester: Person, settings: Settings, container: Container
) -> None:
    async with application(settings) as own:
        client, other = await own.client(requester), await own.client(requester)
        chat_id = await chat_about(client, SENTINEL)
        async with search_held(container):
            plain = asyncio.ensure_future(client.post(START, json={"chat_session_id": chat_id}))
            session_id = await searching(container)
            streamed = asyncio.ensure_future(other.get(f"{SESSIONS}/{session_id}/events"))
            cleared = asyncio.ensure_future(other.delete(f"/api/chat/sessions/{chat_id}"))
        assert (await cleared).status_code == 204
        told = (await plain).json()  # how it ended, when that was read before it was gone
        assert told.get("error") == "agent_session_not_found" or told["reason"] == "erased"
        assert (await streamed).status_code in {200, 404}
        assert (
            await reply(
                client, {"session_id": session_id, "pending_question_id": "0"}, reply="hello"
            )
        ).status_code == 404
