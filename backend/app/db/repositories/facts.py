"""Facts, and how far their readers have come."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import FactCounterRow, FactReaderRow
from backend.app.domain.events import Fact


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A fact as it was told: when, by whom, and its data as JSON values."""

    id: int
    at: datetime
    kind: str
    actor_id: UUID | None
    data: dict[str, Any]


_TELL = sa.text(
    """
    INSERT INTO facts (epoch, kind, actor_id, data)
    SELECT epoch, fact ->> 0, CAST(fact ->> 1 AS uuid), fact -> 2
    FROM fact_epochs,
         jsonb_array_elements(CAST(:facts AS jsonb)) WITH ORDINALITY AS told(fact, place)
    ORDER BY place
    """
)

_COUNT = sa.text(
    """
    INSERT INTO fact_counters (name, labels, value)
    SELECT each ->> 0, each -> 1, CAST(each ->> 2 AS float8)
    FROM jsonb_array_elements(CAST(:moved AS jsonb)) AS each
    ORDER BY 1, 2
    ON CONFLICT (name, labels) DO UPDATE SET value = fact_counters.value + excluded.value
    """
)

#: Facts beyond a reader's position that nobody can still be writing before. A transaction that is
#: still open has an id at or above the snapshot's xmin, so what it will tell later lies beyond all
#: that is read now; a fact of an earlier epoch is settled whatever its id.
_UNREAD = sa.text(
    """
    SELECT f.id, f.at, f.kind, f.actor_id, f.data, f.epoch, f.xid::text AS xid
    FROM facts f
    WHERE (f.epoch, f.xid, f.id) > (:epoch, CAST(CAST(:xid AS text) AS xid8), :fact_id)
      AND (f.epoch < (SELECT epoch FROM fact_epochs)
           OR f.xid < pg_snapshot_xmin(pg_current_snapshot()))
    ORDER BY f.epoch, f.xid, f.id
    LIMIT :limit
    """
)

_MOVE = sa.text(
    """
    UPDATE fact_readers
    SET epoch = :epoch, xid = CAST(CAST(:xid AS text) AS xid8), fact_id = :id
    WHERE name = :name
    """
)

#: Ids that lie in this server's future came with a dump from another one.
_NEXT_EPOCH = sa.text(
    """
    UPDATE fact_epochs e SET epoch = e.epoch + 1
    WHERE EXISTS (
        SELECT FROM facts f
        WHERE f.epoch = e.epoch AND f.xid >= pg_snapshot_xmax(pg_current_snapshot())
          AND f.xid <> pg_current_xact_id()
    )
    """
)


#: Nothing that a reader has still to read.
_FORGET = sa.text(
    """
    DELETE FROM facts WHERE id IN (
        SELECT f.id FROM facts f
        WHERE f.at < now() - CAST(:kept AS interval)
          AND EXISTS (SELECT FROM fact_readers)
          AND NOT EXISTS (
              SELECT FROM fact_readers r
              WHERE (r.epoch, r.xid, r.fact_id) < (f.epoch, f.xid, f.id)
          )
        ORDER BY f.id LIMIT :limit
    )
    """
)

_TOMBSTONE = sa.text(
    """
    UPDATE facts SET actor_id = NULL, data = '{"redacted": true}'
    WHERE data ->> 'agent_session_id' = ANY(:sessions)
    """
)


def as_json(facts: Iterable[Fact]) -> str:
    """Facts as an array of kind, actor and data."""
    return json.dumps(
        [(fact.kind, str(fact.actor_id) if fact.actor_id else None, fact.data()) for fact in facts]
    )


class FactRepository:
    """Telling facts, and reading them in order."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def tell(self, *facts: Fact) -> None:
        """Record that something happened, in this transaction."""
        if facts:
            await self._session.execute(_TELL, {"facts": as_json(facts)})

    async def unread(self, reader: str, *, limit: int) -> list[StoredFact] | None:
        """The next settled facts for ``reader``, whose position moves past them when this
        transaction commits.

        None when another process is reading under this name just now.
        """
        await self._session.execute(
            insert(FactReaderRow).values(name=reader).on_conflict_do_nothing()
        )
        query = sa.select(
            FactReaderRow.epoch,
            sa.cast(FactReaderRow.xid, sa.Text).label("xid"),
            FactReaderRow.fact_id,
        )
        locked = query.where(FactReaderRow.name == reader).with_for_update(skip_locked=True)
        position = (await self._session.execute(locked)).one_or_none()
        if position is None:
            return None
        rows = (await self._session.execute(_UNREAD, {**position._mapping, "limit": limit})).all()
        if rows:
            last = rows[-1]
            moved = {"epoch": last.epoch, "xid": last.xid, "id": last.id, "name": reader}
            await self._session.execute(_MOVE, moved)
        return [StoredFact(row.id, row.at, row.kind, row.actor_id, row.data) for row in rows]

    async def settle_after_restore(self) -> None:
        """Begin a new epoch when the facts came with a dump from another server."""
        await self._session.execute(_NEXT_EPOCH)

    async def hold_reader(self, reader: str) -> None:
        """Wait until nobody reads under this name, and let nobody until the commit."""
        query = sa.select(FactReaderRow.name).where(FactReaderRow.name == reader)
        await self._session.execute(query.with_for_update())

    async def forget(self, *, older_than: timedelta, limit: int) -> int:
        """Delete facts from longer ago that every reader has read; how many."""
        values = {"kept": older_than, "limit": limit}
        done = await self._session.execute(_FORGET, values)
        return int(done.rowcount)  # type: ignore[attr-defined]

    async def tombstone(self, agent_session_ids: Collection[UUID]) -> None:
        """Leave of what these sessions told only when, and what kind of thing it was."""
        sessions = [str(one) for one in agent_session_ids]
        await self._session.execute(_TOMBSTONE, {"sessions": sessions})

    async def count(self, *moved: tuple[str, dict[str, str], float]) -> None:
        """Raise counters, each by its amount; of one counter once at most."""
        if moved:
            await self._session.execute(_COUNT, {"moved": json.dumps(moved)})

    async def counters(self) -> list[tuple[str, dict[str, str], float]]:
        """All counters: name, labels, value."""
        # Columns and not rows: a mapped row is known by its key, and labels cannot be hashed.
        query = sa.select(FactCounterRow.name, FactCounterRow.labels, FactCounterRow.value)
        rows = await self._session.execute(query.order_by(FactCounterRow.name))
        return [(row.name, row.labels, row.value) for row in rows]
