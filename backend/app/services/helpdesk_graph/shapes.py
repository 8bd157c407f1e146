"""The forms of models' answers, and what of an answer is taken.

The schema that a provider is shown holds what every provider understands: objects, texts, lists and
closed sets, all required. Lengths are ours to see to: what is too long is cut.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, create_model

from backend.app.core.text import clean, shorten
from backend.app.domain.redaction import redact

MAX_QUERY_CHARACTERS = 300
MAX_REASON_CHARACTERS = 200
MAX_QUESTION_CHARACTERS = 300
MAX_CHOICES = 4
MAX_CHOICE_CHARACTERS = 60
MAX_SOLUTION_CHARACTERS = 2000
MAX_SUMMARY_CHARACTERS = 1500


class Shape(BaseModel):
    """An answer's form."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})


class Decided(Shape):
    """The next step."""

    next_action: str
    query: str
    reason: str


class Asked(Shape):
    """A question to the person."""

    key: str
    question: str
    choices: list[str]


class Graded(Shape):
    """How the matter is graded."""

    severity: Literal["low", "medium", "high", "critical"]
    impact: Literal["Person", "Team", "Organisation"]
    category: Literal["access", "hardware", "software", "network", "email", "data", "other"]


class Solved(Shape):
    """A fix out of one of the numbered articles."""

    article: str
    steps: str


class Written(Shape):
    """A ticket's title and summary."""

    title: str
    summary: str


def _among(base: type[Any], field: str, values: Sequence[str]) -> Any:
    """The form with one field a closed set."""
    closed: Any = Literal[tuple(values)]
    make: Any = create_model  # its overloads know no field by a name in a variable
    return make(base.__name__, __base__=base, __doc__=base.__doc__, **{field: (closed, ...)})


def decided_among(actions: Sequence[str]) -> type[Decided]:
    """A decision for one of the actions."""
    form: type[Decided] = _among(Decided, "next_action", actions)
    return form


def asked_among(keys: Sequence[str]) -> type[Asked]:
    """A question about one of the keys."""
    form: type[Asked] = _among(Asked, "key", keys)
    return form


def solved_among(numbers: Sequence[str]) -> type[Solved]:
    """A fix out of one of the articles with these numbers."""
    form: type[Solved] = _among(Solved, "article", numbers)
    return form


def _whole(text: str) -> str:
    """Without half UTF-16 pairs, which JSON can hold and no database."""
    return text.encode("utf-8", "replace").decode("utf-8")


def line(text: str, limit: int) -> str:
    """A model's words in one line, without secrets and control characters, cut."""
    return shorten(redact(clean(_whole(text))).text, limit)


def block(text: str, limit: int) -> str:
    """A model's words in several lines, without secrets and control characters, cut at a line."""
    told = redact(clean(_whole(text))).text.strip()
    if len(told) <= limit:
        return told
    end = max(told.rfind("\n", limit // 2, limit), told.rfind(" ", limit // 2, limit))
    return f"{told[: end if end > 0 else limit - 1].rstrip()} …"
