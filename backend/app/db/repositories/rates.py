"""Counted attempts, in the database so that every replica sees the same count."""

from dataclasses import dataclass
from datetime import timedelta
from typing import cast

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import RateRow


@dataclass(frozen=True, slots=True)
class Hit:
    """What counting one attempt gave: how long to wait when it was one too many, and the first."""

    wait: timedelta | None
    is_first_over: bool


_HIT_OF_DAY = sa.text(
    """
    INSERT INTO rates (bucket, hits)
    VALUES (:bucket || ':' || to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 1)
    ON CONFLICT (bucket) DO UPDATE SET hits = rates.hits + 1
    RETURNING hits,
        date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '1 day' - now()
        AS rest
    """
)


class RateRepository:
    """Fixed windows per bucket, by the database's clock."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def hit(self, bucket: str, *, limit: int, window: timedelta) -> Hit:
        """Count one attempt against ``limit`` per ``window``.

        The row's lock makes concurrent attempts count one after the other, so that ``limit`` is
        exact.
        """
        is_over = RateRow.window_start <= sa.func.now() - window
        statement = (
            insert(RateRow)
            .values(bucket=bucket, hits=1)
            .on_conflict_do_update(
                index_elements=[RateRow.bucket],
                set_={
                    "hits": sa.case((is_over, 1), else_=RateRow.hits + 1),
                    "window_start": sa.case((is_over, sa.func.now()), else_=RateRow.window_start),
                },
            )
            .returning(RateRow.hits, RateRow.window_start + window - sa.func.now())
        )
        hits, remaining = (await self._session.execute(statement)).one()
        if hits <= limit:
            return Hit(None, False)
        # Another transaction's window may have begun after this one's now().
        wait = min(max(cast(timedelta, remaining), timedelta(seconds=1)), window)
        return Hit(wait, hits == limit + 1)

    async def hit_of_day(self, bucket: str, *, limit: int) -> timedelta | None:
        """Count one attempt against ``limit`` per day in UTC, as exactly as `hit`.

        Returns:
            How long the day still is, when that was one too many.
        """
        hits, rest = (await self._session.execute(_HIT_OF_DAY, {"bucket": bucket})).one()
        return cast(timedelta, rest) if hits > limit else None

    async def clear(self, bucket: str) -> None:
        """Forget the attempts of a bucket."""
        await self._session.execute(sa.delete(RateRow).where(RateRow.bucket == bucket))

    async def sweep(self, older_than: timedelta) -> None:
        """Delete windows that started longer ago than ``older_than``."""
        await self._session.execute(
            sa.delete(RateRow).where(RateRow.window_start < sa.func.now() - older_than)
        )
