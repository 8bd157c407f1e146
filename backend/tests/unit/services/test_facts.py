"""The one table from fact to counter."""

import inspect

from backend.app.domain import events
from backend.app.services.facts import COUNTERS, HELP

FACTS = [
    member
    for _, member in inspect.getmembers(events, inspect.isclass)
    if issubclass(member, events.Fact) and member is not events.Fact
]


def test_every_counter_is_of_a_fact_that_exists_and_is_explained() -> None:
    assert set(COUNTERS) <= {fact.kind for fact in FACTS}
    assert {name for name, _ in COUNTERS.values()} == set(HELP)


def test_kinds_are_dotted_and_unlike() -> None:
    kinds = [fact.kind for fact in FACTS]

    assert len(kinds) > 10
    assert len(set(kinds)) == len(kinds)
    assert all(kind.count(".") == 1 for kind in kinds)
