"""What a handler may ask for: the caller, a service, a header."""

from collections.abc import Callable, Coroutine
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Annotated, Any, Protocol, cast

from fastapi import Depends, Header, Request, Response
from fastapi.routing import APIRoute

from backend.app.core.errors import Forbidden
from backend.app.core.settings import Settings
from backend.app.domain.embeddings import Embeddings
from backend.app.domain.principals import Principal, Role
from backend.app.services.chat.exchanges import ChatExchanges
from backend.app.services.chat.sessions import ChatSessions
from backend.app.services.helpdesk.categories import Categories
from backend.app.services.helpdesk.duplicates import Duplicates
from backend.app.services.helpdesk.escalation import Escalation
from backend.app.services.helpdesk_graph.runner import HelpdeskRunner
from backend.app.services.helpdesk_graph.sessions import HelpdeskSessions
from backend.app.services.helpdesk_graph.switchboard import Switchboard
from backend.app.services.identity.secrets import ACCESS_TOKEN_PREFIX, is_csrf_token
from backend.app.services.identity.sign_in import SignIn, SignInRequired
from backend.app.services.knowledge.library import KnowledgeLibrary
from backend.app.services.telemetry import Telemetry
from backend.app.services.tickets.desk import TicketDesk
from backend.app.services.tickets.issues import IssueWatch

_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
#: What a person with a one-time password may do before choosing their own.
_WITH_ONE_TIME_PASSWORD = {"/api/auth/me", "/api/auth/logout", "/api/auth/password"}
_MAX_SECRET_CHARACTERS = 200


class Services(Protocol):
    """What the composition root hands to the edge."""

    settings: Settings
    sign_in: SignIn
    chat_sessions: ChatSessions
    exchanges: ChatExchanges
    library: KnowledgeLibrary
    agent: HelpdeskRunner
    agent_sessions: HelpdeskSessions
    tickets: TicketDesk
    escalation: Escalation
    switchboard: Switchboard
    issue_watch: IssueWatch
    duplicates: Duplicates
    categories: Categories
    embeddings: Embeddings
    telemetry: Telemetry

    async def database_answers(self) -> bool:
        """Whether the database answers in time."""

    async def metrics_page(self) -> tuple[bytes, str]:
        """The text of a scrape and its content type."""


class CsrfTokenMissing(Forbidden):
    """The request lacks the page's X-CSRF-Token; reload the page."""


class ForeignOrigin(Forbidden):
    """The request comes from another site."""


class OperatorRoleNeeded(Forbidden):
    """Only operators may do this."""


class PasswordChangeRequired(Forbidden):
    """Choose a password of your own first."""


def services(request: Request) -> Services:
    """The running application's services."""
    return cast(Services, request.app.state.services)


def cookie_name(settings: Settings) -> str:
    """The session cookie's name; the prefix lets no other site or path set it, and needs HTTPS."""
    return "__Host-helpdesk_session" if settings.server.is_https else "helpdesk_session"


def session_token(request: Request) -> str | None:
    """The browser session's secret, as the cookie carries it."""
    token = request.cookies.get(cookie_name(services(request).settings))
    return token if token and len(token) <= _MAX_SECRET_CHARACTERS else None


def client_source(request: Request) -> str:
    """Where a request comes from, for counting; a proxy is believed only when it is a trusted one.

    A whole IPv6 /64 is one source: whoever has one address of it has all.
    """
    peer = request.client.host if request.client else "local"
    trusted = services(request).settings.server.trusted_proxies
    # Each proxy may add a line of its own: all of them count, in order.
    forwarded = ",".join(request.headers.getlist("x-forwarded-for"))
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
    while hops and (address := _address(peer)) and any(address in network for network in trusted):
        peer = hops.pop()
    address = _address(peer)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address or peer)[:64]


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """The address in ``1.2.3.4``, ``1.2.3.4:5678``, ``::1`` or ``[::1]:5678``."""
    bare = text[1:].partition("]")[0] if text.startswith("[") else text
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        address = ip_address(bare)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def refuse_foreign_origin(request: Request) -> None:
    """Raise `ForeignOrigin` when a browser says that another site made the request."""
    origin = request.headers.get("origin")
    if origin is None:
        if request.headers.get("sec-fetch-site") in {"cross-site", "same-site"}:
            raise ForeignOrigin
        return
    public = services(request).settings.server.public_url
    own = {f"http://{request.headers.get('host', '')}"} if public is None else {public}
    if origin.lower() not in own:
        raise ForeignOrigin


async def authenticate(request: Request) -> Principal:
    """Who makes this request: by access token when one is sent, else by the browser's session.

    Raises:
        SignInRequired: nobody, or no longer.
        ForeignOrigin, CsrfTokenMissing: a change by cookie that the page itself did not make.
        PasswordChangeRequired: the account still has a one-time password.
    """
    sign_in = services(request).sign_in
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        is_ours = secret.startswith(ACCESS_TOKEN_PREFIX) and len(secret) <= _MAX_SECRET_CHARACTERS
        principal = await sign_in.by_access_token(secret) if is_ours else None
    else:
        principal = await _by_cookie(request, sign_in)
    if principal is None:
        raise SignInRequired
    if principal.user.must_change_password and request.url.path not in _WITH_ONE_TIME_PASSWORD:
        raise PasswordChangeRequired
    return principal


async def _by_cookie(request: Request, sign_in: SignIn) -> Principal | None:
    token = session_token(request)
    principal = await sign_in.by_session(token) if token else None
    if principal is not None and token is not None and request.method not in _SAFE_METHODS:
        refuse_foreign_origin(request)
        if not is_csrf_token(request.headers.get("x-csrf-token", ""), token):
            raise CsrfTokenMissing
    return principal


class SignedInRoute(APIRoute):
    """A route that first asks who is there: before the body is read, so that a stranger learns
    nothing from it.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The framework's handler behind `authenticate`."""
        handle = super().get_route_handler()

        async def handle_signed_in(request: Request) -> Response:
            request.state.principal = await authenticate(request)
            return await handle(request)

        return handle_signed_in


class OperatorRoute(SignedInRoute):
    """A route for operators and above; anybody else learns nothing from the body either."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The framework's handler behind `authenticate` and the role."""
        handle = APIRoute.get_route_handler(self)

        async def handle_operators(request: Request) -> Response:
            principal = await authenticate(request)
            if not principal.role.includes(Role.OPERATOR):
                raise OperatorRoleNeeded
            request.state.principal = principal
            return await handle(request)

        return handle_operators


# FastAPI runs a dependency that is no coroutine in a thread of its own, which costs more than all
# that these do.
async def _services(request: Request) -> Services:
    return services(request)


async def _client_source(request: Request) -> str:
    return client_source(request)


async def _principal(request: Request) -> Principal:
    return cast(Principal, request.state.principal)


async def _idempotency_key(
    idempotency_key: Annotated[
        str | None, Header(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_-]+$")
    ] = None,
) -> str | None:
    return idempotency_key


CurrentPrincipal = Annotated[Principal, Depends(_principal)]
CurrentServices = Annotated[Services, Depends(_services)]
ClientSource = Annotated[str, Depends(_client_source)]
IdempotencyKey = Annotated[str | None, Depends(_idempotency_key)]
