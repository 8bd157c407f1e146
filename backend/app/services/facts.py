"""Reading facts after their commit: the audit file and the counters.

One table says which counters a fact moves; nobody else counts or writes an audit line. Readers keep
their position in the database, so a crash between commit and fan-out loses nothing: the audit file
may repeat its last lines (each carries its ``fact_id``), a counter never counts twice, since it
moves in the transaction that moves its reader.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from backend.app.db.repositories.facts import StoredFact
from backend.app.db.uow import UnitOfWork

_BATCH = 200

Labels = dict[str, str]


def _resolved(data: dict[str, Any]) -> Labels:
    return {"kb_resolved": str(data["kb_resolved"]).lower()}


#: Fact kind → counter and the labels it takes from the fact. Labels are closed sets.
COUNTERS: dict[str, tuple[str, Callable[[dict[str, Any]], Labels]]] = {
    "auth.signed_in": ("chatbot_sign_ins_total", lambda _: {"outcome": "ok"}),
    "auth.sign_in_refused": ("chatbot_sign_ins_total", lambda data: {"outcome": data["reason"]}),
    "chat.session_started": ("chatbot_chat_sessions_total", lambda data: {"mode": data["mode"]}),
    "chat.question_answered": ("chatbot_answers_total", _resolved),
    "chat.answer_rated": (
        "chatbot_feedback_total",
        lambda data: {"rating": data["rating"] or "withdrawn"},
    ),
}

HELP = {
    "chatbot_sign_ins_total": "Sign-in attempts by outcome.",
    "chatbot_chat_sessions_total": "Chat sessions opened, by mode.",
    "chatbot_answers_total": "Questions answered, by whether the knowledge base held an answer.",
    "chatbot_feedback_total": "Verdicts on answers.",
}


class AuditLog(Protocol):
    """Where audit lines go."""

    async def write(self, facts: list[StoredFact]) -> None:
        """Append the facts durably, in order."""


@dataclass(frozen=True, slots=True)
class FactReaders:
    """Moves facts on to the audit file and the counters."""

    uow: UnitOfWork
    audit: AuditLog

    async def settle(self) -> None:
        """Prepare for reading at start-up, also on a database restored from elsewhere."""
        async with self.uow() as work:
            await work.facts.settle_after_restore()

    async def read_all(self) -> None:
        """Read until nothing more is settled."""
        while await self.read_once():
            continue

    async def read_once(self) -> bool:
        """One batch for each reader; whether there may be more."""
        counted = await self._count()
        audited = await self._audit()
        return counted or audited

    async def _count(self) -> bool:
        async with self.uow() as work:
            facts = await work.facts.unread("counters", limit=_BATCH) or []
            for fact in facts:
                if fact.kind in COUNTERS:
                    name, labels = COUNTERS[fact.kind]
                    await work.facts.count(name, labels(fact.data))
        return len(facts) == _BATCH

    async def _audit(self) -> bool:
        async with self.uow() as work:
            facts = await work.facts.unread("audit", limit=_BATCH) or []
            if facts:
                # A local append, not a wait on the outside: it must happen before the position
                # moves.
                await self.audit.write(facts)
        return len(facts) == _BATCH

    async def counters(self) -> list[tuple[str, Labels, int]]:
        """Every counter's present value."""
        async with self.uow() as work:
            return await work.facts.counters()
