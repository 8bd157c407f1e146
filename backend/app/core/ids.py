"""Identifiers and secrets as something handed in."""

import secrets
import uuid
from typing import Protocol


class IdSource(Protocol):
    """Where new ids and secrets come from."""

    def uuid(self) -> uuid.UUID:
        """A new id that nobody can guess (122 random bits)."""

    def secret(self) -> str:
        """A new secret: 256 random bits, URL-safe text of 43 characters."""


class RandomIds:
    """Ids and secrets from the operating system's random source."""

    def uuid(self) -> uuid.UUID:
        """A new random id."""
        return uuid.uuid4()

    def secret(self) -> str:
        """A new random secret."""
        return secrets.token_urlsafe(32)
