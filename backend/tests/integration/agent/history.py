"""What clients did and were told: every call with its outcome, for what `invariants.py` checks."""

import asyncio
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from uuid import uuid4

import httpx

from backend.tests.integration.agent.replica import Replica
from backend.tests.integration.agent.server import AGENT
from backend.tests.support.people import Person

SENTINEL = "Oracle Financials 403 error on budget reports"
#: With these an agent asks and looks up nothing: a start leads to a draft.
STRAIGHT_TO_DRAFT = {
    "max_questions": 0,
    "tool_kb_retry": False,
    "tool_web_search": False,
    "tool_github_search": False,
}
PATIENCE = 40.0


class Told(StrEnum):
    """How a call went, as its caller knows it."""

    OK = "ok"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass
class Call:
    """One call, and what came of it; ``unknown`` until an answer says more."""

    verb: str
    user_id: str
    body: dict[str, Any]
    began: datetime
    outcome: Told = Told.UNKNOWN
    status: int | None = None
    answer: dict[str, Any] = field(default_factory=dict)
    retry_after: str | None = None
    seconds: float = 0.0

    @property
    def session_id(self) -> str | None:
        """The session it is about, as far as its caller knows."""
        found = self.body.get("session_id") or self.answer.get("session_id")
        return str(found) if found else None

    @property
    def turn(self) -> dict[str, Any]:
        """The turn it was answered with, if any."""
        turn: dict[str, Any] = self.answer.get("turn") or self.answer
        return turn if self.outcome is Told.OK else {}


#: Says that nothing was done; every other answer from 500 on leaves it open.
_REFUSALS = {"agent_switched_off", "kill_switch_on"}


@dataclass
class History:
    """All calls of a test, in the order in which they began."""

    calls: list[Call] = field(default_factory=list)

    def of(self, verb: str, *outcomes: Told) -> list[Call]:
        """Calls of one kind, with these outcomes or any."""
        return [
            call
            for call in self.calls
            if call.verb == verb and (not outcomes or call.outcome in outcomes)
        ]


@dataclass
class User:
    """A person who calls whichever replica, and goes on as people do."""

    person: Person
    history: History

    async def call(
        self, replica: Replica, verb: str, body: dict[str, Any], key: str | None = None
    ) -> Call:
        """One call; a lost connection is an outcome too."""
        call = Call(verb, str(self.person.user.id), body, datetime.now(UTC))
        self.history.calls.append(call)
        headers = {"Idempotency-Key": key} if key else {}
        began = time.monotonic()
        try:
            answer = await replica.client(self.person.token).post(
                AGENT + verb, json=body, headers=headers
            )
        except httpx.TransportError:
            return call
        finally:
            call.seconds = time.monotonic() - began
        assert answer.headers["content-type"] == "application/json", (answer, answer.text)
        call.status, call.answer = answer.status_code, answer.json()
        call.retry_after = answer.headers.get("Retry-After")
        if answer.status_code < 300:
            call.outcome = Told.OK
        elif answer.status_code < 500 or call.answer.get("error") in _REFUSALS:
            call.outcome = Told.REFUSED
        return call

    async def view(self, replica: Replica, session_id: str) -> dict[str, Any]:
        """A session as a reload shows it."""
        call = Call("view", str(self.person.user.id), {"session_id": session_id}, datetime.now(UTC))
        self.history.calls.append(call)
        answer = await replica.client(self.person.token).get(f"{AGENT}sessions/{session_id}")
        call.status, call.answer = answer.status_code, answer.json()
        call.outcome = Told.OK if answer.status_code == 200 else Told.REFUSED
        assert answer.status_code == 200, answer.text
        return call.answer

    async def of_chat(self, replica: Replica, chat_id: str) -> list[dict[str, Any]]:
        """The sessions of a chat, as a reload finds them."""
        client = replica.client(self.person.token)
        answer = await client.get(f"{AGENT}sessions", params={"chat_session_id": chat_id})
        found: list[dict[str, Any]] = answer.json()["items"]
        return found

    async def settled(self, replica: Replica, session_id: str) -> dict[str, Any]:
        """A session as soon as it waits or has ended."""
        async with asyncio.timeout(PATIENCE):
            while True:
                view = await self.view(replica, session_id)
                if view["status"] != "running":
                    return view
                await asyncio.sleep(0.05)

    async def chat(self, replica: Replica, question: str = SENTINEL) -> str:
        """A chat with a question that was not answered."""
        client = replica.client(self.person.token)
        made = await client.post("/api/chat/sessions", json={"mode": "agent"})
        chat_id = str(made.json()["id"])
        asked = await client.post(f"/api/chat/sessions/{chat_id}/messages", json={"text": question})
        assert asked.status_code == 201, asked.text
        return chat_id

    async def start(
        self, replica: Replica, chat_id: str | None = None, key: str | None = None
    ) -> Call:
        """Start a session, in a chat or about the usual question."""
        said = [{"role": "user", "content": SENTINEL}]
        body = {"chat_session_id": chat_id} if chat_id else {"conversation": said}
        return await self.call(replica, "start", body, key)

    async def resume(
        self, replica: Replica, turn: dict[str, Any], key: str | None = None, **said: str
    ) -> Call:
        """Answer a turn's question."""
        return await self.call(replica, "resume", {**_about(turn), **said}, key)

    async def confirm(self, replica: Replica, turn: dict[str, Any], key: str | None = None) -> Call:
        """Confirm a turn's draft."""
        shown = {"draft": turn["draft"], "draft_digest": turn["draft_digest"]}
        return await self.call(replica, "confirm", {**_about(turn), **shown}, key)

    async def edited(self, replica: Replica, turn: dict[str, Any], title: str) -> dict[str, Any]:
        """The turn with another title, as a preview shows it."""
        draft = {**turn["draft"], "title": title}
        body = {"session_id": turn["session_id"], "draft": draft}
        preview = await self.call(replica, "preview", body)
        assert preview.outcome is Told.OK, preview.answer
        return {**turn, "draft": draft, "draft_digest": preview.answer["draft_digest"]}

    async def abort(self, replica: Replica, session_id: str) -> Call:
        """End a session."""
        return await self.call(replica, "abort", {"session_id": session_id})

    async def drafted(self, replica: Replica, chat_id: str | None = None) -> dict[str, Any]:
        """A draft that waits, from wherever a start leads."""
        call = await self.start(replica, chat_id)
        assert call.outcome is Told.OK, call.answer
        turn = call.turn
        while turn["kind"] != "draft_ready":
            call = await self.resume(replica, turn, choice="My team")
            assert call.outcome is Told.OK, call.answer
            turn = call.turn
        return turn

    async def to_the_end(
        self, replica: Replica, session_id: str, *, edits: bool = False
    ) -> dict[str, Any]:
        """Reload, answer, confirm, and again, until the session has ended; how it stands then."""
        until = time.monotonic() + PATIENCE
        while (view := await self.settled(replica, session_id))["status"] != "ended":
            assert time.monotonic() < until, self.history.calls[-4:]
            turn = view["turn"]
            if view["status"] == "awaiting_user":
                await self.resume(replica, turn, new_key(), choice="My team")
                continue
            if edits:
                turn = await self.edited(replica, turn, "Reports refuse the whole team")
            await self.confirm(replica, turn, new_key())
        return view


def _about(turn: dict[str, Any]) -> dict[str, Any]:
    return {name: turn[name] for name in ("session_id", "pending_question_id")}


def new_key() -> str:
    """A fresh idempotency key."""
    return uuid4().hex
