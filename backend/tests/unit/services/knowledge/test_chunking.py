"""Cutting articles without losing where a piece stands."""

from hypothesis import given
from hypothesis import strategies as st

from backend.app.core.text import clean
from backend.app.services.knowledge.chunking import MAX_CHUNK_CHARACTERS, blocks, chunks

BODY = """Opening words of the article.

## On Windows

1. Open **Settings**.
2. Type `ping`:

   ```
   ping 10.0.0.1
   ```
3. Wait.

### A table

| Code | Meaning |
|------|---------|
| 403  | no      |

## On macOS

Text with 😀 and ü.

```sh
networksetup -listall
```
"""


def test_blocks_are_paragraphs_items_tables_and_code_under_their_headings() -> None:
    found = [(block.heading, BODY[block.start : block.end]) for block in blocks(BODY)]

    assert found == [
        ("", "Opening words of the article."),
        ("On Windows", "1. Open **Settings**."),
        ("On Windows", "2. Type `ping`:\n\n   ```\n   ping 10.0.0.1\n   ```"),
        ("On Windows", "3. Wait."),
        ("On Windows › A table", "| Code | Meaning |\n|------|---------|\n| 403  | no      |"),
        ("On macOS", "Text with 😀 and ü."),
        ("On macOS", "```sh\nnetworksetup -listall\n```"),
    ]


def test_a_chunk_is_what_stands_under_one_heading() -> None:
    assert [chunk.heading for chunk in chunks(BODY)] == [
        "",
        "On Windows",
        "On Windows › A table",
        "On macOS",
    ]


def test_a_long_section_is_cut_between_blocks() -> None:
    body = "\n\n".join(f"Paragraph {number} " + "word " * 60 for number in range(20))
    cut = chunks(body)

    assert len(cut) > 1
    assert all(chunk.end - chunk.start <= MAX_CHUNK_CHARACTERS for chunk in cut)
    assert "".join(body[chunk.start : chunk.end] for chunk in cut).count("Paragraph") == 20


_MARKDOWN = st.lists(
    st.sampled_from(
        [
            *("# Head\n", "## Sub\n", "Setext\n===\n", "para ü 😀\n", "\n", "- item\n"),
            *("  - nested\n", "1. one\n", "   more\n", "```\ncode\n", "```\n", "> quote\n"),
            *("| a | b |\n|---|---|\n| 1 | 2 |\n", "    indented\n", "<div>\n", "\t\n"),
            *("---\n", "[x](http://y)\n", "* * *\n"),
        ]
    ),
    max_size=25,
).map("".join)


@given(_MARKDOWN)
def test_blocks_stand_in_order_apart_and_inside_the_body(body: str) -> None:
    end = 0
    for block in blocks(body):
        assert end <= block.start < block.end <= len(body)
        assert body[block.start : block.end] == body[block.start : block.end].strip()
        end = block.end


@given(st.text(max_size=400).map(clean))
def test_any_text_can_be_cut(body: str) -> None:
    assert all(body[chunk.start : chunk.end].strip() for chunk in chunks(body))
