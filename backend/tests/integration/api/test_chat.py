"""Asking: stored questions, cited answers, streams that lose nothing, and nobody else's chat."""

import asyncio
import base64
import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import httpx
import pytest
import sqlalchemy as sa

from backend.app.bootstrap import Container
from backend.app.domain.chat import ChatSessionId
from backend.app.domain.knowledge import ArticleSource
from backend.tests.support.people import Person

VPN = ArticleSource(
    "vpn",
    "VPN connects but nothing loads",
    "Disconnect, wait and connect again.\n\n## On Windows\n\n1. Open the settings.\n2. Flush DNS.",
    questions=("pages time out while I am on vpn",),
)
QUESTION = "the vpn connects but nothing loads"
NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(autouse=True)
async def _knowledge(container: Container) -> None:
    await container.library.bring_up_to_date("sample", [VPN], sample=True)


async def _session(client: httpx.AsyncClient, **body: str) -> str:
    return str((await client.post("/api/chat/sessions", json=body)).json()["id"])


async def _ask(
    client: httpx.AsyncClient, session: str, text: str = QUESTION, **headers: str
) -> httpx.Response:
    return await client.post(
        f"/api/chat/sessions/{session}/messages", json={"text": text}, headers=headers
    )


async def _messages(client: httpx.AsyncClient, session: str) -> list[dict[str, Any]]:
    answer = await client.get(f"/api/chat/sessions/{session}/messages")
    return list(answer.json()["items"])


def _events(body: str) -> Iterator[tuple[str, str, Any]]:
    for frame in body.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in frame.split("\n") if ": " in line)
        if "event" in fields:
            yield fields["id"], fields["event"], json.loads(fields["data"])


async def test_an_answer_cites_spans_that_stand_in_the_article(client: httpx.AsyncClient) -> None:
    session = await _session(client)
    exchange = (await _ask(client, session)).json()
    answer = exchange["answer"]
    source = answer["sources"][0]
    article = (await client.get(f"/api/knowledge/articles/{source['article_id']}")).json()

    assert answer["kb_resolved"] is True
    assert answer["reply_to"] == exchange["question"]["id"]
    assert article["body"][source["start"] : source["end"]] == source["quote"]
    assert article["collection"] == {"name": "sample", "sample": True}
    assert source["sample"] is True
    assert "[1]" in answer["content"]


async def test_what_is_not_known_is_said(client: httpx.AsyncClient) -> None:
    answer = (await _ask(client, await _session(client), "budget report 403")).json()["answer"]

    assert answer["kb_resolved"] is False
    assert answer["sources"] == []


async def test_an_exchange_is_there_after_a_reload(client: httpx.AsyncClient) -> None:
    session = await _session(client)
    exchange = (await _ask(client, session)).json()

    assert await _messages(client, session) == [exchange["question"], exchange["answer"]]
    listed = (await client.get("/api/chat/sessions")).json()["items"]
    assert [(one["id"], one["title"]) for one in listed] == [(session, QUESTION)]


async def test_the_stream_is_the_same_exchange(client: httpx.AsyncClient) -> None:
    session = await _session(client)
    answer = await _ask(client, session, Accept="text/event-stream")
    events = list(_events(answer.text))
    stored = await _messages(client, session)

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert [number for number, _, _ in events] == [str(n) for n in range(1, len(events) + 1)]
    assert events[0][1:] == ("question", stored[0])
    assert events[-1][1:] == ("answer", stored[1])
    text = "".join(data["text"] for _, kind, data in events if kind == "delta")
    assert text == stored[1]["content"]


async def test_feedback_works_at_once_on_what_the_stream_gave(client: httpx.AsyncClient) -> None:
    session = await _session(client)
    streamed = list(_events((await _ask(client, session, Accept="text/event-stream")).text))
    path = f"/api/chat/messages/{streamed[-1][2]['id']}/feedback"
    rated = await client.put(path, json={"rating": "helpful"})
    taken_back = await client.put(path, json={"rating": None})

    assert rated.json()["feedback"] == "helpful"
    assert taken_back.json()["feedback"] is None


async def test_a_question_cannot_be_rated_nor_another_persons_answer(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient
) -> None:
    exchange = (await _ask(client, await _session(client))).json()
    body = {"rating": "helpful"}
    answers = [
        await client.put(f"/api/chat/messages/{exchange['question']['id']}/feedback", json=body),
        await strangers_client.put(
            f"/api/chat/messages/{exchange['answer']['id']}/feedback", json=body
        ),
        await client.put(f"/api/chat/messages/{NOWHERE}/feedback", json=body),
    ]

    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1


async def test_a_key_never_asks_twice_also_at_once(client: httpx.AsyncClient) -> None:
    session = await _session(client)
    headers = {"Idempotency-Key": "k-1"}
    first, *rest = await asyncio.gather(*(_ask(client, session, **headers) for _ in range(6)))
    later = await _ask(client, session, **headers)
    other = await _ask(client, session, "something else", **headers)

    assert first.status_code == 201
    assert {answer.text for answer in rest} == {first.text} == {later.text}
    assert (other.status_code, other.json()["error"]) == (422, "idempotency_key_reused")
    assert len(await _messages(client, session)) == 2


