"""How far a filing may come: by no way is anything filed twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.app.domain.tickets import FILING_MOVES, FilingState, UnlawfulMove, refuse_unlawful

_MOVES = sorted(FILING_MOVES)


def _after(state: FilingState) -> list[FilingState]:
    return [to for of, to in _MOVES if of is state]


@given(st.data())
def test_no_way_files_twice(data: st.DataObject) -> None:
    state, way = FilingState.RESERVED, [FilingState.RESERVED]
    for _ in range(30):
        if not (further := _after(state)):
            break
        state = data.draw(st.sampled_from(further))
        way.append(state)

    assert way.count(FilingState.FILED) <= 1
    assert FilingState.FILED not in way[:-1]


@given(st.data())
def test_nothing_is_sent_again_that_was_not_looked_for(data: st.DataObject) -> None:
    state, way = FilingState.RESERVED, [FilingState.RESERVED]
    while (further := _after(state)) and len(way) < 30:
        state = data.draw(st.sampled_from(further))
        way.append(state)

    again = [at for at, one in enumerate(way) if one is FilingState.SENT][1:]
    assert all(way[at - 1] is FilingState.UNKNOWN for at in again)


def test_a_settled_filing_stays_as_it_is() -> None:
    assert _after(FilingState.FILED) == []


def test_a_refused_filing_goes_on_only_by_being_looked_for() -> None:
    assert _after(FilingState.REFUSED) == [FilingState.UNKNOWN]


@pytest.mark.parametrize("before", FilingState)
@pytest.mark.parametrize("after", FilingState)
def test_a_move_is_made_if_it_is_in_the_table(before: FilingState, after: FilingState) -> None:
    if (before, after) in FILING_MOVES:
        refuse_unlawful(before, after)
    else:
        with pytest.raises(UnlawfulMove):
            refuse_unlawful(before, after)


def test_nothing_goes_back_to_reserved_or_stands_still() -> None:
    assert all(to is not FilingState.RESERVED and of is not to for of, to in FILING_MOVES)


def test_every_state_can_be_reached_and_an_unknown_one_can_be_settled() -> None:
    assert {to for _, to in FILING_MOVES} | {FilingState.RESERVED} == set(FilingState)
    assert FilingState.FILED in _after(FilingState.UNKNOWN)
