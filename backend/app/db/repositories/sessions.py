"""Agent sessions. Whoever changes one holds the claim on its thread; reads take the owner."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import (
    AgentSessionRow,
    IdempotencyKeyRow,
    InstanceKeyRow,
    RunRow,
)
from backend.app.db.repositories.facts import as_json
from backend.app.db.repositories.runs import claim_of
from backend.app.db.repositories.sessions_statements import (
    ADD,
    CHANGE,
    ENDED_WITH_CHECKPOINTS,
    ENTER,
    GIVE,
    TAKE,
)
from backend.app.domain.chat import ChatMessageId, ChatSessionId
from backend.app.domain.events import Fact
from backend.app.domain.principals import UserId
from backend.app.domain.runs import AbortReason, Claim, GraphKind, OwnerId, ThreadId
from backend.app.domain.sessions import (
    IDEMPOTENCY_LIFE,
    STATE_VERSION,
    AgentSession,
    AgentSessionId,
    IdempotentRequest,
    KnownKey,
    Outcome,
    Trigger,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChange:
    """How a session stands after its run has paused or ended."""

    turn: Mapping[str, Any]
    progress: Mapping[str, Any]
    pending_question_id: str | None = None
    draft_digest: str | None = None
    outcome: Outcome | None = None
    reason: AbortReason | None = None
    chat_message_id: ChatMessageId | None = None


def _session(row: Any, idle: timedelta) -> AgentSession:
    return AgentSession(
        id=AgentSessionId(row.id),
        user_id=UserId(row.user_id),
        chat_session_id=ChatSessionId(row.chat_session_id) if row.chat_session_id else None,
        trigger=Trigger(row.trigger),
        state_version=row.state_version,
        created_at=row.created_at,
        updated_at=row.updated_at,
        idle=idle,
        outcome=Outcome(row.outcome) if row.outcome else None,
        reason=AbortReason(row.reason) if row.reason else None,
        ended_at=row.ended_at,
        pending_question_id=row.pending_question_id,
        draft_digest=row.draft_digest,
        turn=row.turn,
        given=row.given,
        progress=row.progress,
        chat_message_id=ChatMessageId(row.chat_message_id) if row.chat_message_id else None,
        tokens=row.tokens,
    )


_IDLE = (sa.func.now() - AgentSessionRow.updated_at).label("idle")


class SessionRepository:
    """Agent sessions and the idempotency keys under which they were asked for."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(
        self,
        session_id: AgentSessionId,
        owner: UserId,
        chat_session_id: ChatSessionId | None,
        trigger: Trigger,
        given: Mapping[str, Any],
        *,
        claim: Claim,
        lease: timedelta,
        fact: Fact,
    ) -> AgentSession | None:
        """A new session that has not run yet, its thread with the claim on it, and the fact of it;
        None when its chat has an open one already.
        """
        named = {
            "id": session_id,
            "user_id": owner,
            "chat_session_id": chat_session_id,
            "trigger": trigger.value,
            "state_version": STATE_VERSION,
            "given": json.dumps(given),
            "kind": claim.kind.value,
            "owner": claim.owner,
            "epoch": claim.epoch,
            "attempt": claim.attempt,
            "allowance": claim.allowance,
            "lease": lease,
            "facts": as_json([fact]),
        }
        row = (await self._session.execute(ADD, named)).one_or_none()
        return _session(row, timedelta(0)) if row else None

    async def enter(
        self, session_id: AgentSessionId, owner: UserId
    ) -> tuple[AgentSession, Mapping[str, bool]] | None:
        """The owner's session, or None; with the switches that were set.

        Until this transaction ends, whoever else enters it waits, and so does whoever sets a
        switch. No row's lock: rows are locked in an order of their own, and others need them.
        """
        entered = await self._session.execute(ENTER, {"id": session_id, "user_id": owner})
        row = entered.one_or_none()
        return (_session(row, row.idle), row.switched) if row else None

    async def take(
        self, session_id: AgentSessionId, owner: OwnerId, *, lease: timedelta
    ) -> tuple[Claim, AgentSession | None] | None:
        """The claim on a session's thread, as `RunRepository.take` gives it, and the session as it
        is under that; no session when it was deleted meanwhile.
        """
        named = {"id": session_id, "owner": owner, "lease": lease}
        row = (await self._session.execute(TAKE, named)).one_or_none()
        if row is None:
            return None
        return claim_of(row), _session(row, row.idle) if row.id else None

    async def session(self, session_id: AgentSessionId, owner: UserId) -> AgentSession | None:
        """The owner's session, or None."""
        return await self._one(AgentSessionRow.id == session_id, AgentSessionRow.user_id == owner)

    async def session_unscoped(self, session_id: AgentSessionId) -> AgentSession | None:
        """Anybody's session: for the run that drives it, and for administrators."""
        return await self._one(AgentSessionRow.id == session_id)

    async def open_in(self, chat_session_id: ChatSessionId, owner: UserId) -> AgentSession | None:
        """The open session of the owner's chat, or None."""
        return await self._one(
            AgentSessionRow.chat_session_id == chat_session_id,
            AgentSessionRow.user_id == owner,
            AgentSessionRow.outcome.is_(None),
        )

    async def _one(self, *conditions: sa.ColumnElement[bool]) -> AgentSession | None:
        # Read anew: another transaction may have changed what this one read before.
        query = sa.select(AgentSessionRow, _IDLE).where(*conditions)
        row = (
            await self._session.execute(query, execution_options={"populate_existing": True})
        ).one_or_none()
        return _session(row[0], row.idle) if row else None

    async def of_chat(
        self, chat_session_id: ChatSessionId, owner: UserId, *, limit: int
    ) -> Sequence[AgentSession]:
        """The sessions of the owner's chat, newest first."""
        return await self._many(
            AgentSessionRow.chat_session_id == chat_session_id,
            AgentSessionRow.user_id == owner,
            limit=limit,
        )

    async def recent_unscoped(self, *, limit: int, of: UserId | None) -> Sequence[AgentSession]:
        """Sessions, newest first, of everybody or of one person: for administrators."""
        theirs = [AgentSessionRow.user_id == of] if of else []
        return await self._many(*theirs, limit=limit)

    async def _many(
        self, *conditions: sa.ColumnElement[bool], limit: int
    ) -> Sequence[AgentSession]:
        query = (
            sa.select(AgentSessionRow, _IDLE)
            .where(*conditions)
            .order_by(AgentSessionRow.created_at.desc(), AgentSessionRow.id)
            .limit(limit)
        )
        return [_session(row[0], row.idle) for row in await self._session.execute(query)]

    async def give(
        self, session_id: AgentSessionId, given: Mapping[str, Any], *, fact: Fact
    ) -> None:
        """What the run that begins now is given, and the fact of it; the question it answers is
        open no longer.
        """
        named = {"id": session_id, "given": json.dumps(given), "facts": as_json([fact])}
        await self._session.execute(GIVE, named)

    async def change(self, session_id: AgentSessionId, change: SessionChange) -> bool:
        """Record how a session stands; False when it is there no more, or has ended already."""
        named = {
            "id": session_id,
            "turn": json.dumps(change.turn),
            "progress": json.dumps(change.progress),
            "pending_question_id": change.pending_question_id,
            "draft_digest": change.draft_digest,
            "outcome": change.outcome.value if change.outcome else None,
            "reason": change.reason.value if change.reason else None,
            "chat_message_id": change.chat_message_id,
        }
        return (await self._session.execute(CHANGE, named)).one_or_none() is not None

    async def spend(self, session_id: AgentSessionId, tokens: int) -> None:
        """Count tokens to a session, whatever becomes of its run."""
        spent = (
            sa.update(AgentSessionRow)
            .where(AgentSessionRow.id == session_id)
            .values(tokens=AgentSessionRow.tokens + tokens)
        )
        await self._session.execute(spent)

    async def amend_turn(self, session_id: AgentSessionId, turn: Mapping[str, Any]) -> None:
        """Bring the last turn of a session that has ended up to date; its outcome stays."""
        await self._session.execute(
            sa.update(AgentSessionRow)
            .where(AgentSessionRow.id == session_id, AgentSessionRow.outcome.is_not(None))
            .values(turn=turn, updated_at=sa.func.now())
        )

    async def known_key(self, asked: IdempotentRequest) -> KnownKey | None:
        """What the request's key stands for, if it was used in the last ten minutes."""
        query = sa.select(IdempotencyKeyRow).where(
            IdempotencyKeyRow.user_id == asked.user_id,
            IdempotencyKeyRow.operation == asked.operation,
            IdempotencyKeyRow.key == asked.key,
            IdempotencyKeyRow.created_at > sa.func.now() - IDEMPOTENCY_LIFE,
        )
        row = await self._session.scalar(query)
        return KnownKey(row.digest, AgentSessionId(row.session_id)) if row else None

    async def keep_key(self, asked: IdempotentRequest, session_id: AgentSessionId) -> bool:
        """Remember the request's key; False when another request was quicker. Waits for one that
        has not committed yet.
        """
        statement = insert(IdempotencyKeyRow).values(
            user_id=asked.user_id,
            operation=asked.operation,
            key=asked.key,
            digest=asked.digest,
            session_id=session_id,
        )
        kept = statement.on_conflict_do_update(
            index_elements=[
                IdempotencyKeyRow.user_id,
                IdempotencyKeyRow.operation,
                IdempotencyKeyRow.key,
            ],
            set_={
                "digest": statement.excluded.digest,
                "session_id": statement.excluded.session_id,
                "created_at": sa.func.now(),
            },
            where=IdempotencyKeyRow.created_at <= sa.func.now() - IDEMPOTENCY_LIFE,
        )
        return await self._session.scalar(kept.returning(IdempotencyKeyRow.key)) is not None

    async def forget_keys(self) -> None:
        """Delete the keys that have had their time."""
        await self._session.execute(
            sa.delete(IdempotencyKeyRow).where(
                IdempotencyKeyRow.created_at <= sa.func.now() - IDEMPOTENCY_LIFE
            )
        )

    async def idle_unscoped(
        self, *, longer_than: timedelta, limit: int
    ) -> Sequence[AgentSessionId]:
        """Open sessions of anybody's with which nothing happened for so long, and nobody drives."""
        query = (
            sa.select(AgentSessionRow.id)
            .join(RunRow, RunRow.thread_id == AgentSessionRow.id)
            .where(
                AgentSessionRow.outcome.is_(None),
                AgentSessionRow.updated_at < sa.func.now() - longer_than,
                RunRow.owner.is_(None),
            )
            .order_by(AgentSessionRow.updated_at)
            .limit(limit)
        )
        return [AgentSessionId(one) for one in await self._session.scalars(query)]

    async def threads_without_session(self, *, limit: int) -> Sequence[ThreadId]:
        """Threads whose session was deleted with its chat or account, and that nobody drives."""
        query = (
            sa.select(RunRow.thread_id)
            .outerjoin(AgentSessionRow, AgentSessionRow.id == RunRow.thread_id)
            .where(
                RunRow.kind == GraphKind.HELPDESK.value,
                RunRow.owner.is_(None),
                AgentSessionRow.id.is_(None),
            )
            .limit(limit)
        )
        return [ThreadId(one) for one in await self._session.scalars(query)]

    async def ended_with_checkpoints(self, *, limit: int) -> Sequence[ThreadId]:
        """Threads of ended sessions whose checkpoints a crash has left behind."""
        rows = await self._session.scalars(ENDED_WITH_CHECKPOINTS, {"limit": limit})
        return [ThreadId(one) for one in rows]

    async def instance_key(self) -> bytes:
        """This installation's secret."""
        return bytes((await self._session.execute(sa.select(InstanceKeyRow.key))).scalar_one())
