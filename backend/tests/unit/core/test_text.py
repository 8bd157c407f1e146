"""What text may be stored."""

from hypothesis import given
from hypothesis import strategies as st

from backend.app.core import text


def test_control_characters_go_and_line_ends_become_one_kind() -> None:
    assert text.clean("a\x00b\r\nc\rd\te\x1b[31m") == "ab\nc\nd\te[31m"


@given(st.text())
def test_cleaning_twice_is_cleaning_once(value: str) -> None:
    once = text.clean(value)

    assert text.clean(once) == once
    assert "\x00" not in once


@given(st.text())
def test_a_lone_surrogate_is_what_utf8_cannot_hold(value: str) -> None:
    try:
        value.encode()
        encodable = True
    except UnicodeEncodeError:
        encodable = False

    assert text.has_lone_surrogate(value) is not encodable


def test_half_a_character_is_seen() -> None:
    assert text.has_lone_surrogate("a\ud83d")
    assert not text.has_lone_surrogate("a😀")


@given(st.text(), st.integers(min_value=2, max_value=100))
def test_a_shortened_text_keeps_within_its_limit(value: str, limit: int) -> None:
    short = text.shorten(value, limit)

    assert len(short) <= limit
    assert "\n" not in short


def test_a_text_is_cut_at_a_word_where_there_is_one() -> None:
    assert text.shorten("the printer in the hall is offline", 22) == "the printer in the…"
    assert text.shorten("x" * 30, 10) == "x" * 9 + "…"


def test_half_a_character_is_taken_out() -> None:
    assert text.whole_characters("a\ud83db") == "ab"
    assert text.whole_characters("a😀b") == "a😀b"