async def test_the_same_key_in_another_chat_is_another_key(
    client: httpx.AsyncClient, strangers_client: httpx.AsyncClient
) -> None:
    for one in (client, client, strangers_client):
        answer = await _ask(one, await _session(one), **{"Idempotency-Key": "k"})
        assert answer.status_code == 201


async def test_many_questions_at_once_are_all_stored_in_one_order(
    client: httpx.AsyncClient,
) -> None:
    session = await _session(client)
    await asyncio.gather(*(_ask(client, session, f"vpn number {n}") for n in range(8)))
    messages = await _messages(client, session)

    assert [message["seq"] for message in messages] == list(range(1, 17))
    answered = {message["reply_to"] for message in messages if message["role"] == "assistant"}
    assert answered == {message["id"] for message in messages if message["role"] == "user"}


async def test_a_client_that_goes_away_changes_nothing(
    container: Container, requester: Person, client: httpx.AsyncClient
) -> None:
    session = await _session(client)
    accepted = await container.exchanges.accept(
        requester.principal, ChatSessionId(UUID(session)), QUESTION, idempotency_key=None
    )
    waiter = asyncio.ensure_future(
        _wait(container.exchanges.start_answer(requester.principal, accepted))
    )
    await asyncio.sleep(0)
    waiter.cancel()
    await container.tasks.drain(5)

    assert [message["role"] for message in await _messages(client, session)] == [
        "user",
        "assistant",
    ]


async def test_a_question_whose_answer_was_lost_is_answered_by_the_same_key(
    container: Container, requester: Person, client: httpx.AsyncClient
) -> None:
    session = await _session(client)
    await container.exchanges.accept(
        requester.principal, ChatSessionId(UUID(session)), QUESTION, idempotency_key="k"
    )
    answer = await _ask(client, session, **{"Idempotency-Key": "k"})

    assert answer.status_code == 201
    assert len(await _messages(client, session)) == 2


async def test_a_question_whose_process_died_is_answered_by_whoever_sweeps(
    container: Container, requester: Person, client: httpx.AsyncClient
) -> None:
    session = await _session(client)
    for text in (QUESTION, "and another thing"):
        await container.exchanges.accept(
            requester.principal, ChatSessionId(UUID(session)), text, idempotency_key=None
        )
    async with container.engine.begin() as connection:
        await connection.execute(
            sa.text("UPDATE chat_messages SET created_at = now() - interval '1 min' WHERE seq = 1")
        )
    await asyncio.gather(*(container.exchanges.answer_left_over() for _ in range(3)))
    messages = await _messages(client, session)

    assert [(one["seq"], one["role"]) for one in messages] == [
        (1, "user"),
        (2, "user"),
        (3, "assistant"),
    ]
    assert messages[2]["reply_to"] == messages[0]["id"]


async def test_a_verdict_given_twice_is_told_once(
    client: httpx.AsyncClient, container: Container
) -> None:
    answer = (await _ask(client, await _session(client))).json()["answer"]
    path = f"/api/chat/messages/{answer['id']}/feedback"
    for rating in ("helpful", "helpful", "unhelpful", "unhelpful"):
        await client.put(path, json={"rating": rating})
    async with container.engine.connect() as connection:
        told = await connection.scalar(
            sa.text("SELECT count(*) FROM facts WHERE kind = 'chat.answer_rated'")
        )

    assert told == 2


@pytest.mark.parametrize("title", ["\u0000", "  ", "\n", "\u001b"])
async def test_a_title_has_something_to_read_on_it(client: httpx.AsyncClient, title: str) -> None:
    session = await _session(client)
    changed = await client.patch(f"/api/chat/sessions/{session}", json={"title": title})
    cleaned = await client.patch(f"/api/chat/sessions/{session}", json={"title": f"a{title}b"})

    assert changed.status_code == 422
    assert cleaned.status_code == 200
    assert "\u0000" not in cleaned.text
    assert "\\n" not in cleaned.json()["title"]


async def test_opening_chats_without_end_is_refused(
    client: httpx.AsyncClient, container: Container
) -> None:
    allowed = container.settings.chat.messages_per_minute
    answers = [await client.post("/api/chat/sessions", json={}) for _ in range(allowed + 1)]

    assert [answer.status_code for answer in answers] == [201] * allowed + [429]


async def test_a_chat_deleted_while_it_is_answered_stays_deleted(
    container: Container, requester: Person, client: httpx.AsyncClient
) -> None:
    session = await _session(client)
    accepted = await container.exchanges.accept(
        requester.principal, ChatSessionId(UUID(session)), QUESTION, idempotency_key=None
    )
    await client.delete(f"/api/chat/sessions/{session}")
    answer = await _ask(client, session)
    with pytest.raises(Exception, match="no such conversation"):
        await container.exchanges.start_answer(requester.principal, accepted)

    assert answer.status_code == 404
    async with container.engine.connect() as connection:
        assert await connection.scalar(sa.text("SELECT count(*) FROM chat_messages")) == 0


