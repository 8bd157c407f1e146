"""Who may begin what, and for how long: switches, caps, the allow-list, active time, sweeps."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.app.domain.sessions import MAX_EXCHANGES, AgentSessionId
from backend.app.services.helpdesk.flags import Flag
from backend.tests.support.agent import (
    NOWHERE,
    START,
    abort,
    application,
    confirm,
    conversation,
    count,
    drafted,
    execute,
    reply,
    rows,
    session_of,
    started,
    started_in_chat,
)
from backend.tests.support.people import Person


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


@pytest.fixture
async def limited(
    requester: Person, settings: Settings, container: Container
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application that lets a person start five sessions a day."""
    async with application(settings, max_sessions_per_user_per_day=5) as own:
        yield await own.client(requester)


async def test_one_chat_has_one_open_session(client: httpx.AsyncClient) -> None:
    turn = await started_in_chat(client)
    body = {"chat_session_id": turn["chat_session_id"]}
    second = await client.post(START, json=body)

    assert refusal(second) == (409, "session_open")
    assert second.json()["session_id"] == turn["session_id"]
    await abort(client, turn)
    assert (await client.post(START, json=body)).status_code == 200


async def test_there_must_be_something_to_look_into(client: httpx.AsyncClient) -> None:
    chat_id = (await client.post("/api/chat/sessions", json={})).json()["id"]
    empty = await client.post(START, json={"chat_session_id": chat_id})
    long = await client.post(START, json=conversation(*["x" * 8000] * 5))

    assert refusal(empty) == (422, "nothing_to_work_on")
    assert refusal(long) == (422, "conversation_too_long")
    bodies: list[dict[str, Any]] = [{}, conversation(" \n "), {"conversation": []}]
    for body in bodies:
        assert (await client.post(START, json=body)).status_code == 422


async def test_what_is_refused_for_its_content_is_first_refused_for_the_switch(
    client: httpx.AsyncClient, container: Container
) -> None:
    chat_id = (await client.post("/api/chat/sessions", json={})).json()["id"]
    await container.switchboard.set(Flag.KILL_SWITCH, is_on=True)
    empty = await client.post(START, json={"chat_session_id": chat_id})
    nowhere = await client.post(START, json={"chat_session_id": NOWHERE})

    assert refusal(empty) == (503, "kill_switch_on")
    assert refusal(nowhere) == (404, "chat_session_not_found")


async def test_the_kill_switch_refuses_everything_but_a_cancel(
    client: httpx.AsyncClient, container: Container
) -> None:
    asked, waiting = await started(client), await drafted(client)
    await container.switchboard.set(Flag.KILL_SWITCH, is_on=True)
    answers = [
        await client.post(START, json=conversation()),
        await reply(client, asked, choice="My team"),
        await confirm(client, waiting),
    ]

    assert [refusal(one) for one in answers] == [(503, "kill_switch_on")] * 3
    assert [one.headers["retry-after"] for one in answers] == ["30"] * 3
    assert (await session_of(client, asked))["status"] == "awaiting_user"
    assert (await abort(client, asked)).status_code == 200
    await container.switchboard.set(Flag.KILL_SWITCH, is_on=False)
    assert (await confirm(client, waiting)).json()["kind"] == "filed"


async def test_the_kill_switch_of_the_environment_cannot_be_switched_off(
    requester: Person, settings: Settings, container: Container
) -> None:
    async with application(settings, kill_switch=True) as own:
        client = await own.client(requester)
        await own.container.switchboard.set(Flag.KILL_SWITCH, is_on=False)
        assert refusal(await client.post(START, json=conversation())) == (503, "kill_switch_on")


