"""Duplicates and grades of any text, for operators."""

from fastapi import APIRouter

from backend.app.api.deps import CurrentPrincipal, CurrentServices, OperatorRoute
from backend.app.schemas.helpdesk import Candidate
from backend.app.schemas.triage import (
    CategoryGrade,
    ClassifyRequest,
    DuplicatesFound,
    DuplicatesRequest,
    Grades,
    ImpactGrade,
    SeverityGrade,
)

router = APIRouter(prefix="/api/helpdesk", tags=["helpdesk"], route_class=OperatorRoute)


@router.post("/duplicates")
async def find_duplicates(
    body: DuplicatesRequest, principal: CurrentPrincipal, services: CurrentServices
) -> DuplicatesFound:
    """Tickets that may be about the same as a text, whoever requested them."""
    found = await services.duplicates.search(
        body.text, principal.user_id, everybodys=True, limit=body.k
    )
    return DuplicatesFound(
        items=[Candidate.model_validate(one) for one in found],
        semantic=services.embeddings.missing is None,
    )


@router.post("/classify")
async def classify_text(body: ClassifyRequest, services: CurrentServices) -> Grades:
    """How a text is graded: severity, impact, category, each with a confidence."""
    found = await services.categories.classify(body.text, {})
    graded = found.graded
    return Grades(
        severity=SeverityGrade(
            value=graded.classification.severity, confidence=graded.severity_confidence
        ),
        impact=ImpactGrade(value=graded.classification.impact, confidence=graded.impact_confidence),
        category=CategoryGrade(
            value=found.category,
            confidence=round(found.category_confidence, 4),
            model=found.model,
        ),
    )
