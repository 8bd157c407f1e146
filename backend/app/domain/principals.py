"""Who is asking: accounts, roles, and the authority a signed-in identity carries."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from uuid import UUID

UserId = NewType("UserId", UUID)
SessionTokenHash = NewType("SessionTokenHash", bytes)
AccessTokenId = NewType("AccessTokenId", UUID)


class Role(StrEnum):
    """What a person may do; each role includes the ones before it."""

    REQUESTER = "requester"
    OPERATOR = "operator"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        """Whether this role may do all that ``other`` may."""
        order = list(Role)
        return order.index(self) >= order.index(other)


class Credential(StrEnum):
    """How a request proved who it is from."""

    COOKIE = "cookie"
    ACCESS_TOKEN = "access_token"  # noqa: S105 -- a word, not a secret


@dataclass(frozen=True, slots=True)
class User:
    """An account. Its password hash stays in the database."""

    id: UserId
    username: str
    display_name: str
    role: Role
    is_active: bool
    must_change_password: bool
    created_at: datetime
    is_demo: bool = False


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated identity: the account as it is now, and how it proved itself."""

    user: User
    credential: Credential

    @property
    def user_id(self) -> UserId:
        """The account's id, by which rows are owned."""
        return self.user.id

    @property
    def role(self) -> Role:
        """The account's role at this moment."""
        return self.user.role


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A personal access token without its secret; ``prefix`` helps its owner to tell it from
    others.
    """

    id: AccessTokenId
    user_id: UserId
    name: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None


def user_id_hash(user_id: object) -> str:
    """A person's name in lines that must not name them."""
    return hashlib.sha256(str(user_id).encode()).hexdigest()[:16]


USERNAME_PATTERN = r"^[a-z0-9](?:[a-z0-9._@-]{0,78}[a-z0-9])?$"
PASSWORD_MIN_LENGTH = 12
PASSWORD_MAX_LENGTH = 256


def normalise_username(text: str) -> str:
    """The one spelling under which an account is stored and looked up."""
    return text.strip().lower()


def password_weakness(password: str, username: str) -> str | None:
    """Why ``password`` is refused, as a sentence, or None when it will do.

    Length is what protects; composition rules only move people to predictable passwords (NIST SP
    800-63B, 5.1.1.2).
    """
    if not PASSWORD_MIN_LENGTH <= len(password) <= PASSWORD_MAX_LENGTH:
        bounds = f"{PASSWORD_MIN_LENGTH} to {PASSWORD_MAX_LENGTH}"
        return f"Use {bounds} characters; a few words make a good password."
    if len(set(password)) < 5:
        return "Use more than a handful of different characters."
    if len(username) > 3 and username in password.lower():
        return "The password must not contain the user name."
    return None
