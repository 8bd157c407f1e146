"""Every way the application refuses, in one family.

    AppError
    ├── Invalid          the request says something impossible     422
    ├── Unauthenticated  nobody is signed in                       401
    ├── Forbidden        signed in, but not allowed                403
    ├── NotFound         unknown, or another person's              404
    ├── Conflict         lawful, but not now                       409
    ├── Gone             it was here and has expired               410
    ├── TooLarge         more than we take                         413
    ├── TooMany          a cap or a rate is reached                429
    ├── Internal         our own fault                             500
    ├── Upstream         a service we depend on answered wrongly   502
    └── Unavailable      not now, try again                        503

Domain and services raise; they know no status code. ``api/errors.py`` turns a kind into one. A
class's docstring is its default message to the person, its snake-cased name the code on the wire.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any, ClassVar

#: Before a capital behind a small letter, or in front of one: ``NotACandidate`` has three words.
_WORD_BEGINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class ErrorKind(StrEnum):
    """The closed set of refusals; the edge maps each to one status."""

    INVALID = "invalid"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    GONE = "gone"
    TOO_LARGE = "too_large"
    TOO_MANY = "too_many"
    INTERNAL = "internal"
    UPSTREAM = "upstream"
    UNAVAILABLE = "unavailable"


class AppError(Exception):
    """Something went wrong."""

    kind: ClassVar[ErrorKind] = ErrorKind.INTERNAL
    retry_after: timedelta | None = None

    def __init__(
        self,
        detail: str | None = None,
        *,
        retry_after: timedelta | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        #: What else the caller needs to go on; JSON values under names that the wire knows.
        self.extra = dict(extra or {})
        self.detail = detail or " ".join((type(self).__doc__ or "").split())
        if retry_after is not None:
            self.retry_after = retry_after
        super().__init__(self.detail)

    @classmethod
    def code(cls) -> str:
        """The name on the wire: the class's own, snake-cased."""
        return _WORD_BEGINS.sub("_", cls.__name__).lower()


class Invalid(AppError):
    """The request is not valid."""

    kind = ErrorKind.INVALID


class Unauthenticated(AppError):
    """Sign in to go on."""

    kind = ErrorKind.UNAUTHENTICATED


class Forbidden(AppError):
    """You are not allowed to do this."""

    kind = ErrorKind.FORBIDDEN


class NotFound(AppError):
    """There is nothing here under this address."""

    kind = ErrorKind.NOT_FOUND


class Conflict(AppError):
    """This is not possible in the present state."""

    kind = ErrorKind.CONFLICT


class Gone(AppError):
    """This has expired."""

    kind = ErrorKind.GONE


class TooLarge(AppError):
    """The request is larger than is accepted here."""

    kind = ErrorKind.TOO_LARGE


class TooMany(AppError):
    """Too many requests; wait a little."""

    kind = ErrorKind.TOO_MANY


class Internal(AppError):
    """Something went wrong on our side."""

    kind = ErrorKind.INTERNAL


class Upstream(AppError):
    """A service this helpdesk depends on gave no usable answer."""

    kind = ErrorKind.UPSTREAM


class Unavailable(AppError):
    """The helpdesk cannot do this right now."""

    kind = ErrorKind.UNAVAILABLE
