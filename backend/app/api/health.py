"""Health, for people, load balancers and container engines. No sign-in."""

from fastapi import APIRouter, Request, Response

from backend.app import __version__
from backend.app.api.deps import CurrentServices
from backend.app.schemas.health import HealthReport, Liveness

router = APIRouter(prefix="/api/health", tags=["health"])


@router.get("", responses={503: {"model": HealthReport}})
async def report_health(
    request: Request, response: Response, services: CurrentServices
) -> HealthReport:
    """Whether the helpdesk can serve people: 200, or 503 while the database is away."""
    is_ready = await services.database_answers()
    response.status_code = 200 if is_ready else 503
    word = "ok" if is_ready else "unavailable"
    return HealthReport.model_validate(
        {
            "status": word,
            "version": __version__,
            "database": word,
            "ui": request.app.state.ui,
            "semantic": "on" if services.embeddings.missing is None else "off",
        }
    )


@router.get("/live")
async def report_liveness() -> Liveness:
    """The process answers, whatever the database does."""
    return Liveness(status="ok")
