"""Labelled examples from a file: what is taken, and what is refused with its line."""

import json
from pathlib import Path

import pytest

from backend.app.services.helpdesk import categories
from backend.app.services.helpdesk.categories import (
    Example,
    UnreadableExamples,
    _usable,
    read_examples,
)


def _file(folder: Path, content: str | bytes) -> Path:
    path = folder / "examples.jsonl"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_lines_become_examples_and_empty_ones_are_left_out(tmp_path: Path) -> None:
    path = _file(
        tmp_path, '\ufeff{"text": "a\\u0000b", "label": " x  y "}\n\n{"text":"c","label":"z"}\n'
    )

    assert list(read_examples(path)) == [Example("ab", "x y"), Example("c", "z")]


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b"[1]",
        b'{"label": "x"}',
        b'{"text": "", "label": "x"}',
        b'{"text": 1, "label": "x"}',
        b'{"text": "a", "label": 3}',
        b'{"text": "a", "label": " "}',
        b'{"text": "a\\ud800", "label": "x"}',
        b'{"text": "\xff", "label": "x"}',
        b'{"text": "a", "label": "' + b"x" * 61 + b'"}',
        b"[" * 100_000,
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes) -> None:
    path = _file(tmp_path, b'{"text": "a", "label": "x"}\n' + line + b"\n")

    with pytest.raises(UnreadableExamples, match=r"^Line 2\b"):
        list(read_examples(path))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableExamples, match="is not a file"):
        list(read_examples(tmp_path / "nothing"))


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.truncate(categories.MAX_FILE_BYTES + 1)  # sparse: takes no room

    with pytest.raises(UnreadableExamples, match="MB"):
        list(read_examples(path))


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([], "two different labels"),
        (["x"] * 50, "two different labels"),
        (["x"] * 50 + ["y"] * 4, "too few of: y"),
        ([f"label {k % 201}" for k in range(2010)], "more than 200"),
    ],
)
def test_what_nothing_can_be_learnt_from_is_refused(labels: list[str], said: str) -> None:
    with pytest.raises(UnreadableExamples, match=said):
        _usable([Example("text", label) for label in labels])


def test_of_too_many_an_even_spread_is_taken() -> None:
    given = [Example(json.dumps(k), "rare" if k % 100 == 0 else "often") for k in range(20_000)]
    kept = _usable(given)

    assert len(kept) == categories.MAX_EXAMPLES
    assert sum(example.label == "rare" for example in kept) == 80
    assert kept == _usable(given)
    assert len(set(kept)) == len(kept)
