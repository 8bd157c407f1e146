"""The search without a network finds what is about the question, and nothing else."""

import json
from pathlib import Path

import pytest

from backend.app.providers.web_search_local import LocalWebSearch, PagesUnreadable

PAGES = [
    {
        "title": "Printer shows offline",
        "url": "http://wiki/printer",
        "text": "Restart the spooler. " * 80 + "The queue named LX-4 needs its driver again.",
    },
    {"title": "VPN", "url": "https://wiki.example/vpn", "text": "The tunnel drops after sleep."},
    {"title": "Bad", "url": "javascript:alert(1)", "text": "tunnel"},
    {"title": "No text", "url": "https://wiki.example/none"},
]


def _folder(at: Path) -> Path:
    (at / "a.json").write_text(json.dumps(PAGES[:2]), encoding="utf-8")
    (at / "b.jsonl").write_text("\n".join(map(json.dumps, PAGES[2:])), encoding="utf-8")
    (at / "c.json").write_text(
        json.dumps({"title": "Rooms", "url": "https://wiki.example/r", "text": "Book a room."}),
        encoding="utf-8",
    )
    (at / "notes.txt").write_text("no page", encoding="utf-8")
    return at


async def test_the_page_that_says_it_is_found(tmp_path: Path) -> None:
    web = LocalWebSearch.over(_folder(tmp_path))

    found = await web.search("the tunnel of the VPN drops")

    assert [one.url for one in found] == ["https://wiki.example/vpn"]


async def test_the_part_of_the_page_that_says_it_is_shown(tmp_path: Path) -> None:
    web = LocalWebSearch.over(_folder(tmp_path))

    [one] = await web.search("driver of queue LX-4")

    assert one.url == "http://wiki/printer"  # an operator's own pages may be on a network of theirs
    assert "LX-4 needs its driver" in one.snippet


@pytest.mark.parametrize("query", ["", "???", "payroll certificate renewal", "the of a"])
async def test_what_is_not_there_is_not_found(query: str, tmp_path: Path) -> None:
    assert not await LocalWebSearch.over(_folder(tmp_path)).search(query)


async def test_without_pages_it_is_not_there(tmp_path: Path) -> None:
    web = LocalWebSearch.over(tmp_path)

    assert not web.covers("vpn")
    assert not await web.search("vpn")


@pytest.mark.parametrize("content", ["{", "[" * 100_000, "\udcff"])
def test_what_cannot_be_read_is_said(content: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(PagesUnreadable, match=r"x\.json"):
        LocalWebSearch.over(tmp_path)


def test_a_place_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(PagesUnreadable, match="no such folder"):
        LocalWebSearch.over(tmp_path / "none")
