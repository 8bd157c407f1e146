"""Claims on threads. All time is the database's."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import RunRow
from backend.app.db.repositories.checkpoints import NOTHING_KEPT, Kept
from backend.app.db.repositories.facts import as_json
from backend.app.db.repositories.runs_statements import (
    HOLD,
    RELEASE_AND_FORGET,
    RELEASE_AND_KEEP,
    TAKE,
    TELL,
)
from backend.app.domain.runs import (
    NOTHING,
    NOTIFY_CHANNEL,
    AbortReason,
    Claim,
    GraphKind,
    Heartbeat,
    OwnerId,
    RunStatus,
    Telling,
    ThreadId,
)


def claim_of(row: Any) -> Claim:
    """The claim that a thread's row says."""
    return Claim(
        thread_id=ThreadId(row.thread_id),
        kind=GraphKind(row.kind),
        owner=OwnerId(row.owner) if row.owner else OwnerId(row.thread_id),
        epoch=row.epoch,
        attempt=row.attempt,
        allowance=row.allowance,
        last_seq=row.last_seq,
    )


#: Of the allowance, what the run that ends now has used up.
_LEFT = sa.func.greatest(
    RunRow.allowance - (sa.func.now() - sa.func.coalesce(RunRow.claimed_at, sa.func.now())),
    timedelta(0),
)


def _locked(*conditions: sa.ColumnElement[bool]) -> sa.Select[UUID]:
    """The threads that meet the conditions, locked in one order by whoever changes many of them."""
    chosen = sa.select(RunRow.thread_id).where(*conditions)
    return chosen.order_by(RunRow.thread_id).with_for_update()


def _told(telling: Telling) -> dict[str, str]:
    return {"events": json.dumps(telling.events), "facts": as_json(telling.facts)}


def _named(claim: Claim) -> dict[str, Any]:
    return {"thread_id": claim.thread_id, "epoch": claim.epoch, "owner": claim.owner}


