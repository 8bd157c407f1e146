"""What all wire models share."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict

from backend.app.core.text import clean, has_lone_surrogate


class WireModel(BaseModel):
    """A response model; reads a domain value's attributes."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


class RequestModel(BaseModel):
    """A request body; a field it does not know is an error rather than a silent nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _storable(value: str) -> str:
    if has_lone_surrogate(value):
        raise ValueError("holds half a character (a lone surrogate)")
    return clean(value)


def _on_one_line(value: str) -> str:
    line = " ".join(value.split())
    if not line:
        raise ValueError("holds nothing to read")
    return line


#: Text as it is stored: what UTF-8 and PostgreSQL can hold, without control characters.
StorableText = Annotated[str, AfterValidator(_storable)]
#: The same as a name or title: one line, and something on it.
StorableLine = Annotated[StorableText, AfterValidator(_on_one_line)]


class FieldProblem(WireModel):
    """What is wrong with one field of the request."""

    path: str
    message: str


class ErrorBody(WireModel):
    """Every refusal: a closed code for programs, a sentence for people."""

    error: str
    detail: str
    fields: list[FieldProblem] | None = None
    #: Of ``session_open``: the session that is.
    session_id: UUID | None = None
    #: Of ``draft_changed``: the draft as it would be filed now (``DraftPreview``).
    preview: dict[str, Any] | None = None