async def test_an_agent_that_is_not_enabled_only_begins_nothing(
    requester: Person, settings: Settings, container: Container, client: httpx.AsyncClient
) -> None:
    turn = await started(client)
    async with application(settings, enabled=False) as own:
        closed = await own.client(requester)
        refused = await closed.post(START, json=conversation())
        assert refusal(refused) == (503, "agent_switched_off")
        assert refused.headers["retry-after"] == "30"
        waiting = (await reply(closed, turn, choice="My team")).json()
        assert (await confirm(closed, waiting)).json()["kind"] == "filed"
        await own.container.switchboard.set(Flag.ENABLED, is_on=True)
        assert (await closed.post(START, json=conversation())).status_code == 200


async def test_a_server_that_goes_down_begins_nothing_and_ends_what_is_to_end(
    requester: Person, settings: Settings, container: Container, client: httpx.AsyncClient
) -> None:
    asked, waiting, unwanted = await started(client), await drafted(client), await started(client)
    async with application(settings) as own:
        leaving = await own.client(requester)
        await own.container.runs.drain(0.1)
        for refused in (
            await leaving.post(START, json=conversation()),
            await reply(leaving, asked, choice="My team"),
        ):
            assert refusal(refused) == (503, "agent_switched_off")
            assert refused.headers["retry-after"] == "30"
        assert (await confirm(leaving, waiting)).json()["kind"] == "filed"
        assert (await abort(leaving, unwanted)).status_code == 200
    assert (await reply(client, asked, choice="My team")).status_code == 200


async def test_only_who_is_on_the_list_may_begin(
    requester: Person, stranger: Person, settings: Settings, container: Container
) -> None:
    async with application(settings, enabled_user_ids=(requester.user.id,)) as own:
        listed, other = await own.client(requester), await own.client(stranger)
        refused = await other.post(START, json=conversation())
        assert refusal(refused) == (403, "agent_not_enabled")
        assert (await listed.post(START, json=conversation())).status_code == 200
        await own.container.switchboard.set(Flag.KILL_SWITCH, is_on=True)
        assert refusal(await other.post(START, json=conversation())) == (503, "kill_switch_on")


async def test_twenty_starts_at_once_do_not_pass_the_days_cap(
    limited: httpx.AsyncClient, container: Container
) -> None:
    answers = await asyncio.gather(*(limited.post(START, json=conversation()) for _ in range(20)))
    codes = sorted(one.status_code for one in answers)
    refused = next(one for one in answers if one.status_code == 429)
    midnight = (datetime.now(UTC) + timedelta(days=1)).replace(hour=0, minute=0, second=0)

    assert codes == [200] * 5 + [429] * 15
    assert refused.json()["error"] == "daily_cap_reached"
    left = (midnight - datetime.now(UTC)).total_seconds()
    assert abs((int(refused.headers["retry-after"]) - left + 43_200) % 86_400 - 43_200) < 60
    assert await count(container, "agent_sessions") == 5


async def test_the_cap_is_of_a_day_and_of_a_person(
    limited: httpx.AsyncClient, strangers_client: httpx.AsyncClient, container: Container
) -> None:
    for _ in range(5):
        await started(limited)
    assert refusal(await limited.post(START, json=conversation())) == (429, "daily_cap_reached")
    assert (await strangers_client.post(START, json=conversation())).status_code == 200
    await execute(
        container,
        "UPDATE rates SET bucket = replace(bucket, (now() AT TIME ZONE 'UTC')::date::text,"
        " ((now() AT TIME ZONE 'UTC')::date - 1)::text)",
    )
    assert (await limited.post(START, json=conversation())).status_code == 200


async def test_deleting_a_chat_gives_no_start_back(limited: httpx.AsyncClient) -> None:
    for _ in range(5):
        turn = await started_in_chat(limited)
        gone = await limited.delete(f"/api/chat/sessions/{turn['chat_session_id']}")
        assert gone.status_code == 204
    assert refusal(await limited.post(START, json=conversation())) == (429, "daily_cap_reached")


async def test_a_start_that_was_refused_is_not_counted(limited: httpx.AsyncClient) -> None:
    turn = await started_in_chat(limited)
    for _ in range(6):
        again = await limited.post(START, json={"chat_session_id": turn["chat_session_id"]})
        assert refusal(again) == (409, "session_open")
    for _ in range(4):
        await started(limited)
    assert refusal(await limited.post(START, json=conversation())) == (429, "daily_cap_reached")


