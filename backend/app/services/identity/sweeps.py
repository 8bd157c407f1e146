"""Tidying up what has expired."""

from dataclasses import dataclass
from datetime import timedelta

from backend.app.core.settings import IdentitySettings
from backend.app.db.uow import UnitOfWork

_RATES_KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class IdentitySweeps:
    """Deletes expired browser sessions and old attempt counts. Safe on many replicas at once."""

    uow: UnitOfWork
    settings: IdentitySettings

    async def run(self) -> None:
        """One sweep."""
        async with self.uow() as work:
            await work.identity.sweep_sessions()
            await work.rates.sweep(max(_RATES_KEPT, self.settings.sign_in_window))
