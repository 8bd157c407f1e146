"""Duplicates and grades of any text, for operators and for measuring."""

from typing import Annotated

from pydantic import Field

from backend.app.domain.sessions import Impact, Severity
from backend.app.schemas.base import RequestModel, StorableText, WireModel
from backend.app.schemas.helpdesk import Candidate

#: As much as the largest report that is pasted in; its beginning counts.
MAX_TEXT_CHARACTERS = 200_000
Text = Annotated[StorableText, Field(min_length=1, max_length=MAX_TEXT_CHARACTERS)]


class DuplicatesRequest(RequestModel):
    """A text, best its title on the first line, and how many tickets to give."""

    text: Text
    k: Annotated[int, Field(ge=1, le=50)] = 5


class DuplicatesFound(WireModel):
    """The nearest tickets, best first. ``semantic``: whether there is a model of meaning."""

    items: list[Candidate]
    semantic: bool


class ClassifyRequest(RequestModel):
    """A text to be graded."""

    text: Text


class SeverityGrade(WireModel):
    """A severity and how sure it is."""

    value: Severity
    confidence: float


class ImpactGrade(WireModel):
    """An impact and how sure it is."""

    value: Impact
    confidence: float


class CategoryGrade(WireModel):
    """A category and how sure it is. ``model``: version of the fitted model whose label it is;
    None: one of the product's own, by rules.
    """

    value: str
    confidence: float
    model: int | None


class Grades(WireModel):
    """How a text is graded; confidences are 0 to 1."""

    severity: SeverityGrade
    impact: ImpactGrade
    category: CategoryGrade
