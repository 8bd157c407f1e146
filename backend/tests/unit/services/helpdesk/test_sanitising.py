"""What is posted acts on nobody."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from backend.app.services.helpdesk.markdown_check import is_inert
from backend.app.services.helpdesk.sanitising import (
    as_code,
    is_quickly_parsed,
    parsing_steps,
    sanitise,
)

_RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")
_CODE = re.compile(r"<(pre|code)[^>]*>.*?</(?:pre|code)>", re.DOTALL)
#: A mention, a reference or a link to an issue as the tracker would take it from rendered text.
_ACTIVE = re.compile(
    r"(?<![A-Za-z0-9])@[A-Za-z0-9]|#\d|(?<![A-Za-z0-9])GH-\d|github\.com/[\w.-]+/[\w.-]+/issues/",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"<(?:script|img|iframe|b|a href=\"(?:javascript|data|vbscript))\b|<!--", re.IGNORECASE
)


def _rendered_text(markdown: str) -> str:
    """What a reader's machine would look at for mentions: the text outside code and tags."""
    html = _RENDERER.render(markdown)
    plain = re.sub(r"<[^>]*>", "", _CODE.sub("\n", html))
    return (
        plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    )


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("hello <b>there</b>", "hello &lt;b>there&lt;/b>"),
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("<div>\n\nx\n\n</div>", "&lt;div>\n\nx\n\n&lt;/div>"),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
        ("<details><summary>x</summary>", "&lt;details>&lt;summary>x&lt;/summary>"),
        ("a <!-- hidden --> b", "a &lt;!-- hidden --> b"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("a \\<b>", "a &lt;b>"),
        ("ask @bob", "ask @\u200bbob"),
        ("ask @org/team!", "ask @\u200borg/team!"),
        ("mail bob@firma.de", "mail bob@firma.de"),
        ("\\@bob &#64;bob &commat;bob", "@\u200bbob @\u200bbob @\u200bbob"),
        ("see #12 and o/r#3 and GH-4", "see #\u200b12 and o/r#\u200b3 and GH-\u200b4"),
        ("fixes #12, Closes gh-3", "fixes #\u200b12, Closes gh-\u200b3"),
        ("&#35;12 \\#12", "#\u200b12 #\u200b12"),
        ("# 12 heading", "# 12 heading"),
        ("in 9fceb02d and o/r@9fceb02", "in `9fceb02d` and o/r@`9fceb02`"),
        ("order 12345678 of 2026", "order `12345678` of 2026"),
        ("faced and decade", "faced and decade"),
        ("error 0x80070005", "error 0x80070005"),
        ("![pixel](http://x.org/y.png)", "[pixel](http://x.org/y.png)"),
        ("![](http://x.org/y.png)", "[image](http://x.org/y.png)"),
        ("![x](data:image/png;base64,AA)", "x"),
        ("[x](/issues/1)", "x"),
        ("[ok](https://example.com)", "[ok](https://example.com)"),
        ("[ok]\n\n[ok]: https://example.com", "[ok](https://example.com)"),
        ("<https://example.com/#1>", "<https://example.com/#1>"),
        ("www.example.com/@bob", "www.example.com/@bob"),
        ("[ok](mailto:a@b.de)", "[ok](mailto:a@b.de)"),
        ("data: what the report shows", "data: what the report shows"),
        ("https://github.com/o/r/issues/1", "`https://github.com/o/r/issues/1`"),
        ("<https://github.com/bob>", "`https://github.com/bob`"),
        ("[it](https://GitHub.com./o/r/pull/1)", "it (`https://GitHub.com./o/r/pull/1`)"),
        ("https://docs.github.com/en", "https://docs.github.com/en"),
        ("run `npm i @scope/x #1 <y>`", "run `npm i @scope/x #1 <y>`"),
        ("```\n@bob #1 <b>\n```", "```\n@bob #1 <b>\n```"),
        ("```python\n@cached\n```", "```python\n@cached\n```"),
        ("```mermaid\ngraph TD\n```", "```\ngraph TD\n```"),
        ("    @bob", "```\n@bob\n```"),
        ("> ```\n> @bob\n> ```\nthen @bob", "> ```\n> @bob\n> ```\n\nthen @\u200bbob"),
        ("```\nopen @bob", "```\nopen @bob\n```"),
        ("> ~~~\n> open", "> ```\n> open\n> ```"),
        ("- [ ] ask @bob\n- [x] done", "- [ ] ask @\u200bbob\n- [x] done"),
        ("1. a\n2. b", "1. a\n2. b"),
        ("~~gone~~ **bold** _it_", "~~gone~~ **bold** _it_"),
        ("turn \u202eed", "turn ed"),
        ("a\r\nb\x00", "a\nb"),
        ("", ""),
        (" \n\t", ""),
    ],
)
def test_a_text_is_made_safe(text: str, safe: str) -> None:
    assert sanitise(text) == safe


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))",
        "[x]( DATA:text/html,1)",
        "[x]: javascript:alert(1)\n\n[x]",
        "[x](javascript\\:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](vbscript:x)",
        "<javascript:alert(1)>",
        "[x](java\tscript:alert(1))",
        "[x](//github.com/o/r/issues/1)",
        "[x](https:\\\\github.com/o)",
        "[x](https://github.com:443/o/r/pull/2)",
        "[x](https://a@github.com/o/r/pull/2)",
        "[x](http://[::1)",
        "[^1]\n\n[^1]: <script>alert(1)</script> @bob #1",
        "<a href='javascript:1'>x</a>",
        "<svg/onload=alert(1)>",
        "<a\nhref=x>",
        "<![CDATA[x]]>",
        "<?php x ?>",
        "| a |\n|---|\n| <b>@bob</b> #1 |",
    ],
)
def test_nothing_acts_whichever_way_it_is_written(text: str) -> None:
    safe = sanitise(text)
    assert is_inert(safe)
    assert sanitise(safe) == safe


