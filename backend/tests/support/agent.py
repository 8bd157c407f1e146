"""The agent's journey over HTTP, and applications with settings of their own."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx
import sqlalchemy as sa
from sqlalchemy.engine import RowMapping

from backend.app.bootstrap import AgentParts, Container, build
from backend.app.core.clock import SystemClock
from backend.app.core.periodic import every
from backend.app.core.settings import Settings
from backend.app.domain.principals import UserId
from backend.app.domain.sessions import STATE_VERSION, AgentSession, AgentSessionId, Trigger
from backend.app.main import create_app
from backend.tests.support.people import Person

SENTINEL = "Oracle Financials 403 error on budget reports"
PREFIX = "/api/helpdesk/agent"
START, RESUME, CONFIRM = f"{PREFIX}/start", f"{PREFIX}/resume", f"{PREFIX}/confirm"
ABORT, PREVIEW, SESSIONS = f"{PREFIX}/abort", f"{PREFIX}/preview", f"{PREFIX}/sessions"
NOWHERE = "00000000-0000-4000-8000-000000000000"
#: Of the right form, and never one that a session asked.
NO_QUESTION = "0" * 32
A_DRAFT = {
    "title": "Budget reports answer 403",
    "description": "The report page answers 403.",
    "severity": "high",
    "impact": "Team",
    "category": "access",
}
STREAM = {"Accept": "text/event-stream"}


async def chat_about(client: httpx.AsyncClient, question: str = SENTINEL) -> str:
    """A chat with a question that the knowledge base does not answer."""
    chat_id = str((await client.post("/api/chat/sessions", json={"mode": "agent"})).json()["id"])
    asked = await client.post(f"/api/chat/sessions/{chat_id}/messages", json={"text": question})
    assert asked.status_code == 201, asked.text
    assert asked.json()["answer"]["kb_resolved"] is False
    return chat_id


def conversation(*texts: str) -> dict[str, Any]:
    """The body of a start without a chat."""
    return {"conversation": [{"role": "user", "content": text} for text in texts or (SENTINEL,)]}


async def started(client: httpx.AsyncClient, *texts: str) -> dict[str, Any]:
    """The first turn of a session without a chat."""
    answer = await client.post(START, json=conversation(*texts))
    assert answer.status_code == 200, answer.text
    turn: dict[str, Any] = answer.json()
    return turn


async def started_in_chat(client: httpx.AsyncClient, question: str = SENTINEL) -> dict[str, Any]:
    """The first turn of a session in a new chat."""
    chat_id = await chat_about(client, question)
    answer = await client.post(START, json={"chat_session_id": chat_id})
    assert answer.status_code == 200, answer.text
    turn: dict[str, Any] = answer.json()
    return {**turn, "chat_session_id": chat_id}


def answer_to(turn: dict[str, Any], **said: Any) -> dict[str, Any]:
    """The body of a resume."""
    named = {name: turn[name] for name in ("session_id", "pending_question_id")}
    return {**named, **said}


async def reply(client: httpx.AsyncClient, turn: dict[str, Any], **said: str) -> httpx.Response:
    """Answer the pending question."""
    return await client.post(RESUME, json=answer_to(turn, **said))


async def drafted(client: httpx.AsyncClient, *, in_chat: bool = False) -> dict[str, Any]:
    """The demo's question as far as its draft."""
    first = await (started_in_chat(client) if in_chat else started(client))
    turn: dict[str, Any] = (await reply(client, first, choice="My team")).json()
    assert turn["kind"] == "draft_ready", turn
    return {**turn, "chat_session_id": first.get("chat_session_id")}


def yes_to(turn: dict[str, Any], **instead: Any) -> dict[str, Any]:
    """The body of a confirm of the turn's draft."""
    return answer_to(
        turn, **{"draft": turn["draft"], "draft_digest": turn["draft_digest"], **instead}
    )


async def confirm(
    client: httpx.AsyncClient, turn: dict[str, Any], **instead: Any
) -> httpx.Response:
    """Confirm the turn's draft."""
    return await client.post(CONFIRM, json=yes_to(turn, **instead))


async def filed(client: httpx.AsyncClient) -> dict[str, Any]:
    """The last turn of a session that was filed."""
    answer = await confirm(client, await drafted(client))
    assert answer.status_code == 200, answer.text
    turn: dict[str, Any] = answer.json()
    return turn


async def abort(client: httpx.AsyncClient, turn: dict[str, Any]) -> httpx.Response:
    """End the session."""
    return await client.post(ABORT, json={"session_id": turn["session_id"]})


