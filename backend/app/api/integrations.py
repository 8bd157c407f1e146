"""Where other systems report to. No session and no CSRF token: a delivery proves itself by its
signature.
"""

from typing import Annotated

from fastapi import APIRouter, Header, Request, Response

from backend.app.api.deps import CurrentServices

router = APIRouter(prefix="/api/integrations", tags=["integrations"])


@router.post("/github/webhook", status_code=204)
async def receive_github(
    request: Request,
    services: CurrentServices,
    event: Annotated[str, Header(alias="X-GitHub-Event", max_length=100)] = "",
    delivery: Annotated[str, Header(alias="X-GitHub-Delivery", max_length=100)] = "",
    signature: Annotated[str, Header(alias="X-Hub-Signature-256", max_length=100)] = "",
) -> Response:
    """A delivery of the repository's webhook; what does not concern tickets is ignored."""
    services.issue_watch.refuse_unless_set()
    body = await request.body()
    services.issue_watch.refuse_unsigned(body, signature)
    await services.issue_watch.take(event, delivery, body)
    return Response(status_code=204)
