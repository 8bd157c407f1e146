"""Sign-in, accounts and access tokens on the wire."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from backend.app.domain.principals import Role
from backend.app.schemas.base import RequestModel, StorableLine, StorableText, WireModel


class User(WireModel):
    """An account as others may see it."""

    id: UUID
    username: str
    display_name: str
    role: Role


class SignInRequest(RequestModel):
    """User name and password as typed."""

    username: Annotated[StorableText, Field(min_length=1, max_length=200)]
    password: Annotated[StorableText, Field(min_length=1, max_length=1024)]


class SignedIn(WireModel):
    """Who is signed in. ``csrf_token`` goes into ``X-CSRF-Token`` of every change; null with an
    access token.
    """

    user: User
    csrf_token: str | None
    must_change_password: bool


class ChangePasswordRequest(RequestModel):
    """The present password and the one to take its place."""

    current_password: Annotated[StorableText, Field(min_length=1, max_length=1024)]
    new_password: Annotated[StorableText, Field(min_length=1, max_length=1024)]


class TokenSummary(WireModel):
    """An access token without its secret."""

    id: UUID
    name: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None


class TokenList(WireModel):
    """One's own access tokens, newest first."""

    items: list[TokenSummary]


class CreateTokenRequest(RequestModel):
    """A name to know the token by, and when it ends (never, when left out)."""

    name: Annotated[StorableLine, Field(min_length=1, max_length=80)]
    expires_in_days: Annotated[int, Field(ge=1, le=366)] | None = None


class CreatedToken(TokenSummary):
    """A new access token with its secret, shown this once."""

    token: str
