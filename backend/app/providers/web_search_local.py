"""Web search without a network: over pages that an operator put on this machine.

They are JSON: ``*.json`` holds one page or a list of them, ``*.jsonl`` a page in each line; a page
is ``title``, ``url`` and ``text``. They are read once, at the start.
"""

import asyncio
import heapq
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
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
        self._pages = list(pages)
        #: Word → the pages that hold it, by their place in the list, and which say it in the title.
        self._holding: dict[str, list[tuple[int, bool]]] = defaultdict(list)
        for place, (found, text) in enumerate(self._pages):
            titled = set(_words(found.title))
            for word in titled.union(_words(text)):
                self._holding[word].append((place, word in titled))

    @classmethod
    def over(cls, path: Path) -> "LocalWebSearch":
        """The search over the pages at ``path``; raises what `read_pages` does."""
        return cls(read_pages(path))

    def covers(self, _question: str) -> bool:
        """Any question, if there are pages at all."""
        return bool(self._pages)

    async def search(self, query: str) -> Sequence[WebPage]:
        """The pages that hold most of what is asked, the best first."""
        # With many pages this takes a while, in which others must be served.
        return await asyncio.to_thread(self._found, query)

    def _found(self, query: str) -> list[WebPage]:
        asked = {word: self._weight(word) for word in sorted(set(_words(query)))}
        shares: dict[int, float] = defaultdict(float)
        for word, weight in asked.items():
            for place, is_titled in self._holding.get(word, ()):
                shares[place] += weight * _TITLE_WEIGHT if is_titled else weight
        least = _MIN_SHARE * sum(asked.values())
        best = heapq.nlargest(
            _MAX_FOUND, ((share, -place) for place, share in shares.items() if share >= least)
        )
        return [_about(*self._pages[-place], asked) for _, place in best]

    def _weight(self, word: str) -> float:
        return math.log(1 + len(self._pages) / (1 + len(self._holding.get(word, ()))))


def _about(found: WebPage, text: str, asked: dict[str, float]) -> WebPage:
    """The page with that part of its text in which most of what is asked stands."""
    width = MAX_PAGE_SNIPPET
    starts = range(0, max(1, len(text) - width // 2), width // 2)
    best = max(
        starts,
        key=lambda at: sum(asked.get(word, 0) for word in set(_words(text[at : at + width]))),
    )
    begin = text.rfind(" ", 0, best + 1) + 1 if best else 0
    return page(found.title, found.url, text[begin : begin + width]) or found
