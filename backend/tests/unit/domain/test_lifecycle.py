"""A ticket's life: the whole table of moves and waits, each with its mover."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.app.domain.lifecycle import (
    BLOCKS,
    TERMINAL,
    UNBLOCKS,
    BlockedOn,
    BlockNotAllowed,
    Bucket,
    Circumstances,
    Mover,
    Standing,
    TransitionNotAllowed,
    TransitionNotYours,
    UnblockNotYours,
    allowed_transitions,
    blocked,
    bucket_of,
    moved,
    unblocked,
)
from backend.app.domain.tickets import TicketStatus

NEW, WORKING, RESOLVED, CLOSED, CANCELLED = TicketStatus
SYSTEM, REQUESTER, OPERATOR = Mover
_PLAIN = Circumstances()
_ALL = Circumstances(has_evidence=True, has_offered_fix=True)
#: From, to, and who may, with every circumstance in favour.
_LAWFUL = {
    (NEW, WORKING): {SYSTEM, OPERATOR},
    (NEW, RESOLVED): {SYSTEM, OPERATOR},
    (NEW, CANCELLED): {SYSTEM, REQUESTER, OPERATOR},
    (WORKING, RESOLVED): {SYSTEM, REQUESTER, OPERATOR},
    (WORKING, CANCELLED): {SYSTEM, REQUESTER, OPERATOR},
    (RESOLVED, CLOSED): {SYSTEM, REQUESTER, OPERATOR},
    (RESOLVED, WORKING): {REQUESTER, OPERATOR},
}
standings = st.one_of(
    st.builds(Standing, st.sampled_from(TicketStatus)),
    st.builds(Standing, st.just(WORKING), st.sampled_from(BlockedOn)),
)
movers = st.sampled_from(Mover)
circumstances = st.builds(Circumstances, st.booleans(), st.booleans(), st.booleans())


@pytest.mark.parametrize(("start", "end", "mover"), [*product(TicketStatus, TicketStatus, Mover)])
def test_every_move_of_everybody(start: TicketStatus, end: TicketStatus, mover: Mover) -> None:
    who = _LAWFUL.get((start, end), set())
    if mover in who:
        assert moved(Standing(start), end, mover, _ALL) == Standing(end)
        return
    with pytest.raises(TransitionNotYours if who else TransitionNotAllowed):
        moved(Standing(start), end, mover, _ALL)


@pytest.mark.parametrize(
    ("start", "end", "mover", "needed"),
    [
        (NEW, RESOLVED, SYSTEM, Circumstances(has_evidence=True)),
        (WORKING, RESOLVED, REQUESTER, Circumstances(has_offered_fix=True)),
    ],
)
def test_moves_that_need_a_reason(
    start: TicketStatus, end: TicketStatus, mover: Mover, needed: Circumstances
) -> None:
    assert end not in allowed_transitions(Standing(start), mover, _PLAIN)
    assert end in allowed_transitions(Standing(start), mover, needed)


def test_nothing_is_cancelled_by_itself_while_a_sign_off_is_waited_for() -> None:
    waiting = Circumstances(has_open_approval=True)

    assert CANCELLED not in allowed_transitions(Standing(WORKING), SYSTEM, waiting)
    assert CANCELLED in allowed_transitions(Standing(WORKING), OPERATOR, waiting)
    assert CANCELLED in allowed_transitions(Standing(WORKING), REQUESTER, waiting)


@given(standings, movers, circumstances)
def test_a_move_ends_what_was_waited_for_and_nothing_leads_on_from_an_end(
    standing: Standing, mover: Mover, given_: Circumstances
) -> None:
    for end in allowed_transitions(standing, mover, given_):
        assert moved(standing, end, mover, given_) == Standing(end, None)
        assert standing.status not in TERMINAL


@pytest.mark.parametrize("status", [status for status in TicketStatus if status is not WORKING])
@pytest.mark.parametrize("reason", BlockedOn)
def test_only_work_waits(status: TicketStatus, reason: BlockedOn) -> None:
    with pytest.raises(BlockNotAllowed):
        Standing(status, reason)
    with pytest.raises(BlockNotAllowed):
        blocked(Standing(status), reason, OPERATOR)


@pytest.mark.parametrize(("reason", "mover"), [*product(BlockedOn, Mover)])
def test_who_may_let_work_wait_and_who_may_go_on(reason: BlockedOn, mover: Mover) -> None:
    if mover in BLOCKS[reason]:
        assert blocked(Standing(WORKING), reason, mover) == Standing(WORKING, reason)
    else:
        assert mover is REQUESTER
        with pytest.raises(UnblockNotYours):
            blocked(Standing(WORKING), reason, mover)
    if mover in UNBLOCKS[reason]:
        assert unblocked(Standing(WORKING, reason), mover) == Standing(WORKING)
    else:
        with pytest.raises(UnblockNotYours):
            unblocked(Standing(WORKING, reason), mover)


@pytest.mark.parametrize("reason", BlockedOn)
def test_what_waits_for_an_operator_is_theirs_alone(reason: BlockedOn) -> None:
    taken_over = Standing(WORKING, BlockedOn.OPERATOR)

    with pytest.raises(BlockNotAllowed):
        blocked(taken_over, reason, SYSTEM)
    assert blocked(taken_over, reason, OPERATOR) == Standing(WORKING, reason)
    for mover in (SYSTEM, REQUESTER):
        with pytest.raises(UnblockNotYours):
            unblocked(taken_over, mover)


@pytest.mark.parametrize(
    ("standing", "has_requester", "bucket"),
    [
        (Standing(NEW), True, Bucket.NEW),
        (Standing(NEW), False, Bucket.NEEDS_YOU),
        (Standing(WORKING), True, Bucket.WORKING),
        (Standing(WORKING), False, Bucket.WORKING),
        (Standing(WORKING, BlockedOn.USER), True, Bucket.WAITING),
        (Standing(WORKING, BlockedOn.APPROVAL), True, Bucket.NEEDS_YOU),
        (Standing(WORKING, BlockedOn.OPERATOR), True, Bucket.NEEDS_YOU),
        (Standing(RESOLVED), True, Bucket.DONE),
        (Standing(CLOSED), True, Bucket.DONE),
        (Standing(CANCELLED), False, Bucket.DONE),
    ],
)
def test_where_an_operator_finds_it(
    standing: Standing, has_requester: bool, bucket: Bucket
) -> None:
    assert bucket_of(standing, has_requester=has_requester) is bucket
