"""Switches that act on running work."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import SwitchRow
from backend.app.domain.principals import UserId

_LOCK_KEY = 7_305_412_019  # any number, but always this one, as in switches_until_commit()
#: The lock comes first, whether or not there is (still) such an account.
_UNTIL_COMMIT = sa.text(
    """
    WITH locked AS MATERIALIZED (
        SELECT id FROM users WHERE id = :user_id FOR NO KEY UPDATE
    )
    SELECT switches_until_commit() FROM (SELECT count(*) AS n FROM locked) AS first WHERE n >= 0
    """
)


class SwitchRepository:
    """What was set while the program runs; a name without a row is as the settings say."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def all(self) -> Mapping[str, bool]:
        """Every switch that was set."""
        rows = await self._session.execute(sa.select(SwitchRow.name, SwitchRow.is_on))
        return {row.name: row.is_on for row in rows}

    async def all_until_commit(self, *, with_user: UserId | None = None) -> Mapping[str, bool]:
        """The same, and whoever sets one waits until this transaction has ended: what it commits
        was allowed when it was committed. An advisory lock, since there may be no row to lock.

        ``with_user``: an account that is locked first, as by `IdentityRepository.lock_user`; None:
        nobody's.
        """
        found = await self._session.execute(_UNTIL_COMMIT, {"user_id": with_user})
        switched: Mapping[str, bool] = found.scalar_one()
        return switched

    async def set(self, name: str, *, is_on: bool | None) -> None:
        """Set a switch, or with None leave it to the settings again; after the transactions that
        go by its present position.
        """
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK_KEY)))
        if is_on is None:
            await self._session.execute(sa.delete(SwitchRow).where(SwitchRow.name == name))
            return
        row = insert(SwitchRow).values(name=name, is_on=is_on)
        await self._session.execute(
            row.on_conflict_do_update(
                index_elements=[SwitchRow.name],
                set_={"is_on": is_on, "updated_at": sa.func.now()},
            )
        )
