"""Web search without a network: over pages that an operator put on this machine.

They are JSON: ``*.json`` holds one page or a list of them, ``*.jsonl`` a page in each line; a page
is ``title``, ``url`` and ``text``. They are read once, at the start.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.app.domain.web import MAX_PAGE_SNIPPET, WebPage, page

MAX_PAGES = 20_000
MAX_FILE_BYTES = 50_000_000
_MAX_FOUND = 5
#: Below this share of what is asked, by how telling its words are, a page is about something else.
_MIN_SHARE = 0.4
#: A page whose title says it is more likely what is looked for.
_TITLE_WEIGHT = 1.5
_WORD = re.compile(r"\w+")


class PagesUnreadable(Exception):
    """The pages for the local search cannot be read; the message says which and why."""


@dataclass(frozen=True, slots=True)
class _Kept:
    page: WebPage
    text: str
    title_words: frozenset[str]
    words: frozenset[str]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def read_pages(path: Path) -> list[tuple[WebPage, str]]:
    """Every page of a file, or of a folder's files in the order of their names, with its text.

    Raises:
        PagesUnreadable: there is no such place, a file is no JSON, or there are too many.
    """
    found: list[tuple[WebPage, str]] = []
    for file in _files(path):
        for entry in _entries(file):
            text = entry.get("text")
            made = page(entry.get("title"), entry.get("url"), text)
            if made is not None and isinstance(text, str):
                found.append((made, text))
            if len(found) > MAX_PAGES:
                raise PagesUnreadable(f"{path}: more than {MAX_PAGES} pages")
    return found


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise PagesUnreadable(f"{path}: there is no such folder or file")
    return sorted(one for one in path.rglob("*.json*") if one.suffix in {".json", ".jsonl"})


def _entries(file: Path) -> Iterator[dict[str, object]]:
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise PagesUnreadable(f"{file}: larger than {MAX_FILE_BYTES} bytes")
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines() if file.suffix == ".jsonl" else [text]
        read = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError, RecursionError) as error:
        raise PagesUnreadable(f"{file}: {type(error).__name__}") from error
    for one in read:
        yield from (
            entry for entry in (one if isinstance(one, list) else [one]) if isinstance(entry, dict)
        )


class LocalWebSearch:
    """Finds pages by the words they share with a query, rare words counting more."""

    def __init__(self, pages: Sequence[tuple[WebPage, str]]) -> None:
        self._pages = [
            _Kept(
                found,
                text,
                frozenset(_words(found.title)),
                frozenset(_words(f"{found.title} {text}")),
            )
            for found, text in pages
        ]
        self._holding = Counter(word for one in self._pages for word in one.words)

    @classmethod
    def over(cls, path: Path) -> "LocalWebSearch":
        """The search over the pages at ``path``; raises what `read_pages` does."""
        return cls(read_pages(path))

    def covers(self, _question: str) -> bool:
        """Any question, if there are pages at all."""
        return bool(self._pages)

    async def search(self, query: str) -> Sequence[WebPage]:
        """The pages that hold most of what is asked, the best first."""
        asked = {word: self._weight(word) for word in set(_words(query))}
        whole = sum(asked.values())
        rated = [(self._share(one, asked, whole), one) for one in self._pages]
        best = sorted(
            (one for one in rated if one[0] >= _MIN_SHARE), key=lambda one: one[0], reverse=True
        )
        return [_about(one, asked) for _, one in best[:_MAX_FOUND]]

    def _weight(self, word: str) -> float:
        return math.log(1 + len(self._pages) / (1 + self._holding[word]))

    def _share(self, one: _Kept, asked: dict[str, float], whole: float) -> float:
        shared = sum(
            weight * (_TITLE_WEIGHT if word in one.title_words else 1)
            for word, weight in asked.items()
            if word in one.words
        )
        return shared / whole if whole else 0.0


def _about(one: _Kept, asked: dict[str, float]) -> WebPage:
    """The page with that part of its text in which most of what is asked stands."""
    width = MAX_PAGE_SNIPPET
    starts = range(0, max(1, len(one.text) - width // 2), width // 2)
    best = max(
        starts,
        key=lambda at: sum(asked.get(word, 0) for word in set(_words(one.text[at : at + width]))),
    )
    begin = one.text.rfind(" ", 0, best + 1) + 1 if best else 0
    made = page(one.page.title, one.page.url, one.text[begin : begin + width])
    return made or one.page
