"""An outside tracker: what it holds, what becomes of an attempt to write into it, and its port."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from backend.app.domain.sessions import AgentSessionId
from backend.app.domain.tickets import FilingState, IssueStatus, TicketId


@dataclass(frozen=True, slots=True)
class NewIssue:
    """An issue to be written; ``body`` is Markdown in the very characters that were confirmed."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class TrackedIssue:
    """An issue of the configured repository. Title and body are other people's text; ``url`` is
    made from what is configured and the number, never taken from an answer.
    """

    number: int
    title: str
    body: str
    status: IssueStatus
    url: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Written:
    """The tracker says that it holds the issue now."""

    number: int
    url: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The tracker said no for good: nothing was written, and asking again would not help."""

    status: int


@dataclass(frozen=True, slots=True)
class Unsure:
    """It was sent, and nobody knows what became of it; ``status`` is None without an answer."""

    status: int | None = None


@dataclass(frozen=True, slots=True)
class NotSent:
    """It never arrived, or the tracker turned it away for now; ``retry_after`` when it said so."""

    status: int | None = None
    retry_after: timedelta | None = None


#: What becomes of one attempt to write an issue.
Attempt = Written | Refused | Unsure | NotSent


class IssueTracker(Protocol):
    """A tracker over one repository. Reads raise `AppError` when there is no usable answer, so that
    a failed look is never taken for an empty one.
    """

    async def create(self, issue: NewIssue, *, begin_by: float) -> Attempt:
        """Write an issue, once; never repeated in here. ``begin_by``, of the clock's monotonic
        time: later it is not begun at all, for whoever stood still may have lost the filing.
        """

    async def find(self, marker: str, *, since: datetime) -> TrackedIssue | None:
        """The first issue changed ``since`` then whose body holds the line ``marker``; None only
        after every page was read.
        """

    async def search(self, question: str) -> Sequence[TrackedIssue]:
        """Issues that may be about the same, as the tracker ranks them."""

    async def get(self, number: int) -> TrackedIssue | None:
        """The issue of this number, or None when there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilingRecord:
    """How the act of writing a ticket's issue stands. Times are the database's.

    ``attempts`` counts sends that were begun, ``tries`` what came to nothing since. ``was_sent`` is
    how long ago the last send was begun; None when it surely did not arrive. ``marker`` are the
    lines by which the issue is known. ``holder`` is whoever works on it, under a name that no other
    and no later one has.
    """

    session_id: AgentSessionId
    state: FilingState
    ticket_id: TicketId
    marker: str
    attempts: int
    tries: int
    confirmed_at: datetime
    was_sent: timedelta | None
    holder: UUID
    #: The next try, if nothing happens before.
    due_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class OpenFiling:
    """A ticket that is not in the tracker, as an administrator sees it; ``answered`` is the HTTP
    status that the tracker answered with last.
    """

    ticket_number: int
    state: FilingState
    attempts: int
    answered: int | None
    due_at: datetime | None


class FilingStep(StrEnum):
    """What is to be done next about a filing."""

    SEND = "send"
    LOOK = "look"
    NOTHING = "nothing"


def next_step(state: FilingState) -> FilingStep:
    """What a filing needs that nobody is working on: whatever may have been sent is looked for
    before anything is sent again.
    """
    match state:
        case FilingState.RESERVED:
            return FilingStep.SEND
        case FilingState.SENT | FilingState.UNKNOWN:
            return FilingStep.LOOK
        case FilingState.FILED | FilingState.REFUSED:
            return FilingStep.NOTHING


class IssueChangeKind(StrEnum):
    """What may happen to an issue that its requester is told of."""

    CLOSED = "closed"
    REOPENED = "reopened"
    COMMENTED = "commented"


@dataclass(frozen=True, slots=True)
class IssueChange:
    """Something that happened to an issue, as the tracker's webhook told it."""

    number: int
    kind: IssueChangeKind
    at: datetime