async def _wait(pending: Any) -> None:
    await pending


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("PATCH", "", {"mode": "ask"}),
        ("DELETE", "", None),
        ("GET", "/messages", None),
        ("POST", "/messages", {"text": "hello"}),
    ],
)
async def test_another_persons_chat_does_not_exist(
    client: httpx.AsyncClient,
    strangers_client: httpx.AsyncClient,
    method: str,
    path: str,
    body: dict[str, str] | None,
) -> None:
    session = await _session(client)
    await _ask(client, session)
    foreign = await strangers_client.request(
        method, f"/api/chat/sessions/{session}{path}", json=body
    )
    unknown = await strangers_client.request(
        method, f"/api/chat/sessions/{NOWHERE}{path}", json=body
    )

    assert foreign.status_code == unknown.status_code == 404
    assert foreign.text == unknown.text
    assert foreign.headers.multi_items() == unknown.headers.multi_items()
    assert len(await _messages(client, session)) == 2
    assert (await strangers_client.get("/api/chat/sessions")).json()["items"] == []


async def test_mode_is_a_matter_of_the_chat(client: httpx.AsyncClient) -> None:
    agent, ask = await _session(client), await _session(client, mode="ask")
    changed = await client.patch(f"/api/chat/sessions/{agent}", json={"mode": "ask", "title": "X"})
    modes = [(await client.get(f"/api/chat/sessions/{one}")).json()["mode"] for one in (agent, ask)]

    assert changed.json()["title"] == "X"
    assert modes == ["ask", "ask"]


async def test_a_chat_is_opened_without_a_body_too(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/chat/sessions")

    assert (answer.status_code, answer.json()["mode"]) == (201, "agent")


async def test_chats_are_listed_by_page_newest_activity_first(client: httpx.AsyncClient) -> None:
    sessions = [await _session(client) for _ in range(5)]
    await _ask(client, sessions[1])
    seen: list[str] = []
    before = None
    while True:
        query = {"limit": 2, **({"before": before} if before else {})}
        page = (await client.get("/api/chat/sessions", params=query)).json()
        seen += [one["id"] for one in page["items"]]
        before = page["next_before"]
        if before is None:
            break

    assert seen == [sessions[1], *[one for one in reversed(sessions) if one != sessions[1]]]


async def test_messages_are_paged_from_the_newest(client: httpx.AsyncClient) -> None:
    session = await _session(client)
    for number in range(3):
        await _ask(client, session, f"vpn {number}")
    path = f"/api/chat/sessions/{session}/messages"
    newest = (await client.get(path, params={"limit": 4})).json()
    earlier = (await client.get(path, params={"limit": 4, "before_seq": 3})).json()

    assert [one["seq"] for one in newest["items"]] == [3, 4, 5, 6]
    assert newest["has_earlier"]
    assert [one["seq"] for one in earlier["items"]] == [1, 2]
    assert not earlier["has_earlier"]


def _forged(at: str) -> str:
    return base64.urlsafe_b64encode(f"{at}|{NOWHERE}".encode()).decode()


@pytest.mark.parametrize(
    "before",
    [
        *("x", "!!!!", "AAAA", "%00", "bm9wZXxub3Bl"),
        *(_forged("0001-01-01T00:00:00+14:00"), _forged("9999-12-31T23:59:59-14:00")),
    ],
)
async def test_a_made_up_page_position_is_refused(client: httpx.AsyncClient, before: str) -> None:
    answer = await client.get("/api/chat/sessions", params={"before": before})

    assert (answer.status_code, answer.json()["error"]) == (422, "invalid_cursor")


async def test_asking_too_fast_is_refused_with_a_time(
    client: httpx.AsyncClient, container: Container
) -> None:
    session = await _session(client)
    allowed = container.settings.chat.messages_per_minute
    for _ in range(allowed):
        assert (await _ask(client, session, "hi")).status_code == 201
    refused = await _ask(client, session, "hi")

    assert (refused.status_code, refused.json()["error"]) == (429, "too_many_messages")
    assert 0 < int(refused.headers["retry-after"]) <= 60
    assert len(await _messages(client, session)) <= 2 * allowed


async def test_an_empty_chat_begins_with_questions_that_get_an_answer(
    client: httpx.AsyncClient, container: Container
) -> None:
    hopeless = ArticleSource("x", "Something else", "Nothing.", questions=("why why why",))
    await container.library.bring_up_to_date("sample", [VPN, hopeless], sample=True)
    answer = await client.get("/api/chat/welcome")

    assert answer.json() == {
        "mode": "agent",
        "questions": ["pages time out while I am on vpn"],
        "agent_enabled": True,
    }


async def test_an_unknown_article_is_not_found(client: httpx.AsyncClient) -> None:
    assert (await client.get(f"/api/knowledge/articles/{NOWHERE}")).status_code == 404
