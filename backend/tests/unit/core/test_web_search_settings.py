"""A search of the web is off until somebody sets one whole."""

import pytest
from pydantic import ValidationError

from backend.app.core.web_search_settings import WebSearchProvider, WebSearchSettings


def test_it_is_off_by_itself() -> None:
    assert WebSearchSettings().provider is WebSearchProvider.OFF
    assert not WebSearchSettings().leaves_this_machine


@pytest.mark.parametrize(
    "given",
    [
        {"provider": "tavily"},
        {"provider": "local"},
        {"provider": "tavily", "api_key": "k", "base_url": "http://search.example.org"},
        {"provider": "tavily", "api_key": "k", "base_url": "https://user:word@example.org"},
        {"provider": "tavily", "api_key": "k", "base_url": "ftp://127.0.0.1"},
        {"provider": "google"},
    ],
)
def test_half_a_setting_or_an_open_wire_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        WebSearchSettings.model_validate(given)


def test_loopback_may_be_plain_and_is_this_machine() -> None:
    given = {"provider": "tavily", "api_key": "k", "base_url": "http://127.0.0.1:8999/"}
    made = WebSearchSettings.model_validate(given)

    assert made.base_url == "http://127.0.0.1:8999"
    assert not made.leaves_this_machine
