"""What the page tells of how it is used."""

from fastapi import APIRouter

from backend.app.api.deps import CurrentPrincipal, CurrentServices, SignedInRoute
from backend.app.schemas.telemetry import TelemetryBatch, TelemetryTaken

router = APIRouter(prefix="/api/telemetry", tags=["telemetry"], route_class=SignedInRoute)


@router.post("")
async def take_telemetry(
    body: TelemetryBatch, principal: CurrentPrincipal, services: CurrentServices
) -> TelemetryTaken:
    """Count what happened in the page. Names and properties are closed; there is no text."""
    told = [(event.name, event.detail()) for event in body.events]
    return TelemetryTaken(is_wanted=await services.telemetry.take(principal, told))
