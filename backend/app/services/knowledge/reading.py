"""Reading articles from a folder of Markdown files or from a file of JSON lines."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from backend.app.core import text
from backend.app.core.errors import Invalid
from backend.app.domain.knowledge import ArticleSource

MAX_ARTICLE_CHARACTERS = 500_000


class UnreadableArticle(Invalid):
    """An article cannot be read; nothing was imported."""


def _text(value: Any, where: str, field: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UnreadableArticle(f"{where}: {field} must be text and not empty.")
    if text.has_lone_surrogate(value):
        raise UnreadableArticle(f"{where}: {field} is not valid Unicode.")
    if len(value) > MAX_ARTICLE_CHARACTERS:
        raise UnreadableArticle(
            f"{where}: {field} is longer than {MAX_ARTICLE_CHARACTERS} characters."
        )
    return text.clean(value).strip()


def _texts(value: Any, where: str, field: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise UnreadableArticle(f"{where}: {field} must be a list.")
    return tuple(_text(str(item), where, field) for item in value)


def _date(value: Any, where: str) -> date | None:
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError as error:
        raise UnreadableArticle(f"{where}: updated must be a date like 2026-10-14.") from error


def _article(key: str, fields: dict[str, Any], body: Any, where: str) -> ArticleSource:
    return ArticleSource(
        key=key,
        title=_text(fields.get("title"), where, "title"),
        body=_text(body, where, "the text"),
        tags=_texts(fields.get("tags"), where, "tags"),
        questions=_texts(fields.get("questions"), where, "questions"),
        updated_on=_date(fields.get("updated"), where),
    )


def parse_markdown(key: str, content: str) -> ArticleSource:
    """An article from Markdown with front matter; without a title there, the first heading or the
    key serves.
    """
    fields: dict[str, Any] = {}
    body = content.replace("\r\n", "\n").removeprefix("\ufeff")
    if body.startswith("---\n") and "\n---" in body[4:]:
        front, _, rest = body[4:].partition("\n---")
        body = rest.partition("\n")[2]
        try:
            loaded = yaml.safe_load(front)
        except yaml.YAMLError as error:
            raise UnreadableArticle(f"{key}: the front matter is not valid YAML.") from error
        if not isinstance(loaded, dict):
            raise UnreadableArticle(f"{key}: the front matter must hold fields.")
        fields = loaded
    if "title" not in fields:
        first = body.lstrip().partition("\n")[0]
        fields["title"] = first.lstrip("# ") if first.startswith("# ") else key.rpartition("/")[2]
    return _article(key, fields, body, key)


def read_folder(folder: Path) -> Iterator[ArticleSource]:
    """Every ``*.md`` file below ``folder``, keyed by its path without suffix. Hidden files and
    symlinks are left out.
    """
    if not folder.is_dir():
        raise UnreadableArticle(f"{folder} is not a folder.")
    for path in sorted(folder.rglob("*.md")):
        relative = path.relative_to(folder)
        if (
            path.is_symlink()
            or any(part.startswith(".") for part in relative.parts)
            or not path.is_file()
        ):
            continue
        try:
            content = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise UnreadableArticle(f"{relative} is not UTF-8.") from error
        yield parse_markdown(relative.with_suffix("").as_posix(), content)


def read_json_lines(path: Path) -> Iterator[ArticleSource]:
    """An article per line: ``title`` and ``text`` (or ``body``), with ``id`` or ``doc_id`` as key;
    the rest optional.
    """
    if not path.is_file():
        raise UnreadableArticle(f"{path} is not a file.")
    with path.open(encoding="utf-8", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _parse_line(line, f"line {number}")


def _parse_line(line: str, where: str) -> ArticleSource:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableArticle(f"{where} is not valid JSON.") from error
    if not isinstance(fields, dict):
        raise UnreadableArticle(f"{where} must be an object.")
    key = fields.get("id", fields.get("doc_id", fields.get("key")))
    if not isinstance(key, (str, int)) or not str(key):
        raise UnreadableArticle(f"{where}: id must be given.")
    return _article(
        _text(str(key), where, "id"), fields, fields.get("text", fields.get("body")), where
    )
