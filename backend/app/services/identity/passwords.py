"""Hashing passwords with Argon2id, off the event loop and few at a time."""

import asyncio
from dataclasses import dataclass, field

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

#: A hash takes 64 MiB and a core for tens of milliseconds; more at once would starve everything
#: else.
_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Passwords:
    """Hashes and verifies; argon2-cffi's defaults are RFC 9106's low-memory profile."""

    _hasher: PasswordHasher = field(default_factory=PasswordHasher)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    async def hash(self, password: str) -> str:
        """The encoded hash, with its own salt and parameters."""
        async with self._slots:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def verify(self, encoded: str, password: str) -> bool:
        """Whether ``password`` is the one behind ``encoded``."""
        async with self._slots:
            return await asyncio.to_thread(self._matches, encoded, password)

    def _matches(self, encoded: str, password: str) -> bool:
        try:
            return self._hasher.verify(encoded, password)
        except (VerifyMismatchError, InvalidHashError):
            return False
