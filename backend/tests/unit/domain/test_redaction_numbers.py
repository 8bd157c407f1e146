"""Which numbers leave a text, whatever numbers stand beside them."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.app.domain.redaction import redact

_SIXTEEN = "4111111111111111"
_CARDS = [
    *(sign.join(["4111"] + ["1111"] * 3) for sign in ["", " ", ".", "-", "  ", "\u00a0", " - "]),
    "5500-0000-0000-0004",
    "2223 0031 2200 3222",
    "41111111 11111111",
    "378282246310005",
    "3782 822463 10005",
    "3782.822463.10005",
    "3056 930902 5904",
    "4222222222222",
    "6759649826438453",
    "4111-1111 1111.1111",
]
_BEFORE = [
    *(
        "2026-11-30 ",
        "30.11.2026 ",
        "12/27 ",
        "ticket 12345 ",
        "ticket 4711 - ",
        "SSN 078-05-1120 ",
    ),
    *("cvv 123 ", "CVC: 1234 ", "4012 8888 8888 1881 ", "5555555555554444 ", "1 ", "№ 7, ", "x1 "),
    *("+49 30 1234567 ", "10:45 ", "192.168.1.10 ", "2026-11-30-", "#12345: ", "- ", "card:", "("),
]
_BEHIND = [
    *(
        " 12/27",
        " 12/27 123",
        " 2026-11-30",
        "-12/27",
        " 078-05-1120",
        " cvv 123",
        " 123",
        ", 1234",
    ),
    *(" 5500 0000 0000 0004", " 378282246310005", ".", ". 12 more", "/123", " x1", ") 2", " - 123"),
]
_NEIGHBOURS_LEFT = [
    *("2026-11-30", "30.11.2026", "ticket 12345", "+49 30 1234567", "192.168.1.10", "10:45"),
    *("555-123-4567", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "115.12.2", "12/27", "1.5", "7"),
]


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


@pytest.mark.parametrize("card", _CARDS)
def test_a_card_is_found_however_its_groups_are_separated(card: str) -> None:
    assert redact(f"It is {card}").text == "It is [redacted: payment card]"


@pytest.mark.parametrize("card", _CARDS)
@pytest.mark.parametrize("before", ["", *_BEFORE])
@pytest.mark.parametrize("behind", ["", *_BEHIND])
def test_a_card_is_gone_whatever_stands_beside_it(card: str, before: str, behind: str) -> None:
    left = redact(f"{before}{card}{behind}").text
    assert "[redacted: payment card]" in left
    assert _digits(card) not in _digits(left)
    assert card not in left


@pytest.mark.parametrize("number", range(2, 6))
def test_each_of_several_cards_is_gone(number: int) -> None:
    left = redact(" ".join(["4111 1111 1111 1111", "5500 0000 0000 0004"] * number))
    assert not any(map(str.isdigit, left.text))
    assert left.counts == {"payment card": 2 * number}


def test_what_stands_beside_a_card_stays() -> None:
    text = "2026-11-30 ticket 12345 4111 1111 1111 1111 12/27 for +49 30 1234567"
    assert redact(text).text == text.replace("4111 1111 1111 1111", "[redacted: payment card]")


@pytest.mark.parametrize(
    "text",
    [
        "0.4111111111111111 seconds",
        "ORD-4111111111111111",
        "a4111111111111111",
        "4111111111111111b",
        "4111-1111-1111-1111-abcd",
        "+4111 1111 1111 1111",
        "12345678-4111-1111-1111-111111111111",
        "1.3.6.1.4.1.311.21.20 and 10.0.22631.4037",
        "2026-11-30 2026-12-01 2026-12-02 2026-12-03",
        "0800 4111 1111 and 0800 4222 2222",
        "part 4111 1111 1111",
        "4111 1111 1111 1112 12/27",
        "1111 1111 1111 1111 12/27",
        "1732968000000 1732968000001",
    ],
)
def test_what_only_resembles_a_card_stays(text: str) -> None:
    assert redact(text).text == text


@given(st.lists(st.sampled_from(_NEIGHBOURS_LEFT), max_size=8).map(", ".join))
def test_dates_telephone_numbers_and_the_like_stay(text: str) -> None:
    assert redact(text).text == text


@given(
    st.lists(st.sampled_from([*_BEFORE, *_BEHIND]), max_size=4).map(" ".join),
    st.sampled_from(_CARDS),
    st.lists(st.sampled_from([*_BEFORE, *_BEHIND]), max_size=4).map(" ".join),
)
def test_a_card_is_gone_among_many_numbers(before: str, card: str, behind: str) -> None:
    assert card not in redact(f"{before} {card} {behind}").text


def test_a_social_security_number_beside_a_card_is_gone_too() -> None:
    left = redact("078-05-1120-4111-1111-1111-1111-12/27").text
    assert left == "[redacted: social security number]-[redacted: payment card]-12/27"


def test_a_card_behind_the_word_password_is_gone_as_a_whole() -> None:
    assert redact("password: 4111 1111 1111 1111").text == "password: [redacted: payment card]"


@pytest.mark.parametrize(
    "unit", ["4111 ", "4111.", "4111-", "4", "4 ", _SIXTEEN + " ", "3782 822463 10005 ", "12/27 "]
)
def test_four_times_the_numbers_take_about_four_times_the_time(unit: str) -> None:
    times = []
    for length in (16_000, 64_000):
        text = (unit * length)[:length]
        began = time.process_time()
        redact(text)
        times.append(time.process_time() - began)
    assert times[1] < 0.4 or times[1] / max(times[0], 0.001) < 10
