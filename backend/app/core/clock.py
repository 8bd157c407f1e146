"""Time as something handed in.

Decisions about expiry and limits are made by the database's clock inside its transaction; this one
serves whatever happens in a single process (durations, log lines).
"""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """The present moment, in UTC."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        return datetime.now(UTC)  # noqa: TID251 -- the one place that reads the wall clock

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""
        return time.monotonic()
