"""From text to words."""

import pytest

from backend.app.services.knowledge.words import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wi-Fi is slow", "Wi Fi WiFi is slow"),
        ("open C:\\temp\\file.name", "open C temp file name"),
        ("see [the guide](https://example.org/a-b) now", "see the guide now"),
        ("see [a](https://example.org/b_(c)) and [d](e)", "see a and d"),
        ("error 0x80070005!", "error 0x80070005"),
        ("snake_case", "snake case"),
        ("ümlaut straße", "ümlaut straße"),
        ("page:header repo:other/x NOT 'quoted' & | ! <->", "page header repo other x NOT quoted"),
        ("", ""),
        ("--- *** ///", ""),
    ],
)
def test_words_stand_apart_by_single_spaces(text: str, expected: str) -> None:
    assert words(text) == expected
