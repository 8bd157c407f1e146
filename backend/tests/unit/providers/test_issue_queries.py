"""A question becomes a search that no word of it can lead elsewhere; limits are read as told."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.app.providers.issue_tracker.limits import wait_of
from backend.app.providers.issue_tracker.queries import search_query, search_words

_REPO = "acme/helpdesk"
_SCOPE = f"repo:{_REPO} is:issue ("
_NOW = datetime(2026, 11, 30, tzinfo=UTC)


@given(st.text(max_size=3000))
def test_whatever_is_asked_the_search_stays_in_its_repository(question: str) -> None:
    query = search_query(question, _REPO)
    if not query:
        return
    assert query.startswith(_SCOPE)
    assert query.endswith(")")
    assert len(query) <= 256
    words = query.removeprefix(_SCOPE).removesuffix(")").split(" OR ")
    assert 1 <= len(words) <= 6
    assert all(word.lower() not in {"and", "or", "not"} for word in words)
    assert not set("".join(words)) & set(":\"'()<>*@/ \n")


def test_codes_are_asked_for_before_long_words() -> None:
    question = (
        "Since yesterday evening the multifunctional printer says E-217 and 403 on paper load"
    )
    words = search_words(question)
    assert {"e-217", "403", "multifunctional"} <= set(words)
    assert len(words) == 6


def test_a_long_repository_leaves_room_for_words() -> None:
    repo = f"{'a' * 39}/{'b' * 100}"
    query = search_query("x" * 40 + " " + "y" * 40 + " short", repo)
    assert query.startswith(f"repo:{repo} is:issue (")
    assert len(query) <= 256


@pytest.mark.parametrize("question", ["", "   ", "a b c", "()", ":::", "or and not"])
def test_without_a_word_there_is_no_search(question: str) -> None:
    assert search_query(question, _REPO) == ""


@pytest.mark.parametrize(
    ("status", "headers", "body", "seconds"),
    [
        (429, {"retry-after": "7"}, b"", 7),
        (429, {}, b"", 60),
        (429, {"retry-after": "0"}, b"", 1),
        (429, {"retry-after": "99999999"}, b"", 3600),
        (429, {"retry-after": "Mon, 30 Nov 2026 00:00:07 GMT"}, b"", 60),
        (403, {"retry-after": "7"}, b"", 7),
        (403, {}, b'{"message": "You have exceeded a secondary rate limit"}', 60),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1796000000"}, b"", 3201),
        (403, {}, b'{"message": "Resource not accessible"}', None),
        (503, {"retry-after": "7"}, b"", 7),
        (503, {}, b"", None),
        (404, {"retry-after": "7"}, b"", None),
    ],
)
def test_a_limit_is_told_from_a_lack_of_rights(
    status: int, headers: dict[str, str], body: bytes, seconds: int | None
) -> None:
    now = datetime.fromtimestamp(1_795_996_800, tz=UTC)
    wait = wait_of(status, httpx.Headers(headers), body, now)
    assert wait == (None if seconds is None else timedelta(seconds=seconds))
