"""Facts, and how far their readers have come."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import FactCounterRow, FactReaderRow, FactRow
from backend.app.domain.events import Fact


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A fact as it was told: when, by whom, and its data as JSON values."""

    id: int
    at: datetime
    kind: str
    actor_id: UUID | None
    data: dict[str, Any]


#: Facts that nobody can still be writing before, beyond a reader's position. A transaction that is
#: still open has an id at or above the snapshot's xmin, so what it will tell later lies beyond
#: every fact that is read now.
_UNREAD = sa.text(
    """
    SELECT f.id, f.at, f.kind, f.actor_id, f.data, f.xid::text AS xid
    FROM facts f
    WHERE (f.xid, f.id) > (CAST(CAST(:xid AS text) AS xid8), :fact_id)
      AND f.xid < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY f.xid, f.id
    LIMIT :limit
    """
)

#: After a restore from another server, stored transaction ids lie in this server's future. They are
#: long settled.
_SETTLE_FACTS = sa.text(
    "UPDATE facts SET xid = '0'::xid8"
    " WHERE xid >= pg_snapshot_xmax(pg_current_snapshot()) AND xid <> pg_current_xact_id()"
)
_SETTLE_READERS = sa.text(
    "UPDATE fact_readers SET xid = '0'::xid8 WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())"
)


class FactRepository:
    """Telling facts, and reading them in order."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def tell(self, fact: Fact) -> None:
        """Record that something happened, in this transaction."""
        await self._session.execute(
            insert(FactRow).values(kind=fact.kind, actor_id=fact.actor_id, data=fact.data())
        )

    async def unread(self, reader: str, *, limit: int) -> list[StoredFact] | None:
        """The next settled facts for ``reader``, whose position moves past them when this
        transaction commits.

        None when another process is reading under this name just now.
        """
        await self._session.execute(
            insert(FactReaderRow).values(name=reader).on_conflict_do_nothing()
        )
        query = sa.select(sa.cast(FactReaderRow.xid, sa.Text), FactReaderRow.fact_id)
        locked = query.where(FactReaderRow.name == reader).with_for_update(skip_locked=True)
        position = (await self._session.execute(locked)).one_or_none()
        if position is None:
            return None
        rows = (
            await self._session.execute(
                _UNREAD, {"xid": position[0], "fact_id": position[1], "limit": limit}
            )
        ).all()
        if rows:
            moved = sa.text(
                "UPDATE fact_readers SET xid = CAST(CAST(:xid AS text) AS xid8), fact_id = :id"
                " WHERE name = :name"
            )
            await self._session.execute(
                moved, {"xid": rows[-1].xid, "id": rows[-1].id, "name": reader}
            )
        return [StoredFact(row.id, row.at, row.kind, row.actor_id, row.data) for row in rows]

    async def settle_after_restore(self) -> None:
        """Make facts and positions that came with a dump from another server readable here."""
        await self._session.execute(_SETTLE_FACTS)
        await self._session.execute(_SETTLE_READERS)

    async def count(self, name: str, labels: dict[str, str], by: int = 1) -> None:
        """Raise a counter."""
        statement = insert(FactCounterRow).values(name=name, labels=labels, value=by)
        await self._session.execute(
            statement.on_conflict_do_update(
                index_elements=[FactCounterRow.name, FactCounterRow.labels],
                set_={"value": FactCounterRow.value + by},
            )
        )

    async def counters(self) -> list[tuple[str, dict[str, str], int]]:
        """All counters: name, labels, value."""
        rows = await self._session.scalars(sa.select(FactCounterRow).order_by(FactCounterRow.name))
        return [(row.name, row.labels, row.value) for row in rows]
