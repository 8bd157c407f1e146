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
#: A database index takes keys of some 2,700 bytes at most.
MAX_KEY_CHARACTERS = 300
MAX_TITLE_CHARACTERS = 300
MAX_TAGS, MAX_TAG_CHARACTERS = 50, 80
MAX_QUESTIONS, MAX_QUESTION_CHARACTERS = 50, 500


class UnreadableArticle(Invalid):
    """An article cannot be read; nothing was imported."""


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases, by which a few lines can stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


#: What PyYAML raises besides its own errors: impossible dates, tags on values they do not fit,
#: nesting without end.
_YAML_ERRORS = (
    yaml.YAMLError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)


def _text(value: Any, where: str, field: str, *, longest: int) -> str:
    if not isinstance(value, str):
        raise UnreadableArticle(f"{where}: {field} must be text and not empty.")
    if text.has_lone_surrogate(value):
        raise UnreadableArticle(f"{where}: {field} is not valid Unicode.")
    cleaned = text.clean(value).strip()
    if not cleaned:
        raise UnreadableArticle(f"{where}: {field} must be text and not empty.")
    if len(cleaned) > longest:
        raise UnreadableArticle(f"{where}: {field} is longer than {longest:,} characters.")
    return cleaned


def _scalar(value: Any, where: str, field: str) -> str:
    """A value that YAML or JSON read as something else than text, as text again."""
    if not isinstance(value, (str, int, float, date)):
        raise UnreadableArticle(f"{where}: {field} must be text.")
    try:
        return str(value)
    except ValueError as error:  # a whole number of thousands of digits
        raise UnreadableArticle(f"{where}: {field} must be text.") from error


def _texts(value: Any, where: str, field: str, *, most: int, longest: int) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise UnreadableArticle(f"{where}: {field} must be a list.")
    if len(value) > most:
        raise UnreadableArticle(f"{where}: {field} has more than {most} entries.")
    return tuple(
        _text(_scalar(item, where, field), where, field, longest=longest) for item in value
    )


def _date(value: Any, where: str) -> date | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(_scalar(value, where, "updated")[:10])
    except ValueError as error:
        raise UnreadableArticle(f"{where}: updated must be a date like 2026-10-14.") from error


def _article(key: str, fields: dict[str, Any], body: Any, where: str) -> ArticleSource:
    return ArticleSource(
        key=_text(key, where, "id", longest=MAX_KEY_CHARACTERS),
        title=_text(fields.get("title"), where, "title", longest=MAX_TITLE_CHARACTERS),
        body=_text(body, where, "the text", longest=MAX_ARTICLE_CHARACTERS),
        tags=_texts(fields.get("tags"), where, "tags", most=MAX_TAGS, longest=MAX_TAG_CHARACTERS),
        questions=_texts(
            fields.get("questions"),
            where,
            "questions",
            most=MAX_QUESTIONS,
            longest=MAX_QUESTION_CHARACTERS,
        ),
        updated_on=_date(fields.get("updated"), where),
    )


def parse_markdown(key: str, content: str) -> ArticleSource:
    """An article from Markdown with front matter; without a title there, the first heading or the
    key serves.
    """
    where = key.encode(errors="replace").decode()  # a file's name need not be valid Unicode
    fields: dict[str, Any] = {}
    body = content.replace("\r\n", "\n").removeprefix("\ufeff")
    if body.startswith("---\n") and "\n---" in body[4:]:
        front, _, rest = body[4:].partition("\n---")
        body = rest.partition("\n")[2]
        try:
            loaded = yaml.load(front, Loader=_PlainLoader)  # noqa: S506 - it is a SafeLoader
        except _YAML_ERRORS as error:
            raise UnreadableArticle(f"{where}: the front matter is not valid YAML.") from error
        if not isinstance(loaded, dict):
            raise UnreadableArticle(f"{where}: the front matter must hold fields.")
        fields = loaded
    if "title" not in fields:
        first = body.lstrip().partition("\n")[0]
        title = first.lstrip("# ") if first.startswith("# ") else key.rpartition("/")[2]
        fields["title"] = text.shorten(title, MAX_TITLE_CHARACTERS)
    return _article(key, fields, body, where)


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
        except OSError as error:
            raise UnreadableArticle(f"{relative} cannot be read: {error.strerror}.") from error
        yield parse_markdown(relative.with_suffix("").as_posix(), content)


def read_json_lines(path: Path) -> Iterator[ArticleSource]:
    """An article per line: ``title`` and ``text`` (or ``body``), with ``id`` or ``doc_id`` as key;
    the rest optional.
    """
    if not path.is_file():
        raise UnreadableArticle(f"{path} is not a file.")
    try:
        # Signed or not: some programs put a byte order mark in front.
        with path.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _parse_line(line, f"line {number}")
    except OSError as error:
        raise UnreadableArticle(f"{path} cannot be read: {error.strerror}.") from error


def _parse_line(line: str, where: str) -> ArticleSource:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableArticle(f"{where} is not valid JSON.") from error
    if not isinstance(fields, dict):
        raise UnreadableArticle(f"{where} must be an object.")
    key = fields.get("id", fields.get("doc_id", fields.get("key")))
    if not isinstance(key, (str, int)):
        raise UnreadableArticle(f"{where}: id must be given.")
    return _article(str(key), fields, fields.get("text", fields.get("body")), where)
