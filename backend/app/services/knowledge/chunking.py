"""Cutting an article along its structure, without losing where each piece stands.

A *block* is the smallest thing worth citing whole: a paragraph, a list item, a table, a code block.
A chunk is a run of blocks under one heading, small enough to read at a glance and to be quoted
whole; only a single block may be longer. Offsets are code points into the body.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from backend.app.domain.knowledge import Chunk

MAX_CHUNK_CHARACTERS = 1200


@dataclass(frozen=True, slots=True)
class Block:
    """A citable piece, ``body[start:end]``, under ``heading``."""

    heading: str
    start: int
    end: int


@cache
def _parser() -> MarkdownIt:
    # What stands inside a paragraph is nobody's concern here, and most of the work.
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("inline")


def _line_offsets(body: str) -> list[int]:
    offsets = [0]
    for line in body.split("\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    return offsets


def _trimmed(body: str, start: int, end: int) -> tuple[int, int]:
    piece = body[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


_CITED_WHOLE = {
    "paragraph_open",
    "list_item_open",
    "table_open",
    "fence",
    "code_block",
    "html_block",
}


def _spans(tokens: list[Token]) -> Iterator[tuple[Token, str]]:
    """Every token that stands for a block or a heading, outermost list items only, with a heading's
    text.
    """
    depth = 0
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            yield token, tokens[position + 1].content
        elif token.type in _CITED_WHOLE and depth == 0:
            yield token, ""
        if token.type in {"list_item_open", "table_open"}:
            depth += 1
        elif token.type in {"list_item_close", "table_close"}:
            depth -= 1


def blocks(body: str) -> list[Block]:
    """The body's blocks in order, each under the headings it stands below (joined by ``›``).

    ``body`` must be cleaned (``core.text.clean``): a carriage return would shift what follows.
    """
    offsets = _line_offsets(body)
    path: list[tuple[int, str]] = []
    found: list[Block] = []
    tokens = _parser().parse(body)
    inside_heading = -1
    for token, heading in _spans(tokens):
        if token.map is None or token.map[0] < inside_heading:
            continue
        if token.type == "heading_open":
            level = int(token.tag[1])
            path = [(above, text) for above, text in path if above < level] + [(level, heading)]
            inside_heading = token.map[1]
            continue
        start, end = _trimmed(body, offsets[token.map[0]], offsets[token.map[1]] - 1)
        if start < end:
            found.append(Block(" › ".join(text for _, text in path), start, end))
    return found


def chunks(body: str) -> list[Chunk]:
    """The body cut at headings, and within a long section between blocks."""
    made: list[Chunk] = []
    for block in blocks(body):
        last = made[-1] if made else None
        if (
            last
            and last.heading == block.heading
            and block.end - last.start <= MAX_CHUNK_CHARACTERS
        ):
            made[-1] = Chunk(last.heading, last.start, block.end, last.first_end)
        else:
            made.append(Chunk(block.heading, block.start, block.end, block.end))
    return made
