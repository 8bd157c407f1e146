"""Counting how the page is used. Nothing is stored but counters: who did it is only looked at for
the limit.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta

from backend.app.core.errors import TooMany
from backend.app.db.uow import UnitOfWork
from backend.app.domain.principals import Principal

_BATCHES, _WINDOW = 60, timedelta(minutes=1)


class TelemetryTooOften(TooMany):
    """The page tells of itself too often."""


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Takes what the page tells, each as its name and its properties in one closed word."""

    uow: UnitOfWork
    count: Callable[[str, str], None]
    is_wanted: bool

    async def take(self, principal: Principal, events: Iterable[tuple[str, str]]) -> bool:
        """Count events, unless telemetry is switched off; whether it is on.

        Raises:
            TelemetryTooOften: more batches in a minute than a page sends.
        """
        if not self.is_wanted:
            return False
        async with self.uow() as work:
            hit = await work.rates.hit(
                f"telemetry:{principal.user_id}", limit=_BATCHES, window=_WINDOW
            )
        if hit.wait is not None:
            raise TelemetryTooOften(retry_after=hit.wait)
        for name, detail in events:
            self.count(name, detail)
        return True
