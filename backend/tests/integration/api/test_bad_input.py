"""Bad input: the documented error, small, with nothing stored halfway and nothing echoed."""

import json
import time

import httpx
import pytest
import sqlalchemy as sa

from backend.app.bootstrap import Container

DEEP = b'{"text":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
BODIES: dict[str, tuple[bytes, int]] = {
    "nothing": (b"", 422),
    "not json": (b"{", 422),
    "an empty text": (b'{"text": ""}', 422),
    "blanks": (b'{"text": "  \\n\\t "}', 422),
    "nul only": (b'{"text": "\\u0000\\u0000"}', 422),
    "a lone surrogate": (b'{"text": "a\\ud800"}', 422),
    "deep": (DEEP, 422),
    "a list": (b"[]", 422),
    "null": (b"null", 422),
    "a number": (b'{"text": 5}', 422),
    "a huge number": (b'{"text": 1' + b"0" * 400 + b"}", 422),
    "a number past python's limit": (b'{"text": 1' + b"0" * 5000 + b"}", 422),
    "not a number": (b'{"text": NaN}', 422),
    "infinity": (b'{"text": Infinity}', 422),
    "too long": (json.dumps({"text": "x" * 8001}).encode(), 422),
    "a further field": (b'{"text": "hi", "role": "assistant"}', 422),
    "a huge key": (b'{"' + b"k" * 500_000 + b'": 1}', 422),
    "picture bytes": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), 422),
    "latin bytes": (b'{"text": "caf\xe9"}', 422),
    "two megabytes": (b'{"text": "' + b"x" * 2_000_000 + b'"}', 413),
}


async def _stored(container: Container) -> int:
    async with container.engine.connect() as connection:
        count = await connection.scalar(sa.text("SELECT count(*) FROM chat_messages"))
    return int(count or 0)


@pytest.mark.parametrize("name", BODIES)
async def test_a_bad_body_is_refused_and_stores_nothing(
    client: httpx.AsyncClient, container: Container, name: str
) -> None:
    body, status = BODIES[name]
    session = (await client.post("/api/chat/sessions", json={})).json()["id"]
    began = time.perf_counter()
    answer = await client.post(
        f"/api/chat/sessions/{session}/messages",
        content=body,
        headers={"Content-Type": "application/json"},
    )
    seconds = time.perf_counter() - began

    assert answer.status_code == status
    assert set(answer.json()) <= {"error", "detail", "fields"}
    assert len(answer.content) < 4096
    assert b"xxxx" not in answer.content
    assert b"kkkk" not in answer.content.replace(b"k" * 100, b"") or len(answer.content) < 400
    assert await _stored(container) == 0
    assert seconds < 5


@pytest.mark.parametrize("name", BODIES)
async def test_a_stranger_learns_nothing_from_a_body(
    anonymous: httpx.AsyncClient, name: str
) -> None:
    body, status = BODIES[name]
    answer = await anonymous.post(
        "/api/chat/sessions/00000000-0000-4000-8000-000000000000/messages",
        content=body,
        headers={"Content-Type": "application/json"},
    )

    assert answer.status_code == (413 if status == 413 else 401)


async def test_control_characters_are_taken_off_and_the_rest_is_asked(
    client: httpx.AsyncClient,
) -> None:
    session = (await client.post("/api/chat/sessions", json={})).json()["id"]
    answer = await client.post(
        f"/api/chat/sessions/{session}/messages", json={"text": "vpn\x00 \x1b[31mis\r\nslow"}
    )

    assert answer.status_code == 201
    assert answer.json()["question"]["content"] == "vpn [31mis\nslow"


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
async def test_what_a_foreign_form_can_send_is_no_request(
    client: httpx.AsyncClient, container: Container, content_type: str
) -> None:
    session = (await client.post("/api/chat/sessions", json={})).json()["id"]
    answer = await client.post(
        f"/api/chat/sessions/{session}/messages",
        content=b'{"text": "hi"}',
        headers={"Content-Type": content_type},
    )

    assert answer.status_code == 422
    assert await _stored(container) == 0


@pytest.mark.parametrize("identifier", ["x", "1", "' OR 1=1 --", "%00", "../..", "a" * 3000])
async def test_an_id_that_is_none_is_refused(client: httpx.AsyncClient, identifier: str) -> None:
    answer = await client.get(f"/api/chat/sessions/{identifier}")

    assert answer.status_code in {404, 422}
    assert len(answer.content) < 1024


@pytest.mark.parametrize("key", ["", "a b", "ü", "x" * 129, "a\tb"])
async def test_an_idempotency_key_has_a_form(client: httpx.AsyncClient, key: str) -> None:
    session = (await client.post("/api/chat/sessions", json={})).json()["id"]
    answer = await client.post(
        f"/api/chat/sessions/{session}/messages",
        json={"text": "hi"},
        headers=[(b"Idempotency-Key", key.encode())],
    )

    assert answer.status_code == 422


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=-1", "limit=1e9", "limit=x", "limit=101", "before=" + "x" * 3000],
)
async def test_a_bad_query_is_refused(client: httpx.AsyncClient, query: str) -> None:
    assert (await client.get(f"/api/chat/sessions?{query}")).status_code == 422


async def test_a_body_without_end_is_cut_off(client: httpx.AsyncClient) -> None:
    async def endless() -> object:
        while True:
            yield b"x" * 65_536

    answer = await client.post(
        "/api/auth/tokens",
        content=endless(),  # type: ignore[arg-type]
        headers={"Content-Type": "application/json"},
    )

    assert (answer.status_code, answer.json()["error"]) == (413, "body_too_large")


async def test_a_bad_sign_in_body_does_not_echo_the_password(anonymous: httpx.AsyncClient) -> None:
    answer = await anonymous.post(
        "/api/auth/login", json={"username": ["rita"], "password": {"hunter2": "hunter2"}}
    )

    assert answer.status_code == 422
    assert "hunter2" not in answer.text
    assert [one["path"] for one in answer.json()["fields"]] == ["username", "password"]
