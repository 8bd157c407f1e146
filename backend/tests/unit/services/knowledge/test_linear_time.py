"""No text, however contrived, makes a pattern take more than its length's time."""

import re
import time
from collections.abc import Callable

import pytest

from backend.app.services.chat import answering
from backend.app.services.knowledge import chunking, library, reading, words

_PATTERNS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": value
    for module in (answering, chunking, library, reading, words)
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern)
}
_UNITS = [
    *("](", "](x", "[1", "[", "`", "``` ", "`` ", "~~~", "a-", "ab-cd_", "a" * 13 + "-"),
    *(" ", "\t", "- ", "1. ", "> ", "12345", "_", "x", "\n", "```\n"),
]
_LONGEST = 200 * 1024


def _seconds(work: Callable[[], object]) -> float:
    """The least of three runs' processor time."""
    runs = []
    for _ in range(3):
        began = time.process_time()
        work()
        runs.append(time.process_time() - began)
    return min(runs)


def _is_linear(pattern: re.Pattern[str], unit: str) -> bool:
    length, before = _LONGEST // 32, 1.0
    while length <= _LONGEST:
        text = unit * (length // len(unit))
        now = _seconds(lambda text=text: pattern.sub("", text))  # type: ignore[misc]
        if now > 0.05 and now / before > 3:
            return False
        length, before = length * 2, now
    return True


@pytest.mark.parametrize("name", _PATTERNS)
def test_twice_the_text_takes_twice_the_time(name: str) -> None:
    assert [unit for unit in _UNITS if not _is_linear(_PATTERNS[name], unit)] == []
