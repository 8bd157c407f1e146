"""A ticket's life on its two axes: where it stands, what it waits for, and who may move it.

The tables are the rule: what is not in them is not allowed. ``blocked_on`` is lawful only in
progress, and leaving that status clears it in the same write.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum

from backend.app.core.errors import Conflict, Forbidden
from backend.app.domain.tickets import TicketStatus


class BlockedOn(StrEnum):
    """What work on a ticket waits for."""

    USER = "user"
    APPROVAL = "approval"
    OPERATOR = "operator"


class Mover(StrEnum):
    """Who drives a move: the program by itself, the ticket's own requester, or an operator."""

    SYSTEM = "system"
    REQUESTER = "requester"
    OPERATOR = "operator"


class Bucket(StrEnum):
    """Where a ticket stands in an operator's queue."""

    NEEDS_YOU = "needs_you"
    WAITING = "waiting"
    WORKING = "working"
    NEW = "new"
    DONE = "done"


class TransitionNotAllowed(Conflict):
    """The ticket cannot go from where it stands to there."""


class TransitionNotYours(Forbidden):
    """Somebody else may move the ticket there, but not you."""


class BlockNotAllowed(Conflict):
    """Only a ticket in progress waits for something."""


class UnblockNotYours(Forbidden):
    """What the ticket waits for is not yours to clear."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a ticket stands on both axes.

    Raises:
        BlockNotAllowed: it would wait for something outside of progress.
    """

    status: TicketStatus
    blocked_on: BlockedOn | None = None

    def __post_init__(self) -> None:
        if self.blocked_on is not None and self.status is not TicketStatus.IN_PROGRESS:
            raise BlockNotAllowed


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a few moves depend on besides their mover.

    ``has_evidence``: the server itself saw that the matter is over; ``has_offered_fix``: a fix was
    offered and its requester says that it worked; ``has_open_approval``: an operator's sign-off is
    being waited for.
    """

    has_evidence: bool = False
    has_offered_fix: bool = False
    has_open_approval: bool = False


#: Every lawful move, and who may drive it. A message of the requester's moves ``new`` and
#: ``resolved`` to ``in_progress``: of the first that is the program's doing, of the second theirs.
MOVES: Mapping[tuple[TicketStatus, TicketStatus], frozenset[Mover]] = {
    (TicketStatus.NEW, TicketStatus.IN_PROGRESS): frozenset({Mover.SYSTEM, Mover.OPERATOR}),
    (TicketStatus.NEW, TicketStatus.RESOLVED): frozenset({Mover.SYSTEM, Mover.OPERATOR}),
    (TicketStatus.NEW, TicketStatus.CANCELLED): frozenset(Mover),
    (TicketStatus.IN_PROGRESS, TicketStatus.RESOLVED): frozenset(Mover),
    (TicketStatus.IN_PROGRESS, TicketStatus.CANCELLED): frozenset(Mover),
    (TicketStatus.RESOLVED, TicketStatus.CLOSED): frozenset(Mover),
    (TicketStatus.RESOLVED, TicketStatus.IN_PROGRESS): frozenset({Mover.REQUESTER, Mover.OPERATOR}),
}
#: From here there is no way on.
TERMINAL: Set[TicketStatus] = frozenset({TicketStatus.CLOSED, TicketStatus.CANCELLED})
#: Who may let a ticket wait for this.
BLOCKS: Mapping[BlockedOn, frozenset[Mover]] = {
    reason: frozenset({Mover.SYSTEM, Mover.OPERATOR}) for reason in BlockedOn
}
#: Who may end the wait. What a person has to take over is theirs to hand back.
UNBLOCKS: Mapping[BlockedOn, frozenset[Mover]] = {
    BlockedOn.USER: frozenset(Mover),
    BlockedOn.APPROVAL: frozenset({Mover.SYSTEM, Mover.OPERATOR}),
    BlockedOn.OPERATOR: frozenset({Mover.OPERATOR}),
}


def _is_met(
    start: TicketStatus, end: TicketStatus, mover: Mover, circumstances: Circumstances
) -> bool:
    """Whether the circumstances allow a move that its mover may drive in general."""
    if end is TicketStatus.RESOLVED and mover is Mover.SYSTEM and start is TicketStatus.NEW:
        return circumstances.has_evidence
    if end is TicketStatus.RESOLVED and mover is Mover.REQUESTER:
        return circumstances.has_offered_fix
    if end is TicketStatus.CANCELLED and mover is Mover.SYSTEM:
        return not circumstances.has_open_approval
    return True


def allowed_transitions(
    standing: Standing, mover: Mover, circumstances: Circumstances
) -> frozenset[TicketStatus]:
    """Where ``mover`` may take a ticket from ``standing``."""
    return frozenset(
        end
        for (start, end), movers in MOVES.items()
        if start is standing.status
        and mover in movers
        and _is_met(start, end, mover, circumstances)
    )


def moved(
    standing: Standing, to: TicketStatus, mover: Mover, circumstances: Circumstances
) -> Standing:
    """The ticket's standing after a move; what it waited for is cleared with it.

    Raises:
        TransitionNotAllowed: nobody may do that now.
        TransitionNotYours: others may.
    """
    if to in allowed_transitions(standing, mover, circumstances):
        return Standing(to)
    others = (other for other in Mover if other is not mover)
    if any(to in allowed_transitions(standing, other, circumstances) for other in others):
        raise TransitionNotYours
    raise TransitionNotAllowed


def blocked(standing: Standing, reason: BlockedOn, mover: Mover) -> Standing:
    """The ticket's standing when it begins to wait for ``reason``. What a person has to take over
    is not overwritten by anything less.

    Raises:
        BlockNotAllowed: it is not in progress, or waits for an operator.
        UnblockNotYours: the mover may not decide that.
    """
    if mover not in BLOCKS[reason]:
        raise UnblockNotYours
    if standing.blocked_on is BlockedOn.OPERATOR and mover not in UNBLOCKS[BlockedOn.OPERATOR]:
        raise BlockNotAllowed("It waits for an operator, who alone decides how it goes on.")
    return Standing(standing.status, reason)


def unblocked(standing: Standing, mover: Mover) -> Standing:
    """The ticket's standing when it waits for nothing any more.

    Raises:
        UnblockNotYours: what it waits for is not the mover's to clear.
    """
    if standing.blocked_on is not None and mover not in UNBLOCKS[standing.blocked_on]:
        raise UnblockNotYours
    return Standing(standing.status)


def bucket_of(standing: Standing, *, has_requester: bool) -> Bucket:
    """Where an operator finds the ticket."""
    if standing.status in {TicketStatus.RESOLVED, *TERMINAL}:
        return Bucket.DONE
    if standing.status is TicketStatus.NEW:
        return Bucket.NEW if has_requester else Bucket.NEEDS_YOU
    if standing.blocked_on is BlockedOn.USER:
        return Bucket.WAITING
    return Bucket.WORKING if standing.blocked_on is None else Bucket.NEEDS_YOU
