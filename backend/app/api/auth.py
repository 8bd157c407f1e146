"""Signing in and out, one's own password and access tokens."""

from datetime import timedelta
from uuid import UUID

from fastapi import APIRouter, Request, Response

from backend.app.api.deps import (
    ClientSource,
    CurrentPrincipal,
    CurrentServices,
    SignedInRoute,
    cookie_name,
    refuse_foreign_origin,
    session_token,
)
from backend.app.core.settings import Settings
from backend.app.domain.principals import AccessTokenId, Credential
from backend.app.schemas.auth import (
    ChangePasswordRequest,
    CreatedToken,
    CreateTokenRequest,
    SignedIn,
    SignInRequest,
    TokenList,
    TokenSummary,
    User,
)
from backend.app.services.identity.secrets import csrf_token
from backend.app.services.identity.sign_in import Opened

public = APIRouter(prefix="/api/auth", tags=["auth"])
router = APIRouter(prefix="/api/auth", tags=["auth"], route_class=SignedInRoute)


def _signed_in(opened: Opened, response: Response, settings: Settings) -> SignedIn:
    response.set_cookie(
        cookie_name(settings),
        opened.token,
        max_age=int(settings.identity.session_max.total_seconds()),
        path="/",
        secure=settings.server.is_https,
        httponly=True,
        samesite="lax",
    )
    return SignedIn(
        user=User.model_validate(opened.user),
        csrf_token=csrf_token(opened.token),
        must_change_password=opened.user.must_change_password,
    )


@public.post("/login")
async def sign_in(
    body: SignInRequest,
    request: Request,
    response: Response,
    services: CurrentServices,
    source: ClientSource,
) -> SignedIn:
    """Sign in with user name and password; sets the session cookie."""
    refuse_foreign_origin(request)
    opened = await services.sign_in.with_password(body.username, body.password, source=source)
    return _signed_in(opened, response, services.settings)


@router.get("/me")
async def who_am_i(request: Request, principal: CurrentPrincipal) -> SignedIn:
    """Who is signed in."""
    token = session_token(request) if principal.credential is Credential.COOKIE else None
    return SignedIn(
        user=User.model_validate(principal.user),
        csrf_token=csrf_token(token) if token else None,
        must_change_password=principal.user.must_change_password,
    )


@router.post("/logout", status_code=204)
async def sign_out(
    request: Request, response: Response, principal: CurrentPrincipal, services: CurrentServices
) -> None:
    """End this browser session and clear its cookie."""
    if (token := session_token(request)) is not None:
        await services.sign_in.sign_out(principal, token)
    response.delete_cookie(
        cookie_name(services.settings),
        path="/",
        secure=services.settings.server.is_https,
        httponly=True,
        samesite="lax",
    )


@router.post("/password")
async def change_password(
    body: ChangePasswordRequest,
    response: Response,
    principal: CurrentPrincipal,
    services: CurrentServices,
    source: ClientSource,
) -> SignedIn:
    """Replace one's own password; every other browser session of the account ends."""
    opened = await services.sign_in.change_password(
        principal, body.current_password, body.new_password, source=source
    )
    return _signed_in(opened, response, services.settings)


@router.get("/tokens")
async def list_tokens(principal: CurrentPrincipal, services: CurrentServices) -> TokenList:
    """One's own access tokens, newest first."""
    tokens = await services.sign_in.tokens(principal)
    return TokenList(items=[TokenSummary.model_validate(token) for token in tokens])


@router.post("/tokens", status_code=201)
async def create_token(
    body: CreateTokenRequest, principal: CurrentPrincipal, services: CurrentServices
) -> CreatedToken:
    """Make an access token; its secret is in this answer and nowhere else."""
    lasts = timedelta(days=body.expires_in_days) if body.expires_in_days else None
    token, secret = await services.sign_in.create_token(principal.user_id, body.name, lasts=lasts)
    return CreatedToken(**TokenSummary.model_validate(token).model_dump(), token=secret)


@router.delete("/tokens/{token_id}", status_code=204)
async def revoke_token(
    token_id: UUID, principal: CurrentPrincipal, services: CurrentServices
) -> None:
    """Revoke one of one's own access tokens."""
    await services.sign_in.revoke_token(principal, AccessTokenId(token_id))
