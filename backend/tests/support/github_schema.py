"""The few fields of GitHub's issues that matter here, as a schema of our own.

Written from GitHub's published description; the whole of it is checked against in
``tests/bench/test_github_contract.py``, where it is at hand.
"""

from typing import Any

import jsonschema

_TEXT = {"type": "string"}
_USER = {
    "type": "object",
    "required": ["login", "id", "type"],
    "properties": {"login": _TEXT, "id": {"type": "integer"}, "type": _TEXT},
}
ISSUE: dict[str, Any] = {
    "type": "object",
    "required": [
        *("id", "number", "title", "state", "user", "labels", "html_url", "repository_url"),
        *("created_at", "updated_at", "closed_at", "comments", "locked"),
    ],
    "properties": {
        "id": {"type": "integer"},
        "number": {"type": "integer", "minimum": 1},
        "title": _TEXT,
        "body": {"type": ["string", "null"]},
        "state": {"enum": ["open", "closed"]},
        "user": _USER,
        "labels": {"type": "array"},
        "html_url": {"type": "string", "pattern": "^https?://"},
        "repository_url": {"type": "string", "pattern": "/repos/[^/]+/[^/]+$"},
        "created_at": {"type": "string", "pattern": "^[0-9-]+T[0-9:]+Z$"},
        "updated_at": {"type": "string", "pattern": "^[0-9-]+T[0-9:]+Z$"},
        "closed_at": {"type": ["string", "null"]},
        "comments": {"type": "integer"},
        "locked": {"type": "boolean"},
    },
}
NEW_ISSUE: dict[str, Any] = {
    "type": "object",
    "required": ["title"],
    "additionalProperties": False,
    "properties": {
        "title": {"type": "string", "minLength": 1, "maxLength": 256},
        "body": {"type": "string", "maxLength": 65536},
        "labels": {"type": "array", "items": _TEXT},
    },
}
FOUND: dict[str, Any] = {
    "type": "object",
    "required": ["total_count", "incomplete_results", "search_type", "items"],
    "properties": {
        "total_count": {"type": "integer"},
        "incomplete_results": {"type": "boolean"},
        "items": {
            "type": "array",
            "items": {"allOf": [ISSUE, {"type": "object", "required": ["score"]}]},
        },
    },
}
PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["message", "documentation_url"],
    "properties": {"message": _TEXT, "documentation_url": _TEXT},
}
REPOSITORY: dict[str, Any] = {
    "type": "object",
    "required": ["id", "full_name", "private"],
    "properties": {"id": {"type": "integer"}, "full_name": _TEXT, "private": {"type": "boolean"}},
}
_ANSWERS = {
    "create": ISSUE,
    "list": {"type": "array", "items": ISSUE},
    "search": FOUND,
    "repository": REPOSITORY,
}
_QUERIES = {
    "create": set(),
    "get": set(),
    "repository": set(),
    "list": {"state", "sort", "direction", "since", "per_page", "page"},
    "search": {"q", "sort", "order", "per_page", "page", "advanced_search"},
}


def check_request(call: str, query: dict[str, str], body: Any) -> None:
    """Raise unless GitHub takes this request."""
    assert query.keys() <= _QUERIES[call], query
    assert 1 <= int(query.get("per_page", 30)) <= 100
    if call == "create":
        jsonschema.validate(body, NEW_ISSUE)
    if call == "search":
        assert 0 < len(query["q"]) <= 256


def check_answer(call: str, status: int, body: Any) -> None:
    """Raise unless GitHub answers like this."""
    if status in {200, 201}:
        jsonschema.validate(body, _ANSWERS.get(call, ISSUE))
    elif status >= 400:
        jsonschema.validate(body, PROBLEM)
