"""What is posted acts on nobody."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from backend.app.services.helpdesk.sanitising import sanitise

_RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")
_CODE = re.compile(r"<(pre|code)[^>]*>.*?</(?:pre|code)>", re.DOTALL)
#: A mention, a reference or a link to an issue as the tracker would take it from rendered text.
_ACTIVE = re.compile(
    r"(?<![A-Za-z0-9])@[A-Za-z0-9]|#\d|(?<![A-Za-z0-9])GH-\d|(?<!redirect\.)github\.com/[\w.-]+/[\w.-]+/issues/",
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
        ("a <!-- hidden --> b", "a &lt;!-- hidden --> b"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("ask @bob", "ask @\u200bbob"),
        ("mail bob@example.com", "mail bob@example.com"),
        ("see #12 and o/r#3 and GH-4", "see #\u200b12 and o/r#\u200b3 and GH-\u200b4"),
        ("# 12 heading", "# 12 heading"),
        ("&#64;bob &commat;bob", "&amp;#\u200b64;bob &amp;commat;bob"),
        ("![pixel](http://x/y.png)", "!\u200b[pixel](http://x/y.png)"),
        ("[x](javascript:alert(1))", "[x](javascript\u200b:alert(1))"),
        ("[x]( DATA:text/html,1)", "[x]( DATA\u200b:text/html,1)"),
        ("[x]: javascript:alert(1)", "[x]: javascript\u200b:alert(1)"),
        ("[x](javascript\\:alert(1))", "[x](javascript\u200b\\:alert(1))"),
        ("[ok](https://example.com)", "[ok](https://example.com)"),
        ("data: what the report shows", "data: what the report shows"),
        ("https://github.com/o/r/issues/1", "https://redirect.github.com/o/r/issues/1"),
        ("run `npm i @scope/x #1 <y>`", "run `npm i @scope/x #1 <y>`"),
        ("```\n@bob #1 <b>\n```", "```\n@bob #1 <b>\n```"),
        ("> ```\n> @bob\n> ```\nthen @bob", "> ```\n> @bob\n> ```\nthen @\u200bbob"),
        ("```\nopen @bob", "```\nopen @bob\n```"),
        ("> ~~~\n> open", "> ~~~\n> open\n> ~~~"),
        ("turn \u202eed", "turn ed"),
    ],
)
def test_a_text_is_made_safe(text: str, safe: str) -> None:
    assert sanitise(text) == safe


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
@settings(max_examples=500)
def test_doing_it_twice_changes_nothing_more(text: str) -> None:
    once = sanitise(text)
    assert sanitise(once) == once


@given(_MARKDOWN)
@settings(max_examples=500)
def test_nothing_active_is_left_in_what_is_rendered(text: str) -> None:
    safe = sanitise(text)
    html = _RENDERER.render(safe)
    assert _FORBIDDEN.search(html) is None
    assert _ACTIVE.search(_rendered_text(safe)) is None