async def session_of(client: httpx.AsyncClient, turn: dict[str, Any]) -> dict[str, Any]:
    """The session as it stands."""
    answer = await client.get(f"{SESSIONS}/{turn['session_id']}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def frames(body: str) -> Iterator[tuple[str, int | None, Any]]:
    """The events of a stream: name, number, data."""
    for frame in body.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in frame.split("\n") if ": " in line)
        if "event" in fields:
            number = int(fields["id"]) if "id" in fields else None
            yield fields["event"], number, json.loads(fields["data"])


async def execute(container: Container, statement: str, **values: Any) -> None:
    """Run one statement, to move times or versions in the database."""
    async with container.engine.begin() as connection:
        await connection.execute(sa.text(statement), values)


async def rows(container: Container, query: str, **values: Any) -> Sequence[RowMapping]:
    """What a query gives."""
    async with container.engine.connect() as connection:
        return (await connection.execute(sa.text(query), values)).mappings().all()


async def count(container: Container, table: str) -> int:
    """How many rows a table has."""
    found = await rows(container, f"SELECT count(*) AS n FROM {table}")
    return int(found[0]["n"])


async def facts(container: Container, prefix: str = "agent.") -> list[RowMapping]:
    """The facts whose kind begins so, in the order in which they were told."""
    query = "SELECT kind, actor_id, data FROM facts WHERE starts_with(kind, :prefix) ORDER BY id"
    return list(await rows(container, query, prefix=prefix))


@dataclass(frozen=True)
class Application:
    """A running application with settings of its own."""

    app: Any
    container: Container
    _held: AsyncExitStack

    async def client(self, person: Person) -> httpx.AsyncClient:
        """A client that is signed in as the person."""
        made = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=self.app, raise_app_exceptions=False),
            base_url="http://localhost",
            headers={"Authorization": f"Bearer {person.token}"},
        )
        return await self._held.enter_async_context(made)


@asynccontextmanager
async def application(
    settings: Settings,
    *,
    database: dict[str, Any] | None = None,
    parts: AgentParts | None = None,
    **agent: Any,
) -> AsyncIterator[Application]:
    """An application over the same database; ``database`` and ``agent``: settings that differ;
    ``parts``: what the agent works with instead of its own.
    """
    own = settings.model_copy(
        update={
            "database": settings.database.model_copy(update=database or {}),
            "agent": settings.agent.model_copy(
                update={"max_sessions_per_user_per_day": 10_000, **agent}
            ),
        }
    )
    app = create_app(own)
    async with AsyncExitStack() as held:
        built = await held.enter_async_context(build(own, demo=True, agent_with=parts))
        app.state.services = built
        # Claims are kept alive, as on a busy machine a run may outlast its first lease.
        await held.enter_async_context(every((1.0, "heartbeat", built.claims.beat)))
        yield Application(app, built, held)


async def leave_stream(
    app: Any, person: Person, path: str, body: dict[str, Any], *, after_frames: int
) -> list[bytes]:
    """Ask for a stream and go away after so many frames; what arrived until then."""
    arrived: list[bytes] = []
    gone = asyncio.Event()
    sent = iter([{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}])

    async def receive() -> dict[str, Any]:
        for message in sent:
            return message
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body" and message.get("body"):
            arrived.append(message["body"])
            if len(arrived) >= after_frames:
                gone.set()

    headers = {
        "host": "localhost",
        "accept": "text/event-stream",
        "content-type": "application/json",
        "authorization": f"Bearer {person.token}",
    }
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 50_000),
        "server": ("localhost", 80),
    }
    await app(scope, receive, send)
    return arrived


@asynccontextmanager
async def search_held(container: Container) -> AsyncIterator[None]:
    """While the block lasts, a search for duplicates waits, and a run with it."""
    async with container.engine.begin() as connection:
        await connection.execute(sa.text("LOCK TABLE tickets IN ACCESS EXCLUSIVE MODE"))
        yield


async def searching(container: Container, *, but: str = NOWHERE) -> str:
    """Wait until the search of a session has begun, ``but`` not that one's; the session's id."""
    while True:
        found = await rows(
            container,
            "SELECT thread_id FROM run_events WHERE data->>'action' = 'search_duplicates'"
            " AND data->>'status' = 'running' AND thread_id::text <> :but",
            but=but,
        )
        if found:
            return str(found[0]["thread_id"])
        await asyncio.sleep(0.01)


def a_session(session_id: UUID, user_id: UUID) -> AgentSession:
    """A session that has just begun, outside a chat."""
    now = SystemClock().now()
    return AgentSession(
        id=AgentSessionId(session_id),
        user_id=UserId(user_id),
        chat_session_id=None,
        trigger=Trigger.CHIP,
        state_version=STATE_VERSION,
        created_at=now,
        updated_at=now,
        idle=timedelta(0),
    )
