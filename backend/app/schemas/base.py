"""What all wire models share."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from backend.app.core.text import has_lone_surrogate


class WireModel(BaseModel):
    """A response model; reads a domain value's attributes."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


class RequestModel(BaseModel):
    """A request body; a field it does not know is an error rather than a silent nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _storable(value: str) -> str:
    if has_lone_surrogate(value):
        raise ValueError("holds half a character (a lone surrogate)")
    return value


#: Text that UTF-8 can hold.
StorableText = Annotated[str, AfterValidator(_storable)]


class FieldProblem(WireModel):
    """What is wrong with one field of the request."""

    path: str
    message: str


class ErrorBody(WireModel):
    """Every refusal: a closed code for programs, a sentence for people."""

    error: str
    detail: str
    fields: list[FieldProblem] | None = None
