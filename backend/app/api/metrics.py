"""Metrics for Prometheus: from this machine, or with the scrape token."""

import hmac
from ipaddress import ip_address

from fastapi import APIRouter, Request, Response

from backend.app.api.deps import CurrentServices, Services
from backend.app.core.errors import NotFound

router = APIRouter(tags=["metrics"])

_FORWARDING = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


def _may_scrape(request: Request, services: Services) -> bool:
    token = services.settings.observability.metrics_token
    if token is not None:
        presented = request.headers.get("authorization", "").removeprefix("Bearer ")
        return hmac.compare_digest(
            presented.encode("utf-8", "replace"), token.get_secret_value().encode()
        )
    has_proxy = bool(
        services.settings.server.trusted_proxies or services.settings.server.public_url
    )
    if has_proxy or any(name in request.headers for name in _FORWARDING):
        return False
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False


@router.get("/metrics", include_in_schema=False)
async def scrape(request: Request, services: CurrentServices) -> Response:
    """Counters and timings in the Prometheus text format; whoever may not read them finds nothing
    here.
    """
    if not _may_scrape(request, services):
        raise NotFound
    page, content_type = await services.metrics_page()
    return Response(page, media_type=content_type)
