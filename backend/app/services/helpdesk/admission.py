"""Whether a request to the agent is let in; in the transaction that lets it.

The order of the checks is the order in which a caller may learn things: what is another's does not
exist, then what has expired, then what has ended, then what is switched off or busy.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from backend.app.core.errors import (
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    TooMany,
    Unavailable,
)
from backend.app.core.settings import AgentSettings
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain.agent_events import AgentAccessRefused
from backend.app.domain.principals import Principal, UserId
from backend.app.domain.runs import AbortReason
from backend.app.domain.sessions import (
    STATE_VERSION,
    AgentSession,
    AgentSessionId,
    IdempotentRequest,
)
from backend.app.services.helpdesk.flags import Flag, Flags

_RETRY_AFTER = timedelta(seconds=30)


class AgentSessionNotFound(NotFound):
    """There is no such session."""


class SessionExpired(Gone):
    """This session has expired; start again."""


class SessionEnded(Conflict):
    """This session has ended."""


class StaleQuestion(Conflict):
    """This question is no longer open; the session has gone on."""


class TooMuchAdded(Invalid):
    """This session has taken as much as it takes; edit the draft, file it, or cancel."""


class SessionOpen(Conflict):
    """A session is open in this conversation already."""


class AgentSwitchedOff(Unavailable):
    """The agent takes no new requests just now; try again later."""

    retry_after = _RETRY_AFTER


class KillSwitchOn(Unavailable):
    """The agent is switched off for now."""

    retry_after = _RETRY_AFTER


class AgentNotEnabled(Forbidden):
    """The agent is not enabled for this account."""


class DailyCapReached(TooMany):
    """You have started as many sessions as one day allows."""


class IdempotencyKeyTaken(Invalid):
    """This Idempotency-Key was used for another request."""

    @classmethod
    def code(cls) -> str:
        """The same word on the wire as for messages of the chat."""
        return "idempotency_key_reused"


def idempotent(
    principal: Principal, operation: str, key: str | None, body: str
) -> IdempotentRequest | None:
    """The request under its key, with a digest of its body; None without a key."""
    if key is None:
        return None
    digest = hashlib.sha256(body.encode()).digest()
    return IdempotentRequest(principal.user_id, operation, key, digest)


async def replayed(work: Work, asked: IdempotentRequest | None) -> AgentSessionId | None:
    """The session that the same request led to before, or None."""
    known = await work.sessions.known_key(asked) if asked else None
    return known.session_id if asked and known and known.digest == asked.digest else None


async def refuse_taken(work: Work, asked: IdempotentRequest | None) -> None:
    """Raise `IdempotencyKeyTaken` when the request's key stands for another one."""
    known = await work.sessions.known_key(asked) if asked else None
    if asked and known and known.digest != asked.digest:
        raise IdempotencyKeyTaken


async def as_it_stands(work: Work, session_id: AgentSessionId) -> AgentSession:
    """A session that somebody was let in to, as it is now: it may be deleted at any time."""
    session = await work.sessions.session_unscoped(session_id)
    if session is None:
        raise AgentSessionNotFound
    return session


@dataclass(frozen=True, slots=True)
class Admission:
    """Lets requests in, or says why not."""

    uow: UnitOfWork
    settings: AgentSettings
    ttl: timedelta

    @asynccontextmanager
    async def entered(
        self, principal: Principal, session_id: AgentSessionId
    ) -> AsyncIterator[tuple[Work, AgentSession]]:
        """A unit of work, and one's own session in it, live or ended.

        Raises:
            AgentSessionNotFound: there is none, or it is another's.
            SessionExpired: nothing happened in it for too long, or it is of another version.
        """
        async with self.uow() as work:
            session = await work.sessions.session(session_id, principal.user_id)
            if session is not None:
                self._refuse_expired(session)
                yield work, session
                return
            await self._told_if_anothers(work, principal.user_id, session_id)
        raise AgentSessionNotFound

    @asynccontextmanager
    async def going_on(
        self, principal: Principal, session_id: AgentSessionId
    ) -> AsyncIterator[tuple[Work, AgentSession, Mapping[str, bool]]]:
        """The same to go on with it, and how switches were set, which holds until the transaction
        has ended. Such requests come one after the other: each sees what the one before has done.
        """
        async with self.uow() as work:
            entered = await work.sessions.enter(session_id, principal.user_id)
            if entered is not None:
                session, switched = entered
                self._refuse_expired(session)
                yield work, session, switched
                return
            await self._told_if_anothers(work, principal.user_id, session_id)
        raise AgentSessionNotFound

    def _refuse_expired(self, session: AgentSession) -> None:
        if self.is_expired(session):
            raise SessionExpired

    async def own_session(self, principal: Principal, session_id: AgentSessionId) -> AgentSession:
        """One's own session, live or ended; raises what `entered` does."""
        async with self.entered(principal, session_id) as (_, session):
            return session

    async def _told_if_anothers(
        self, work: Work, asking: UserId, session_id: AgentSessionId
    ) -> None:
        """Tell of an attempt on another's session. Both ways take the same statements' time but
        one insert, which the caller cannot tell from other waits.
        """
        if await work.sessions.session_unscoped(session_id) is not None:
            await work.facts.tell(AgentAccessRefused(actor_id=asking, agent_session_id=session_id))

    def is_expired(self, session: AgentSession) -> bool:
        """Whether a session can no longer be gone on with."""
        if session.has_ended:
            return session.reason is AbortReason.EXPIRED
        return session.state_version != STATE_VERSION or session.idle > self.ttl

    def flags(self, switched: Mapping[str, bool]) -> Flags:
        """Where every switch stands."""
        return Flags(self.settings, switched)

    def refuse_start(self, principal: Principal, switched: Mapping[str, bool]) -> Flags:
        """Raise when no session may start now: `KillSwitchOn`, `AgentSwitchedOff`,
        `AgentNotEnabled`. Else how the switches stand.
        """
        flags = self.flags(switched)
        if flags.is_on(Flag.KILL_SWITCH):
            raise KillSwitchOn
        if not flags.is_on(Flag.ENABLED):
            raise AgentSwitchedOff
        allowed = self.settings.enabled_user_ids
        if allowed and principal.user_id not in allowed:
            raise AgentNotEnabled
        return flags

    def refuse_going_on(self, switched: Mapping[str, bool]) -> Flags:
        """Raise `KillSwitchOn` when nothing may go on. Else how the switches stand."""
        flags = self.flags(switched)
        if flags.is_on(Flag.KILL_SWITCH):
            raise KillSwitchOn
        return flags

    async def refuse_over_cap(self, work: Work, principal: Principal) -> None:
        """Count a start; raise `DailyCapReached` when those of this day are used up. Starts are
        counted apart from sessions, which go with their chat.
        """
        limit = self.settings.max_sessions_per_user_per_day
        rest = await work.rates.hit_of_day(f"agent-starts:{principal.user_id}", limit=limit)
        if rest is not None:
            raise DailyCapReached(retry_after=rest)
