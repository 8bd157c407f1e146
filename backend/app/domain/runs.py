"""Runs: who drives a thread of a graph just now, since when, and what it has told."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NewType
from uuid import UUID

from backend.app.domain.events import Fact

ThreadId = NewType("ThreadId", UUID)
OwnerId = NewType("OwnerId", UUID)

#: The channel on which the database says that a run has told something or is to stop. Only a hint:
#: whoever listens looks at the rows, and looks now and then without being told.
NOTIFY_CHANNEL = "helpdesk_runs"


class GraphKind(StrEnum):
    """Which graph a thread belongs to, so that any replica can go on with it."""

    HELPDESK = "helpdesk"
    TICKET = "ticket"
    TEST = "test"


class AbortReason(StrEnum):
    """Why something was ended before its end; a closed set."""

    USER = "user"
    BUDGET_EXHAUSTED = "budget_exhausted"
    SERVER_RESTART = "server_restart"
    KILL_SWITCH = "kill_switch"
    EXPIRED = "expired"
    ERASED = "erased"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to drive a thread. ``epoch`` is the fence: a later claim has a higher one.

    ``allowance`` is the active time that is left to the thread; time in which a person thinks is
    not active. ``attempt`` counts how often the thread's present run was begun or taken over;
    ``last_seq`` is the number of the thread's last event when the claim was taken.
    """

    thread_id: ThreadId
    kind: GraphKind
    owner: OwnerId
    epoch: int
    attempt: int
    allowance: timedelta
    last_seq: int = 0


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What the database says of a claim that was renewed."""

    thread_id: ThreadId
    epoch: int
    abort_reason: AbortReason | None


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something a run told, numbered from 1 within its thread."""

    thread_id: ThreadId
    seq: int
    kind: str
    data: dict[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class Telling:
    """What is told at once: events, each of a kind and with data, and the facts beside them."""

    events: tuple[tuple[str, dict[str, Any]], ...] = ()
    facts: tuple[Fact, ...] = ()

    def __add__(self, other: "Telling") -> "Telling":
        return Telling(self.events + other.events, self.facts + other.facts)

    def __bool__(self) -> bool:
        return bool(self.events or self.facts)


NOTHING = Telling()


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How a thread stands: whether somebody drives it, and the number of its last event."""

    is_running: bool
    last_seq: int
    abort_reason: AbortReason | None