class RunRepository:
    """Who drives what, decided once, by row locks and the database's clock."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, thread_id: ThreadId, kind: GraphKind, *, allowance: timedelta) -> None:
        """A new thread that nobody drives yet."""
        row = insert(RunRow).values(
            thread_id=thread_id, kind=kind.value, epoch=0, attempt=0, allowance=allowance
        )
        await self._session.execute(row)

    async def take(self, thread_id: ThreadId, owner: OwnerId, *, lease: timedelta) -> Claim | None:
        """The claim on a thread that nobody drives, or None. A lapsed one is the sweep's."""
        named = {"thread_id": thread_id, "owner": owner, "lease": lease}
        row = (await self._session.execute(TAKE, named)).one_or_none()
        return claim_of(row) if row else None

    async def take_orphans(
        self, owner: OwnerId, *, lease: timedelta, limit: int
    ) -> Sequence[tuple[Claim, AbortReason | None]]:
        """Claim threads whose lease has lapsed, with the abort asked of them, if any."""
        lapsed = (
            sa.select(RunRow.thread_id)
            .where(RunRow.owner.is_not(None), RunRow.lease_until < sa.func.now())
            .order_by(RunRow.lease_until)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        statement = (
            sa.update(RunRow)
            .where(RunRow.thread_id.in_(lapsed))
            .values(
                owner=owner,
                epoch=RunRow.epoch + 1,
                attempt=RunRow.attempt + 1,
                lease_until=sa.func.now() + lease,
                claimed_at=sa.func.now(),
                allowance=_LEFT,
                updated_at=sa.func.now(),
            )
            .returning(RunRow)
        )
        rows = (await self._session.scalars(statement)).all()
        return [
            (claim_of(row), AbortReason(row.abort_reason) if row.abort_reason else None)
            for row in rows
        ]

    async def seize(self, thread_id: ThreadId, owner: OwnerId, *, lease: timedelta) -> Claim | None:
        """The claim on a thread whoever drives it: its owner's further writes are refused."""
        statement = (
            sa.update(RunRow)
            .where(RunRow.thread_id == thread_id)
            .values(
                owner=owner,
                epoch=RunRow.epoch + 1,
                lease_until=sa.func.now() + lease,
                claimed_at=sa.func.now(),
                allowance=_LEFT,
                updated_at=sa.func.now(),
            )
            .returning(RunRow)
        )
        row = await self._session.scalar(statement)
        return claim_of(row) if row else None

    async def renew(
        self, owner: OwnerId, thread_ids: Sequence[ThreadId], *, lease: timedelta
    ) -> Sequence[Heartbeat]:
        """Renew the unlapsed leases of ``owner`` on these threads; what is not among them is lost
        to it. One that it took and drives no more is not named, and lapses.
        """
        own = _locked(
            RunRow.thread_id.in_(thread_ids),
            RunRow.owner == owner,
            RunRow.lease_until > sa.func.now(),
        )
        statement = (
            sa.update(RunRow)
            .where(RunRow.thread_id.in_(own))
            .values(lease_until=sa.func.now() + lease)
            .returning(RunRow.thread_id, RunRow.epoch, RunRow.abort_reason)
        )
        return [
            Heartbeat(
                ThreadId(row.thread_id),
                row.epoch,
                AbortReason(row.abort_reason) if row.abort_reason else None,
            )
            for row in await self._session.execute(statement)
        ]

    async def hold(self, claim: Claim) -> bool:
        """Lock the claim's row until this transaction ends, whose commit waits for the disk; False
        when the claim is held no longer.
        """
        return (await self._session.execute(HOLD, _named(claim))).one_or_none() is not None

    async def tell(
        self, claim: Claim, telling: Telling, *, is_final: bool = False
    ) -> Mapping[str, bool] | None:
        """Store what the run tells on its way. Unless it ``is_final``, the commit does not wait for
        the disk: a later one that does makes it last too, and if the database dies before that,
        the run is gone on with from where it stood.

        Returns:
            The switches that were set; None when the claim is held no longer, and nothing stored.
        """
        named = {**_named(claim), **_told(telling), "commit": "on" if is_final else "off"}
        row = (await self._session.execute(TELL, named)).one_or_none()
        return None if row is None else row.switched

    async def release(
        self,
        claim: Claim,
        telling: Telling = NOTHING,
        *,
        kept: Kept = NOTHING_KEPT,
        forgets: bool = False,
    ) -> None:
        """Give the thread back; the time since the claim is taken off its allowance. With that,
        store what is told and what is kept for it, or forget all its checkpoints.
        """
        named = {
            "thread_id": claim.thread_id,
            "epoch": claim.epoch,
            "channel": NOTIFY_CHANNEL,
            **_told(telling),
        }
        if forgets:
            await self._session.execute(RELEASE_AND_FORGET, named)
        else:
            await self._session.execute(RELEASE_AND_KEEP, {**named, **kept.named()})

    async def count_from_now(self, claim: Claim) -> None:
        """Count active time from now on, and not from the claim."""
        await self._session.execute(
            sa.update(RunRow)
            .where(RunRow.thread_id == claim.thread_id, RunRow.epoch == claim.epoch)
            .values(claimed_at=sa.func.now())
        )

    async def lapse(self, claim: Claim) -> None:
        """Leave the thread for another replica to take over at once."""
        await self._session.execute(
            sa.update(RunRow)
            .where(RunRow.thread_id == claim.thread_id, RunRow.epoch == claim.epoch)
            .values(lease_until=sa.func.now() - timedelta(seconds=1), attempt=RunRow.attempt - 1)
        )

    async def request_abort(self, thread_id: ThreadId, reason: AbortReason) -> bool:
        """Ask whoever drives the thread to stop; False when nobody does."""
        statement = (
            sa.update(RunRow)
            .where(RunRow.thread_id == thread_id, RunRow.owner.is_not(None))
            .values(abort_reason=sa.func.coalesce(RunRow.abort_reason, reason.value))
            .returning(RunRow.thread_id)
        )
        asked = await self._session.scalar(statement) is not None
        if asked:
            await self._notify(thread_id)
        return asked

    async def request_abort_all(self, kind: GraphKind, reason: AbortReason) -> Sequence[ThreadId]:
        """Ask whoever drives threads of this kind to stop; the threads that somebody drives."""
        driven = _locked(RunRow.kind == kind.value, RunRow.owner.is_not(None))
        statement = (
            sa.update(RunRow)
            .where(RunRow.thread_id.in_(driven))
            .values(abort_reason=sa.func.coalesce(RunRow.abort_reason, reason.value))
            .returning(RunRow.thread_id)
        )
        asked = [ThreadId(one) for one in await self._session.scalars(statement)]
        for thread_id in asked:
            await self._notify(thread_id)
        return asked

    async def others_drive(self, owner: OwnerId) -> bool:
        """Whether a process other than ``owner`` holds a claim that has not lapsed."""
        query = sa.select(RunRow.thread_id).where(
            RunRow.owner.is_not(None), RunRow.owner != owner, RunRow.lease_until > sa.func.now()
        )
        return await self._session.scalar(query.limit(1)) is not None

    async def clock(self) -> datetime:
        """The database's clock at this moment, not at the transaction's beginning."""
        now: datetime = (
            await self._session.execute(sa.select(sa.func.clock_timestamp()))
        ).scalar_one()
        return now

    async def status(self, thread_id: ThreadId) -> RunStatus | None:
        """How the thread stands."""
        row = await self._session.get(RunRow, thread_id)
        if row is None:
            return None
        reason = AbortReason(row.abort_reason) if row.abort_reason else None
        return RunStatus(row.owner is not None, row.last_seq, reason)

    async def delete(self, thread_ids: Sequence[ThreadId]) -> None:
        """Delete threads with their events; their checkpoints are the saver's."""
        await self._session.execute(sa.delete(RunRow).where(RunRow.thread_id.in_(thread_ids)))

    async def _notify(self, thread_id: ThreadId) -> None:
        await self._session.execute(sa.select(sa.func.pg_notify(NOTIFY_CHANNEL, str(thread_id))))
