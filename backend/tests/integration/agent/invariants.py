"""What must never happen: I1 to I5, over the database and what clients were told.

Each function returns the breaches it found, in words. `check` counts what the zeros stand on.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.app.services.helpdesk.drafting import draft_digest
from backend.tests.integration.agent.history import Call, History, Told

_ENDED = {"filed", "linked", "resolved", "aborted"}
Rows = Sequence[Any]


@dataclass
class Database:
    """What the database holds after a test."""

    sessions: dict[str, Any] = field(default_factory=dict)
    tickets: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    turns: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    facts: Counter[tuple[str, str]] = field(default_factory=Counter)


_TICKETS = """
    SELECT t.*, f.draft_digest, f.session_id, f.confirmed_by FROM tickets t
    LEFT JOIN filings f ON f.ticket_id = t.id
"""
_TURNS = "SELECT thread_id, data FROM run_events WHERE kind = 'turn' ORDER BY thread_id, seq"
_FACTS = """
    SELECT kind, data ->> 'agent_session_id' AS session_id, count(*) AS n FROM facts
    WHERE data ? 'agent_session_id' GROUP BY 1, 2
"""


async def read(engine: AsyncEngine) -> Database:
    """The database as it stands."""
    found = Database()
    async with engine.connect() as connection:

        async def rows(query: str) -> Rows:
            return (await connection.execute(sa.text(query))).all()

        found.sessions = {str(row.id): row for row in await rows("SELECT * FROM agent_sessions")}
        for row in await rows(_TICKETS):
            found.tickets[str(row.agent_session_id)].append(row)
        for row in await rows(_TURNS):
            found.turns[str(row.thread_id)].append(row.data)
        for row in await rows(_FACTS):
            found.facts[row.session_id, row.kind] = row.n
    return found


def one_ticket_at_most(database: Database) -> list[str]:
    """I1: at most one ticket for each session, and one filing, which names it."""
    many = [one for one, tickets in database.tickets.items() if len(tickets) > 1]
    astray = [
        str(row.id)
        for tickets in database.tickets.values()
        for row in tickets
        if row.session_id != row.agent_session_id
    ]
    return [f"{one} has several tickets" for one in many] + [
        f"ticket {one} has no filing of its session" for one in astray
    ]


def confirmed_as_filed(database: Database, history: History) -> list[str]:
    """I2: the owner asked for exactly the text that was filed, before it was."""
    asked: dict[str | None, list[Call]] = defaultdict(list)
    for call in history.of("confirm"):
        asked[call.session_id].append(call)
    breaches = []
    for session_id, tickets in database.tickets.items():
        for row in tickets:
            if draft_digest(row.title, row.body) != row.draft_digest:
                breaches.append(f"{session_id} was filed with another text than was confirmed")
            if not any(
                call.body["draft_digest"] == row.draft_digest
                and call.user_id == str(row.confirmed_by) == str(row.requester_id)
                and call.began <= row.created_at
                for call in asked[session_id]
            ):
                breaches.append(f"{session_id} was filed without its owner's confirm")
    return breaches


def nothing_lost(database: Database, history: History) -> list[str]:
    """I3: a start that was acknowledged is there; so is a reply, to the question it answers."""
    breaches = [
        f"{call.session_id} was acknowledged and is lost"
        for call in history.of("start", Told.OK)
        if call.session_id not in database.sessions
    ]
    for call in history.of("resume", Told.OK):
        session = database.sessions.get(call.session_id or "")
        said = call.body.get("reply") or call.body.get("choice")
        kept = [one["reply"] for one in session.progress.get("exchanges", [])] if session else []
        if said not in kept:
            breaches.append(f"{call.session_id} has lost the reply {said!r}: {kept}")
    return breaches


def ended_once(database: Database, history: History) -> list[str]:
    """I4: an end is told once and stays, in events, in facts and to whoever looks."""
    breaches = []
    for session_id, session in database.sessions.items():
        kinds = [turn["kind"] for turn in database.turns[session_id]]
        ends = [kind for kind in kinds if kind in _ENDED]
        if len(ends) != (session.outcome is not None) or ends != kinds[len(kinds) - len(ends) :]:
            breaches.append(f"{session_id} told of {kinds}, outcome {session.outcome}")
        if (told := database.facts[session_id, "agent.outcome"]) != len(ends):
            breaches.append(f"{session_id} has {told} facts of {len(ends)} ends")
        if database.facts[session_id, "agent.started"] != 1:
            breaches.append(f"{session_id} has not one fact of its start")
    for call in history.calls:
        kind = (call.turn.get("turn") or call.turn or {}).get("kind")
        if kind in _ENDED and database.turns[call.session_id or ""][-1:] != []:
            last = database.turns[call.session_id or ""][-1]["kind"]
            if last != kind:
                breaches.append(f"{call.session_id} was told as {kind} and is {last}")
    return breaches


def told_as_it_is(database: Database, history: History) -> list[str]:
    """I5: a confirm that was accepted names the session's ticket; what only met refusals has
    none.
    """
    breaches, asked = [], {call.session_id for call in history.of("confirm")}
    accepted = {call.session_id for call in history.of("confirm", Told.OK)}
    open_ended = {call.session_id for call in history.of("confirm", Told.UNKNOWN)}
    for call in history.of("confirm", Told.OK):
        tickets = database.tickets.get(call.session_id or "", [])
        named = (call.turn["ticket_id"], call.turn["ticket_number"])
        if [(str(row.id), row.number) for row in tickets] != [named]:
            breaches.append(f"{call.session_id} names {named}, and there is {len(tickets)}")
    for session_id in asked - accepted - open_ended:
        if database.tickets.get(session_id or ""):
            breaches.append(f"{session_id} was refused, and filed")
    for session_id, session in database.sessions.items():
        if (session.outcome == "filed") != bool(database.tickets.get(session_id)):
            breaches.append(f"{session_id} is {session.outcome} with or without a ticket")
    return breaches


def no_fault_of_ours(history: History) -> list[str]:
    """A conflict is never a 500."""
    return [
        f"{call.verb} {call.session_id}: {call.status} {call.answer}"
        for call in history.calls
        if call.status is not None and call.status >= 500 and call.status != 503
    ]


async def check(
    engine: AsyncEngine, history: History, *, filed: int, what: str = "breaches of I1-I5"
) -> Database:
    """Find no breach, and no less than ``filed`` sessions that were filed: a run in which nothing
    happened proves nothing.
    """
    database = await read(engine)
    breaches = [
        *one_ticket_at_most(database),
        *confirmed_as_filed(database, history),
        *nothing_lost(database, history),
        *ended_once(database, history),
        *told_as_it_is(database, history),
        *no_fault_of_ours(history),
    ]
    outcomes = Counter(session.outcome for session in database.sessions.values())
    calls = Counter(str(call.outcome) for call in history.calls)
    print(f"\n{len(breaches)} {what} in {len(database.sessions)} sessions ({dict(outcomes)})")
    print(f"  calls: {dict(calls)}")
    assert not breaches, breaches
    assert outcomes["filed"] >= filed, outcomes
    return database
