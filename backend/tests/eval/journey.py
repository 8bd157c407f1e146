"""Plays a scenario over HTTP, as its person, and keeps everything that was asked and answered."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

from backend.app.bootstrap import Container
from backend.app.services.helpdesk.flags import Flag
from backend.tests.eval.scenario import Doing, Edit, Scenario
from backend.tests.support.agent import (
    ABORT,
    CONFIRM,
    NO_QUESTION,
    NOWHERE,
    PREVIEW,
    RESUME,
    SESSIONS,
    START,
    answer_to,
    rows,
    yes_to,
)

#: More than any session needs; a person who answers more often plays a session without end.
_MAX_ANSWERS = 12
_DONT_KNOW = "I don't know"
_STILL_BROKEN = "Still broken"


class CannotGoOn(AssertionError):
    """The scenario has its person do what cannot be done where the session stands."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of somebody, and how it was answered."""

    path: str
    body: dict[str, Any]
    status: int
    answer: dict[str, Any]
    by_stranger: bool = False


@dataclass(slots=True)
class Journey:
    """One session as its person has it."""

    scenario: Scenario
    client: httpx.AsyncClient
    strangers: httpx.AsyncClient
    container: Container
    has_hung: asyncio.Event
    key: str = field(default_factory=lambda: str(uuid4()))
    asked: list[Asked] = field(default_factory=list)
    #: Every turn that was shown, in order.
    turns: list[dict[str, Any]] = field(default_factory=list)
    #: What was said and shown, for whoever decides.
    texts: list[str] = field(default_factory=list)
    edited: dict[str, Any] | None = None
    session_id: str = ""
    #: Why it could not be played to its end.
    trouble: str | None = None

    @property
    def turn(self) -> dict[str, Any]:
        """The last turn."""
        return self.turns[-1]

    @property
    def confirmed(self) -> list[dict[str, Any]]:
        """Bodies of the owner's confirms that were accepted."""
        return [
            one.body
            for one in self.asked
            if one.path == CONFIRM and one.status == 200 and not one.by_stranger
        ]

    @property
    def refused(self) -> list[tuple[int, str]]:
        """The refusals, in order."""
        return [(one.status, one.answer["error"]) for one in self.asked if one.status >= 400]

    async def post(
        self, path: str, body: dict[str, Any], *, key: str | None = None, stranger: bool = False
    ) -> Asked:
        """Ask for something, and note it."""
        headers = {"Idempotency-Key": key} if key else {}
        client = self.strangers if stranger else self.client
        answer = await client.post(path, json=body, headers=headers)
        asked = Asked(path, body, answer.status_code, answer.json(), stranger)
        self.asked.append(asked)
        if answer.status_code == 200 and path in (START, RESUME, CONFIRM) and not stranger:
            self._show(asked.answer)
        return asked

    def _show(self, turn: dict[str, Any]) -> None:
        self.session_id = turn["session_id"]
        self.turns.append(turn)
        self.edited = None
        self.texts.append(turn["message"])

    async def start(self) -> None:
        """Begin; where that is given, end it while a search is under way."""
        body = await self._opening()
        if self.scenario.given.while_searching is None:
            await self.post(START, body, key=self.key)
            return
        async with asyncio.TaskGroup() as group:
            group.create_task(self.post(START, body, key=self.key))
            group.create_task(self._meanwhile())

    async def _meanwhile(self) -> None:
        await self.has_hung.wait()
        if self.scenario.given.while_searching == "kill_switch":
            await self.container.switchboard.set(Flag.KILL_SWITCH, is_on=True)
            return
        running = await rows(self.container, "SELECT id FROM agent_sessions")
        await self.post(ABORT, {"session_id": str(running[0]["id"])})

    async def _opening(self) -> dict[str, Any]:
        told = [{"role": one.role, "content": one.text} for one in self.scenario.given.conversation]
        self.texts += [one["content"] for one in told]
        if not self.scenario.given.in_chat:
            return {"conversation": told}
        chat = (await self.client.post("/api/chat/sessions", json={"mode": "agent"})).json()
        return {"chat_session_id": chat["id"], "conversation": told}

    async def play(self) -> None:
        """Start, and do what the person does."""
        await self.start()
        try:
            for doing in self.scenario.given.then:
                if isinstance(doing, Doing):
                    await self._do(doing)
                else:
                    await getattr(self, doing)()
        except CannotGoOn as trouble:
            self.trouble = str(trouble)

    async def _do(self, doing: Doing) -> None:
        name = next(iter(doing.model_fields_set))
        value = getattr(doing, name)
        if name in {"reply", "choice"}:
            await self.say(**{name: value})
        elif name in {"switch_on", "switch_off"}:
            await self.container.switchboard.set(value, is_on=name == "switch_on")
        else:
            await getattr(self, f"_{name}")(value)

    async def say(self, **said: str) -> Asked:
        """Answer what is open."""
        self.texts += said.values()
        return await self.post(RESUME, answer_to(self._open, **said))

    @property
    def _open(self) -> dict[str, Any]:
        """The last turn that asked for something, or one that never did."""
        waited = [turn for turn in self.turns if turn.get("pending_question_id")]
        return waited[-1] if waited else {**self.turn, "pending_question_id": NO_QUESTION}

    async def go_on(self) -> None:
        """Answer as somebody who knows nothing, until a draft, an end or a refusal."""
        for _ in range(_MAX_ANSWERS):
            if not self.turns or self.turn["kind"] != "question":
                return
            if (await self.say(**patient_answer(self.turn))).status != 200:
                return
        raise CannotGoOn(f"{_MAX_ANSWERS} answers and no end")

    async def _edit(self, edit: Edit) -> None:
        draft = {**self._with_draft["draft"], **edit.model_dump(mode="json", exclude_none=True)}
        body = {"session_id": self.session_id, "draft": draft}
        shown = await self.post(PREVIEW, body)
        self.edited = shown.answer
        self.texts.append(draft["description"])

    async def confirm(self) -> None:
        """File what was shown last: the draft, or its edit."""
        shown = self._with_draft
        agreed = {name: (self.edited or shown)[name] for name in ("draft", "draft_digest")}
        await self.post(CONFIRM, yes_to(shown, **agreed))

    @property
    def _with_draft(self) -> dict[str, Any]:
        """The last turn that showed a draft; it may be over since."""
        shown = [turn for turn in self.turns if turn.get("draft")]
        if not shown:
            raise CannotGoOn("no draft was shown")
        return shown[-1]

    async def confirm_unseen(self) -> None:
        """Say yes to a text that was never shown."""
        draft = {**self._with_draft["draft"], "title": "Something else altogether"}
        await self.post(CONFIRM, yes_to(self.turn, draft=draft))

    async def _link(self, number: int) -> None:
        body = answer_to(self.turn, link={"source": "desk", "number": number})
        await self.post(CONFIRM, body)

    async def abort(self) -> None:
        """End it."""
        asked = await self.post(ABORT, {"session_id": self.session_id})
        if asked.status == 200:
            self._show(asked.answer["turn"])

    async def repeat(self) -> None:
        """Send the last request once more."""
        last = next(one for one in reversed(self.asked) if not one.by_stranger)
        key = self.key if last.path == START else None
        await self.post(last.path, last.body, key=key)

    async def start_again(self) -> None:
        """Send the start once more under its key: it is the same session."""
        first = self.asked[0]
        again = await self.post(START, first.body, key=self.key)
        if again.answer["session_id"] != first.answer["session_id"]:
            raise CannotGoOn("the repeated start is another session")

    async def second_start(self) -> None:
        """Begin another session about the same, without a key."""
        await self.post(START, self.asked[0].body)

    async def reload(self) -> None:
        """Load the page anew: the session stands as it was shown."""
        found = (await self.client.get(f"{SESSIONS}/{self.session_id}")).json()
        shown = {name: value for name, value in self.turn.items() if name != "debug_trace"}
        if {name: found["turn"][name] for name in shown} != shown:
            raise CannotGoOn("after a reload it stands otherwise")

    async def _stranger(self, verb: str) -> None:
        pending = {
            "session_id": self.session_id,
            "pending_question_id": self._open["pending_question_id"],
        }
        if verb == "read":
            answer = await self.strangers.get(f"{SESSIONS}/{self.session_id}")
            self.asked.append(Asked("GET", {}, answer.status_code, answer.json(), True))
        elif verb == "reply":
            await self.post(RESUME, {**pending, "reply": "file it"}, stranger=True)
        elif verb == "abort":
            await self.post(ABORT, {"session_id": self.session_id}, stranger=True)
        else:
            link = {"link": {"source": "desk", "number": 1}}
            await self.post(CONFIRM, {**pending, **link}, stranger=True)

    async def probe(self) -> int:
        """What a misled client or a stranger might send for a session that waits; how much of it.

        Each must be refused; what was answered otherwise is for the ledger to find.
        """
        before = len(self.asked)
        if self.turns and self.turn.get("pending_question_id"):
            for number in (999_999, 1):
                if number not in [one["number"] for one in self.turn.get("candidates") or []]:
                    await self._link(number)
            draft = self.turn.get("draft") or {
                "title": "t", "description": "d", "severity": "low", "impact": "Person",
                "category": "other",
            }  # fmt: skip
            forged = {"draft": draft, "draft_digest": "0" * 64}
            await self.post(CONFIRM, answer_to(self.turn, **forged))
            nobodys = {**answer_to(self.turn, **forged), "session_id": NOWHERE}
            await self.post(CONFIRM, nobodys)
        for verb in ("read", "reply", "confirm", "abort"):
            await self._stranger(verb)
        return len(self.asked) - before

    @property
    def shown_text(self) -> str:
        """Everything that was answered, as one text."""
        return json.dumps([one.answer for one in self.asked], ensure_ascii=False)


def patient_answer(turn: dict[str, Any]) -> dict[str, str]:
    """What somebody answers who knows nothing and whom nothing helps."""
    if turn.get("proposal"):
        return {"choice": _STILL_BROKEN}
    return {"choice": turn["choices"][0]} if turn.get("choices") else {"reply": _DONT_KNOW}
