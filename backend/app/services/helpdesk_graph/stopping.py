"""Ending a session from outside, whatever it is doing: by its person, an operator or time."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from backend.app.core.errors import Internal
from backend.app.db.uow import UnitOfWork
from backend.app.domain.chat import ChatSessionId
from backend.app.domain.principals import Principal
from backend.app.domain.runs import AbortReason, ThreadId
from backend.app.domain.sessions import AgentSessionId
from backend.app.schemas.helpdesk import AgentTurn
from backend.app.services.helpdesk.admission import AgentSessionNotFound, as_it_stands
from backend.app.services.runs.claims import Claims
from backend.app.services.runs.control import RunControls
from backend.app.services.runs.engine import RunEngine

#: An abort may meet a run that pauses, and one that begins anew, at the very same moment.
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Stopping:
    """Ends sessions, on whichever process they run."""

    uow: UnitOfWork
    claims: Claims
    controls: RunControls
    engine: RunEngine

    async def end(self, session_id: AgentSessionId, reason: AbortReason) -> AgentTurn:
        """End anybody's session, whatever it is doing; the turn that it shows then.

        Raises:
            AgentSessionNotFound: it was deleted meanwhile.
        """
        for _ in range(_TRIES):
            async with self.uow() as work:
                session = await as_it_stands(work, session_id)
                if session.has_ended and session.turn:
                    return AgentTurn.model_validate(session.turn)
                claim = await work.runs.take(
                    ThreadId(session_id), self.claims.owner, lease=self.engine.settings.lease
                )
            if claim is None:
                claim = await self.controls.stop(ThreadId(session_id), reason)
            if claim is not None:
                await self.engine.end(claim, reason)
        raise Internal

    async def end_in_chat(self, principal: Principal, chat_session_id: ChatSessionId) -> None:
        """End one's own session that is open in a chat which is about to be deleted, if any."""
        async with self.uow() as work:
            left = await work.sessions.open_in(chat_session_id, principal.user_id)
        if left is not None:
            with suppress(AgentSessionNotFound):  # deleted by another request just now
                await self.end(left.id, AbortReason.ERASED)

    async def expire(self, session_id: AgentSessionId, ttl: timedelta) -> bool:
        """End a session with which nothing happened for ``ttl``; False when something just did."""
        async with self.uow() as work:
            claim = await work.runs.take(
                ThreadId(session_id), self.claims.owner, lease=self.engine.settings.lease
            )
            session = await work.sessions.session_unscoped(session_id)
            if claim is None or session is None:
                return False
            if session.has_ended or session.idle <= ttl:
                await work.runs.release(claim)
                return False
        await self.engine.end(claim, AbortReason.EXPIRED)
        return True
