"""What is said of the nearest tickets."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from backend.app.domain.tickets import NearTicket, Sameness, TicketId, TicketStatus
from backend.app.services.helpdesk.duplicates import judge

_NEAR = NearTicket(
    id=TicketId(UUID(int=1)),
    number=1,
    title="VPN fails with ERR_4711",
    text="The client says ERR_4711 and 10.2.1 since Monday.",
    status=TicketStatus.NEW,
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    cosine=0.95,
    share=0.8,
    since=3,
    rank=1.4,
    words=("vpn", "client"),
)
_FAR = replace(_NEAR, number=2, title="Toner", text="", cosine=0.2, share=0.02, rank=0.3, words=())


@pytest.mark.parametrize(
    ("status", "sameness"),
    [
        (TicketStatus.NEW, Sameness.SAME),
        (TicketStatus.IN_PROGRESS, Sameness.SAME),
        (TicketStatus.RESOLVED, Sameness.CAME_BACK),
        (TicketStatus.CLOSED, Sameness.CAME_BACK),
        (TicketStatus.CANCELLED, Sameness.RELATED),
    ],
)
def test_what_looks_the_same_is_told_by_its_state(status: TicketStatus, sameness: Sameness) -> None:
    first, second = judge("vpn", [replace(_NEAR, status=status), _FAR], limit=5)

    assert first.sameness is sameness
    assert first.odds > 0.9
    assert (second.sameness, second.odds < 0.1) == (Sameness.RELATED, True)


def test_identifiers_in_common_come_first_as_evidence() -> None:
    (found,) = judge("ERR_4711 in the VPN client 10.2.1, not 9.9.9", [_NEAR], limit=1)

    assert found.evidence == ("ERR_4711", "10.2.1", "vpn", "client")


def test_one_that_is_not_ahead_of_its_like_is_less_likely() -> None:
    alone = judge("x", [_NEAR, _FAR], limit=1)[0].odds
    among = judge("x", [_NEAR, replace(_NEAR, number=3)], limit=1)[0].odds

    assert among < alone


def test_without_vectors_words_decide_and_ask_for_more() -> None:
    by_words = replace(_NEAR, cosine=None, share=0.5)
    found = judge("x", [by_words, replace(by_words, number=2, share=0.45)], limit=2)

    assert [one.sameness for one in found] == [Sameness.RELATED] * 2
    assert found[0].odds > found[1].odds


def test_a_ticket_whose_vector_is_not_there_yet_is_compared_by_words_alone() -> None:
    late = replace(_NEAR, number=9, cosine=None, share=0.9)
    (found, _) = judge("x", [late, _FAR], limit=2)

    assert found.sameness is Sameness.SAME


def test_nothing_near_is_nothing_to_say() -> None:
    assert judge("x", [], limit=5) == []