def test_what_cannot_be_settled_is_code_and_the_rest_is_not() -> None:
    odd = "# x~~~# x~~~"
    assert sanitise(odd) == f"```\n{odd}\n```"
    assert sanitise(f"## Problem\n\n{odd}\n\nask @bob") == (
        f"## Problem\n\n```\n{odd}\n```\n\nask @\u200bbob"
    )


@pytest.mark.parametrize("text", ["a", "```", "~~~\n````\nx", "`" * 40, "\n\n"])
def test_a_text_as_code_is_one_block_of_it(text: str) -> None:
    made = as_code(text)
    assert is_inert(made)
    assert len(_RENDERER.parse(made)) == 1


_HOSTILE = {
    "quotations": "> " * 4000,
    "lists": "- " * 4000,
    "a list of many": "+ a\n" * 4000,
    "numbered": "1. " * 4000,
    "brackets": "[" * 100_000,
    "links": "[a](" * 20_000,
    "images": "![" * 40_000,
    "references": "[a]: b\n" * 10_000,
    "emphasis": "*a **a " * 8_000,
    "tags": "<a " * 20_000,
    "comments": "<!--" * 20_000,
    "cells": "|a" * 4000 + "\n" + "|-" * 4000 + "\n" + "a\n" * 4000,
    "fences": "```\n~~~\n" * 10_000,
    "backticks": "`a``b" * 20_000,
    "entities": "&#64;" * 20_000,
    "mentions": "@a " * 60_000,
    "a large text": "word and another\n" * 12_000,
    "indentation": "".join(" " * depth + "- a\n" for depth in range(0, 600, 2)),
}


@pytest.mark.parametrize("name", _HOSTILE)
def test_a_hostile_text_is_not_parsed_but_shown_as_code(name: str) -> None:
    text = _HOSTILE[name]
    assert not is_quickly_parsed(text)
    assert sanitise(text).startswith("`")
    assert is_inert(sanitise(text))
    assert sanitise(sanitise(text)) == sanitise(text)


@pytest.mark.parametrize("unit", ["[", "word [x](y) ", "**a** ", "> a\n", "a\n\n", "<b> ", "@a\n"])
def test_steps_within_paragraphs_of_one_length_grow_as_the_text_does(unit: str) -> None:
    paragraph = (unit * 40)[:200] + "\n\n"
    once = parsing_steps(paragraph * 10)
    assert parsing_steps(paragraph * 20) <= 2 * once + len(paragraph)


@pytest.mark.parametrize(
    "text",
    ["> > > deep @bob", "- a\n  - b\n    - c", "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 40],
)
def test_what_people_write_is_parsed(text: str) -> None:
    assert is_quickly_parsed(text)


@pytest.mark.parametrize(
    "text",
    [
        "\\`@bob`",
        "a ` b\nc ` @bob `",
        "| ` | a ` x ` @bob ` |\n|---|---|---|---|\n",
        "  ```\n```\n@bob\n```",
        "- ```\n```\n@bob\n",
        "    ```\n@bob",
        "> > ```\n> @bob",
        "> ```\n@bob",
        "``` a`b\n@bob\n```",
        "`` @bob `",
        "~~~\n```\n~~~\n@bob\n```",
        "````\n```\n````\n@bob",
        "<a title='`'>`@bob`",
        "<http://a`b> @bob `",
        "**x**@bob _@bob_",
        "@<!-- -->bob",
        "@<b></b>bob",
        "[`](x) @bob `",
        "1. ~~~\n~~~\n@bob #1",
        "\t```\n\t@bob\n@bob #12",
        "[^1]: ```\n@bob\n```",
    ],
)
def test_no_trick_with_code_makes_a_mention_active(text: str) -> None:
    assert _ACTIVE.search(_rendered_text(sanitise(text))) is None


_PIECES = st.sampled_from(
    [
        "@bob",
        "#12",
        "GH-3",
        "o/r#4",
        "`",
        "``",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "1. ",
        "    ",
        "<b>",
        "</b>",
        "<!--",
        "-->",
        "<",
        "&#64;",
        "&commat;",
        "&",
        "\\",
        "|",
        "![",
        "](",
        "[x]: ",
        "javascript:",
        "data:",
        ")",
        " ",
        "x",
        "\t",
        "*",
        "_",
        "\u200b",
        "https://github.com/o/r/issues/1",
    ]
)
_MARKDOWN = st.lists(_PIECES | st.text(max_size=3), max_size=25).map("".join)


@given(_MARKDOWN)
@settings(max_examples=500, deadline=None)  # the first text loads the parser
def test_doing_it_twice_changes_nothing_more(text: str) -> None:
    once = sanitise(text)
    assert sanitise(once) == once


@given(_MARKDOWN)
@settings(max_examples=500, deadline=None)  # the first text loads the parser
def test_nothing_active_is_left_in_what_is_rendered(text: str) -> None:
    safe = sanitise(text)
    html = _RENDERER.render(safe)
    assert _FORBIDDEN.search(html) is None
    assert _ACTIVE.search(_rendered_text(safe)) is None
    assert is_inert(safe)
