"""Reading articles, the bad ones too."""

import json
import os
from pathlib import Path

import pytest

from backend.app.services.knowledge.reading import (
    UnreadableArticle,
    parse_markdown,
    read_folder,
    read_json_lines,
)

ARTICLE = """---
title: VPN is slow
tags: [vpn]
updated: 2026-10-14
questions:
  - why is my vpn slow
---

Restart it.
"""


def test_front_matter_is_read_and_taken_off_the_body() -> None:
    article = parse_markdown("vpn/slow", ARTICLE)

    assert article.key == "vpn/slow"
    assert article.title == "VPN is slow"
    assert article.body == "Restart it."
    assert article.tags == ("vpn",)
    assert article.questions == ("why is my vpn slow",)
    assert str(article.updated_on) == "2026-10-14"


def test_without_front_matter_the_first_heading_is_the_title() -> None:
    assert parse_markdown("a", "# Printing\n\nText").title == "Printing"
    assert parse_markdown("folder/notes", "Just text").title == "notes"


def test_windows_line_ends_and_a_byte_order_mark_are_no_obstacle() -> None:
    article = parse_markdown("a", "\ufeff" + ARTICLE.replace("\n", "\r\n"))

    assert (article.title, article.body) == ("VPN is slow", "Restart it.")


@pytest.mark.parametrize(
    "content",
    [
        "---\ntitle: [broken\n---\ntext",
        "---\n- a list\n---\ntext",
        "---\ntitle: x\ntags: one\n---\ntext",
        "---\ntitle: x\nupdated: soon\n---\ntext",
        "---\ntitle: x\n---\n",
        "---\ntitle: ''\n---\ntext",
        "---\ntitle: \x01\n---\ntext",
        "---\ntitle: x\nupdated: 2026-02-30\n---\ntext",
        "---\ntitle: x\nupdated: [2026-02-20]\n---\ntext",
        "---\ntitle: " + "[" * 3000 + "\n---\ntext",
        "---\ntitle: !!bool x\n---\ntext",
        "---\ntitle: !!timestamp x\n---\ntext",
        "---\ntitle: " + "x" * 301 + "\n---\ntext",
        "---\ntitle: x\ntags: [" + "y" * 81 + "]\n---\ntext",
        "---\ntitle: x\ntags: [" + "y, " * 51 + "]\n---\ntext",
        "---\ntitle: x\nquestions: [" + "y" * 501 + "]\n---\ntext",
        "---\ntitle: x\nquestions: [" + "y, " * 51 + "]\n---\ntext",
        "---\ntitle: x\nquestions: [{a: b}]\n---\ntext",
        "---\ntitle: x\nquestions: [0x" + "f" * 5000 + "]\n---\ntext",
        "x" * 500_001,
        "",
    ],
)
def test_an_unreadable_article_is_named(content: str) -> None:
    with pytest.raises(UnreadableArticle, match="broken-one"):
        parse_markdown("broken-one", content)


def test_a_folder_gives_its_files_by_path_without_hidden_ones_and_links(tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "mail" / "quota.md").write_text("Delete something.")
    (tmp_path / ".git" / "x.md").write_text("Not an article.")
    (tmp_path / "notes.txt").write_text("Not Markdown.")
    outside = tmp_path.parent / f"{tmp_path.name}-secret.md"
    outside.write_text("Elsewhere.")
    (tmp_path / "link.md").symlink_to(outside)

    assert [article.key for article in read_folder(tmp_path)] == ["mail/quota"]


def test_a_folder_that_is_none_and_a_file_that_is_not_utf8_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableArticle, match="not a folder"):
        list(read_folder(tmp_path / "nowhere"))
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    with pytest.raises(UnreadableArticle, match="not UTF-8"):
        list(read_folder(tmp_path))


def test_json_lines_give_an_article_each(tmp_path: Path) -> None:
    file = tmp_path / "kb.jsonl"
    file.write_text(
        json.dumps({"doc_id": "a", "title": "A", "text": "One.", "url": "ignored"})
        + "\n\n"
        + json.dumps({"id": 7, "title": "B", "body": "Two."})
    )

    assert [(one.key, one.title, one.body) for one in read_json_lines(file)] == [
        ("a", "A", "One."),
        ("7", "B", "Two."),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"title": "no key", "text": "x"}',
        '{"id": "a", "title": "no text"}',
        '{"id": "a", "title": 5, "text": "x"}',
        '{"id": "a", "title": "half", "text": "\\ud800"}',
        '{"id": "a", "title": "x", "text": "x", "tags": {}}',
        '{"id": "' + "a" * 9000 + '", "title": "x", "text": "x"}',
        '{"id": "", "title": "x", "text": "x"}',
        '{"id": 1' + "0" * 5000 + ', "title": "x", "text": "x"}',
        "[" * 100_000,
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "kb.jsonl"
    file.write_text('{"id": "ok", "title": "T", "text": "x"}\n' + line)

    with pytest.raises(UnreadableArticle, match="line 2"):
        list(read_json_lines(file))


def test_what_yaml_multiplies_is_refused_before_it_grows() -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 25)]
    content = "---\ntitle: x\n" + "\n".join(lines) + "\nquestions: [*a24]\n---\ntext"

    with pytest.raises(UnreadableArticle, match="bomb: the front matter is not valid YAML"):
        parse_markdown("bomb", content)


def test_a_key_that_is_too_long_or_no_unicode_is_refused() -> None:
    with pytest.raises(UnreadableArticle, match="id is longer"):
        parse_markdown("k" * 301, "text")
    with pytest.raises(UnreadableArticle, match=r"caf\?: id"):
        parse_markdown("caf\udce9", "---\ntitle: x\n---\ntext")


def test_a_byte_order_mark_in_json_lines_is_no_obstacle(tmp_path: Path) -> None:
    file = tmp_path / "kb.jsonl"
    file.write_text('\ufeff{"id": "a", "title": "A", "text": "One."}')

    assert [article.key for article in read_json_lines(file)] == ["a"]


def test_a_file_that_the_system_does_not_let_us_read_is_named(tmp_path: Path) -> None:
    # No rights matter to root; the memory of this process from address 0 on, nobody can read.
    with pytest.raises(UnreadableArticle, match="cannot be read"):
        list(read_json_lines(Path("/proc/self/mem")))
    closed = tmp_path / "closed.md"
    closed.write_text("text")
    closed.chmod(0)
    if os.geteuid() != 0:
        with pytest.raises(UnreadableArticle, match=r"closed\.md cannot be read"):
            list(read_folder(tmp_path))