async def _allowance(container: Container, turn: dict[str, Any]) -> timedelta:
    found = await rows(
        container, "SELECT allowance FROM runs WHERE thread_id = :id", id=turn["session_id"]
    )
    left: timedelta = found[0]["allowance"]
    return left


async def test_the_time_in_which_a_person_thinks_is_not_counted(
    client: httpx.AsyncClient, container: Container
) -> None:
    turn = await started(client)
    before = await _allowance(container, turn)
    for table in ("agent_sessions", "runs"):
        await execute(
            container, f"UPDATE {table} SET updated_at = updated_at - interval '10 minutes'"
        )
    answered = (await reply(client, turn, choice="My team")).json()

    assert answered["kind"] == "draft_ready"
    actions = [one["action"] for one in answered["debug_trace"]]
    assert actions[-2:] == ["classify", "write_draft"]
    used = before - await _allowance(container, turn)
    assert timedelta(0) < used < timedelta(seconds=30)


async def test_what_is_drafted_when_time_is_up_can_be_confirmed(
    client: httpx.AsyncClient, container: Container
) -> None:
    turn = await started(client)
    await execute(container, "UPDATE runs SET allowance = '0'")
    forced = (await reply(client, turn, choice="My team")).json()

    assert forced["kind"] == "draft_ready"
    last = forced["debug_trace"][-1]
    assert (last["action"], last["reason"]) == (
        "write_draft",
        "the time for this session is used up",
    )
    redrafted = (await reply(client, forced, reply="it began on monday")).json()
    assert redrafted["kind"] == "draft_ready"
    assert (await confirm(client, redrafted)).json()["kind"] == "filed"


async def test_what_nobody_goes_on_with_is_ended_and_gone(
    client: httpx.AsyncClient, container: Container
) -> None:
    turn, kept = await started_in_chat(client), await started(client)
    await execute(
        container,
        "UPDATE agent_sessions SET updated_at = updated_at - interval '25 hours' WHERE id = :id",
        id=turn["session_id"],
    )
    swept = await container.agent_sweeps.run()

    assert swept.expired == 1
    found = await rows(
        container, "SELECT outcome, reason FROM agent_sessions WHERE outcome IS NOT NULL"
    )
    assert [(one["outcome"], one["reason"]) for one in found] == [("aborted", "expired")]
    assert refusal(await reply(client, turn, reply="hello")) == (410, "session_expired")
    assert refusal(await abort(client, turn)) == (410, "session_expired")
    assert (await session_of(client, kept))["status"] == "awaiting_user"
    kept_threads = await rows(container, "SELECT DISTINCT thread_id FROM checkpoints")
    assert [one["thread_id"] for one in kept_threads] == [kept["session_id"]]
    again = await client.post(START, json={"chat_session_id": turn["chat_session_id"]})
    assert again.status_code == 200


async def test_a_draft_can_be_added_to_a_bounded_number_of_times(
    client: httpx.AsyncClient, container: Container
) -> None:
    turn, most = await drafted(client), 0
    for number in range(MAX_EXCHANGES - 1):  # the first one was the question's
        turn = (await reply(client, turn, reply=f"and door {number} too")).json()
        most = max(most, await count(container, "checkpoints"))
    refused = await reply(client, turn, reply="and one more")

    assert (refused.status_code, refused.json()["error"]) == (422, "too_much_added")
    assert most <= 5  # what lies further back is pruned
    assert (await confirm(client, turn)).json()["kind"] == "filed"


async def test_a_session_that_somebody_just_went_on_with_does_not_expire(
    client: httpx.AsyncClient, container: Container
) -> None:
    turn = await drafted(client)
    session_id = AgentSessionId(UUID(turn["session_id"]))

    assert not await container.agent.stopping.expire(session_id, timedelta(hours=1))
    assert (await confirm(client, turn)).json()["kind"] == "filed"
