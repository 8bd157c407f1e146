"""Markdown taken apart and written anew, with everything that acts turned into what only shows.

Mentions and references are broken by a zero-width space, for an entity or a backslash would be
taken away before the tracker looks for them; commits' hashes and the tracker's addresses become
code. Raw HTML becomes the text that it is written as, an image a link to it, a link that may lead
nowhere good its own words.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, ClassVar, cast

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from mdformat.plugins import PARSER_EXTENSIONS
from mdformat.renderer import MDRenderer

from backend.app.services.helpdesk.markdown_check import DRAWN, is_harmless_address

_BREAK = "\u200b"
_MENTION = re.compile(r"(?<![A-Za-z0-9])@(?=[A-Za-z0-9])")
_REFERENCE = re.compile(r"#(?=\d)|(?<![A-Za-z0-9])GH-(?=\d)", re.IGNORECASE)
#: As a commit's hash may be written; of letters alone only behind a repository's name.
_HASH = re.compile(
    r"(?<![A-Za-z0-9])((?:(?<=@)|(?=[a-f]{0,39}\d))[0-9a-f]{7,40})(?![A-Za-z0-9])", re.IGNORECASE
)
#: The tracker's own pages, though no parser took them for links.
_TRACKER = re.compile(
    r"(?<!\.)((?:https?://)?(?:www\.)?github\.com/[^\s<>()\[\]`]{1,300})", re.IGNORECASE
)
#: What the parser makes of a task's box.
_BOX = re.compile(r'<input class="task-list-item-checkbox"[^>]*>')
#: A link that the parser did not take for one; other readers might.
_SCHEME = re.compile(
    r"(?<=\]\()(\s{0,20}(?:javascript|vbscript|data|file|blob))(?=:)", re.IGNORECASE
)
_TAG = re.compile(r"\\*<(?=[A-Za-z/!?])")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _code(content: str) -> Token:
    return Token("code_inline", "code", 0, content=content, markup="`")


def _inert(content: str) -> Iterator[Token]:
    """A run of text with its triggers broken."""
    for place, part in enumerate(_TRACKER.split(content)):
        if place % 2:
            yield _code(part)
        else:
            yield from _unlinked(part)


def _unlinked(content: str) -> Iterator[Token]:
    for place, part in enumerate(_HASH.split(content)):
        if place % 2:
            yield _code(part)
        elif part:
            broken = _SCHEME.sub(r"\1" + _BREAK, _MENTION.sub("@" + _BREAK, part))
            yield _text(_REFERENCE.sub(lambda found: found[0] + _BREAK, broken))


def _lines(content: str) -> Iterator[Token]:
    """Text that may stand in several lines."""
    for place, line in enumerate(content.strip("\n").split("\n")):
        if place:
            yield Token("softbreak", "br", 0)
        yield from _inert(line.strip() if place else line)


def _image(token: Token) -> Iterator[Token]:
    address, words = str(token.attrs.get("src", "")), token.content or "image"
    if is_harmless_address(address):
        yield Token("link_open", "a", 1, attrs={"href": address})
        yield from _inert(words)
        yield Token("link_close", "a", -1)
    else:
        yield from _inert(words)


def _until(children: list[Token], at: int, closing: str) -> int:
    """Where what opens at ``at`` is closed."""
    while at < len(children) and children[at].type != closing:
        at += 1
    return at


def _merged(children: list[Token]) -> Iterator[Token]:
    """Children with raw HTML as text, and text that stands together as one run: what is put
    together there is looked at together by the tracker.
    """
    run = ""
    for one in children:
        if one.type in {"text", "html_inline", "text_special"}:
            run += one.content
            continue
        if run:
            yield _text(run)
        run = ""
        yield one
    if run:
        yield _text(run)


def _link(opening: Token, inside: list[Token], closing: Token) -> Iterator[Token]:
    """A link as it is, or as its words and its address in code."""
    address = str(opening.attrs.get("href", ""))
    is_own = opening.type == "gfm_autolink_open" or opening.info == "auto"
    if is_harmless_address(address):
        if opening.type == "link_open":
            opening.meta = {}  # its address is written beside it, wherever it was defined
        yield from [opening, *(inside if is_own else _children(inside)), closing]
        return
    if is_own:
        yield _code("".join(one.content for one in inside).replace("`", "'"))
        return
    yield from _children(inside)
    if address.startswith(("http:", "https:")):
        yield from (_text(" ("), _code(address.replace("`", "'")), _text(")"))


def _children(given: list[Token]) -> Iterator[Token]:
    children, at = list(_merged(given)), 0
    while at < len(children):
        one = children[at]
        if one.type in {"link_open", "gfm_autolink_open"}:
            end = _until(children, at, one.type.replace("_open", "_close"))
            yield from _link(one, children[at + 1 : end], children[end])
            at = end
        elif one.type == "text":
            yield from _lines_within(one.content)
        elif one.type == "image":
            yield from _image(one)
        else:
            yield one
        at += 1


def _lines_within(content: str) -> Iterator[Token]:
    if "\n" in content:
        yield from _lines(content)
    else:
        yield from _inert(content)


def _inline(children: list[Token], *, is_task: bool) -> list[Token]:
    if is_task and children and _BOX.fullmatch(children[0].content):
        return [children[0], *_children(children[1:])]
    return list(_children(children))


def _blocks(tokens: list[Token]) -> Iterator[Token]:
    is_task = False
    for token in tokens:
        if token.type == "html_block":
            yield Token("paragraph_open", "p", 1, map=token.map, block=True)
            yield Token(
                "inline", "", 0, map=token.map, block=True, children=list(_lines(token.content))
            )
            yield Token("paragraph_close", "p", -1, block=True)
            continue
        if token.type == "inline":
            token.children = _inline(token.children or [], is_task=is_task)
            is_task = False
        elif token.type == "list_item_open":
            is_task = "task-list-item" in str(token.attrs.get("class", ""))
        elif token.type == "fence":
            named = _LANGUAGE.match(token.info.strip())
            token.info = "" if named is None or named[0].casefold() in DRAWN else named[0]
        yield token


def _entities(text: str, *_: object) -> str:
    """Written text with what could begin a tag as an entity, for readers that know no backslash.
    A backslash of the text itself is doubled by then, so one that is alone is the writer's.
    """
    return _TAG.sub(lambda found: "\\" * ((len(found[0]) - 1) // 2 * 2) + "&lt;", text)


class _Entities:
    """An extension of the writer."""

    RENDERERS: ClassVar[dict[str, Any]] = {}
    POSTPROCESSORS: ClassVar[dict[str, Any]] = {"text": _entities}
    update_mdit = staticmethod(lambda _: None)


@cache
def _parser() -> MarkdownIt:
    # The renderer is a class that takes the parser, as the protocol wants it.
    made = MarkdownIt(renderer_cls=cast("Callable[[MarkdownIt], RendererProtocol]", MDRenderer))
    extension = PARSER_EXTENSIONS["gfm"]
    made.options["mdformat"] = {"number": True}
    made.options["store_labels"] = True
    made.options["parser_extension"] = [extension, _Entities]
    made.options["codeformatters"] = {}
    extension.update_mdit(made)
    return made


def blocks_of(markdown: str) -> list[str]:
    """The outermost blocks that ``markdown`` consists of, as they are written."""
    lines = markdown.split("\n")
    begins = sorted(
        {token.map[0] for token in _parser().parse(markdown) if token.level == 0 and token.map}
    )
    ends = [*begins[1:], len(lines)]
    return ["\n".join(lines[max(b, 0) : e]) for b, e in zip([0, *begins[1:]], ends, strict=True)]


def rebuild(markdown: str) -> str:
    """``markdown`` written anew without what acts; ends without a line end."""
    env: dict[str, object] = {}
    parser = _parser()
    tokens = list(_blocks(parser.parse(f"{markdown}\n", env)))
    return str(parser.renderer.render(tokens, parser.options, env)).rstrip("\n")
