"""Whether Markdown acts on anybody, seen by a renderer of its own.

The tracker's own renderer, with raw HTML let through, makes a page of the text; its elements,
addresses and words are looked at as the tracker's filters would. Nothing here knows how the text
was made safe, so that a mistake there is seen here.
"""

import re
from typing import Any
from urllib.parse import urlsplit

import cmarkgfm
from cmarkgfm.cmark import Options
from selectolax.lexbor import LexborHTMLParser

_EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist"]
_ELEMENT_NAMES = """
    html head body p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del a table
    thead tbody tr th td input sup section
"""
_ELEMENTS = frozenset(_ELEMENT_NAMES.split())
_ATTRIBUTE_NAMES = """
    href title class align start type checked disabled id data-footnotes data-footnote-ref data-
    footnote-backref data-footnote-backref-idx aria-label
"""
_ATTRIBUTES = frozenset(_ATTRIBUTE_NAMES.split())
_QUIET = frozenset({"pre", "code", "a"})
#: What the tracker turns into a mention, a reference or a link to a commit.
_LIVE = re.compile(
    r"(?<![A-Za-z0-9])@[A-Za-z0-9]|#\d|(?<![.])github\.com/[\w.-]+/[\w.-]+/[a-z]"
    r"|(?<![A-Za-z0-9])GH-\d"
    r"|(?<![A-Za-z0-9])(?:(?<=@)|(?=[a-f]{0,39}\d))[0-9a-f]{7,40}(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_TRACKER_HOSTS = frozenset({"github.com", "www.github.com"})
#: Blocks that the tracker draws instead of showing them.
DRAWN = frozenset({"mermaid", "geojson", "topojson", "stl", "math"})


def is_harmless_address(address: str) -> bool:
    """Whether a link may lead to ``address``: a page or a mailbox, and none of the tracker's."""
    if re.search(r"[\s\\\x00-\x1f]", address):
        return False
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return False
    if parts.scheme == "mailto":
        return True
    return parts.scheme in {"http", "https"} and bool(host) and host not in _TRACKER_HOSTS


def _acts(node: Any, tag: str) -> bool:
    if tag not in _ELEMENTS or not set(node.attributes) <= _ATTRIBUTES:
        return True
    if tag == "a":
        address = node.attributes.get("href") or ""
        return not address.startswith("#fn") and not is_harmless_address(address)
    if tag == "code" and (kind := node.attributes.get("class")):
        return kind.removeprefix("language-") in DRAWN
    return tag == "input" and node.attributes.get("type") != "checkbox"


def _page_acts(html: str) -> bool:
    root = LexborHTMLParser(html).root
    # A walk without recursion, for a page may be nested deeply.
    waiting: list[tuple[Any, bool]] = [(root, False)] if root is not None else []
    while waiting:
        node, is_quiet = waiting.pop()
        tag = str(node.tag)
        if tag == "-text":
            if not is_quiet and _LIVE.search(node.text_content or ""):
                return True
            continue
        if _acts(node, tag):
            return True
        quiet = is_quiet or tag in _QUIET
        waiting += [(child, quiet) for child in node.iter(include_text=True)]
    return False


def is_inert(markdown: str) -> bool:
    """Whether ``markdown`` mentions, refers to, links, loads and runs nothing that it must not,
    with footnotes and without.
    """
    unsafe = Options.CMARK_OPT_UNSAFE
    return not any(
        _page_acts(
            cmarkgfm.markdown_to_html_with_extensions(
                markdown, options=options, extensions=_EXTENSIONS
            )
        )
        for options in (unsafe, unsafe | Options.CMARK_OPT_FOOTNOTES)
    )
