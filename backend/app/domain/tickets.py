"""Tickets: what is left over when an agent session could not help, as the desk's own record."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from uuid import UUID

from backend.app.core.errors import Conflict
from backend.app.domain.chat import ChatSessionId
from backend.app.domain.principals import UserId
from backend.app.domain.sessions import (
    AgentSessionId,
    CandidateSource,
    Category,
    Impact,
    Severity,
)

TicketId = NewType("TicketId", UUID)


class TicketStatus(StrEnum):
    """The lifecycle's first axis."""

    NEW = "new"
    IN_PROGRESS = "in_progress"
    RESOLVED = "resolved"
    CLOSED = "closed"
    CANCELLED = "cancelled"


class TicketOrigin(StrEnum):
    """Where a ticket came from; set by the server."""

    CHAT = "chat"
    WEB = "web"
    DISCORD = "discord"
    ALERT = "alert"
    API = "api"


class IssueState(StrEnum):
    """How far a ticket's copy in an outside tracker is; ``off``: none is written."""

    OFF = "off"
    PENDING = "pending"
    UNKNOWN = "unknown"
    REFUSED = "refused"
    FILED = "filed"


class IssueStatus(StrEnum):
    """How an issue stands in its tracker."""

    OPEN = "open"
    CLOSED = "closed"


class FilingState(StrEnum):
    """How far the act of filing is. A timeout is ``unknown`` and never taken for a failure."""

    RESERVED = "reserved"
    SENT = "sent"
    FILED = "filed"
    UNKNOWN = "unknown"
    REFUSED = "refused"


#: Every lawful move of a filing; there are no others. ``unknown`` leads on only by looking: what is
#: found is filed, what is surely not there may be sent again. What the tracker turned away for now,
#: or what never arrived, is ``unknown`` too; what it refused is looked for again when an
#: administrator says so.
FILING_MOVES: frozenset[tuple[FilingState, FilingState]] = frozenset(
    {
        (FilingState.RESERVED, FilingState.SENT),
        # Without an outside tracker the desk itself is the tracker: the ticket is the record.
        (FilingState.RESERVED, FilingState.FILED),
        (FilingState.SENT, FilingState.FILED),
        (FilingState.SENT, FilingState.UNKNOWN),
        (FilingState.SENT, FilingState.REFUSED),
        (FilingState.REFUSED, FilingState.UNKNOWN),
        (FilingState.UNKNOWN, FilingState.FILED),
        (FilingState.UNKNOWN, FilingState.SENT),
    }
)


#: What a ticket says of its issue in each state of its filing.
ISSUE_STATES = {
    FilingState.RESERVED: IssueState.PENDING,
    FilingState.SENT: IssueState.PENDING,
    FilingState.UNKNOWN: IssueState.UNKNOWN,
    FilingState.REFUSED: IssueState.REFUSED,
    FilingState.FILED: IssueState.FILED,
}


class UnlawfulMove(Conflict):
    """A filing cannot go from there to here."""


def refuse_unlawful(before: FilingState, after: FilingState) -> None:
    """Raise `UnlawfulMove` unless a filing may go from one state to the other."""
    if (before, after) not in FILING_MOVES:
        raise UnlawfulMove


@dataclass(frozen=True, slots=True)
class Ticket:
    """One ticket. ``number`` is what people say, counted from 1; ``body`` is Markdown."""

    id: TicketId
    number: int
    requester_id: UserId
    requester_name: str
    title: str
    body: str
    status: TicketStatus
    severity: Severity
    impact: Impact
    category: Category
    origin: TicketOrigin
    created_at: datetime
    updated_at: datetime
    agent_session_id: AgentSessionId | None
    chat_session_id: ChatSessionId | None
    issue_state: IssueState
    issue_url: str | None = None
    issue_number: int | None = None
    issue_status: IssueStatus | None = None


class Sameness(StrEnum):
    """What is said of a candidate: it looks the same and is open, looks the same and was solved
    before, or may be related.
    """

    SAME = "same"
    CAME_BACK = "came_back"
    RELATED = "related"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ticket or issue that may be about the same.

    ``odds``: how often, of a hundred such pairs, it was; 0 to 1; of an issue, only how much both
    share. ``evidence``: identifiers and words in common, the most telling first.
    """

    source: CandidateSource
    number: int
    title: str
    status: TicketStatus | IssueStatus
    url: str
    odds: float
    evidence: tuple[str, ...]
    created_at: datetime
    sameness: Sameness = Sameness.RELATED


@dataclass(frozen=True, slots=True, kw_only=True)
class NearTicket:
    """A ticket near a text, as measured.

    ``cosine``: of both vectors, None without. ``share``: weight of the terms in common over the
    weight of all, 0 to 1. ``since``: tickets filed after it. ``rank``: what the order comes from;
    means nothing between searches. ``text`` and ``words`` are given of the best only.
    """

    id: TicketId
    number: int
    title: str
    text: str
    status: TicketStatus
    created_at: datetime
    cosine: float | None
    share: float
    since: int
    rank: float
    words: tuple[str, ...] = ()


class TicketScope(StrEnum):
    """Which tickets a list shows."""

    MINE = "mine"
    ALL = "all"
