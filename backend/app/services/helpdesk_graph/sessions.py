"""Sessions as their owner sees them: how one stands, and what it tells while it works."""

from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass

from backend.app.core.errors import Internal
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain import sessions as domain
from backend.app.domain.chat import ChatSessionId, ChatSessionNotFound
from backend.app.domain.principals import Principal, UserId
from backend.app.domain.runs import RunEvent, ThreadId
from backend.app.domain.sessions import AgentSessionId, TurnKind
from backend.app.schemas.helpdesk import (
    AgentExchange,
    AgentFact,
    AgentSession,
    AgentStep,
    AgentTurn,
    DraftPreview,
    SessionStatus,
    TicketDraft,
)
from backend.app.services.helpdesk import filing
from backend.app.services.helpdesk.admission import (
    Admission,
    SessionEnded,
    as_it_stands,
)
from backend.app.services.helpdesk.leaving import Leaving
from backend.app.services.helpdesk_graph.matter import draft_from
from backend.app.services.helpdesk_graph.nodes.steps import Shown
from backend.app.services.helpdesk_graph.turns import MAX_EVENTS, TURN, steps_of
from backend.app.services.runs.endings import Ending, Handed
from backend.app.services.runs.events import RunEvents


@dataclass(frozen=True, slots=True)
class Told:
    """Something a session told, under the number by which a reader comes back to it."""

    seq: int
    event: AgentStep | AgentTurn


@dataclass(frozen=True, slots=True)
class Launched:
    """A request that was let in: the session, the number behind which to follow it, and what to
    wait for; None when there is nothing to wait for. ``issue``: a filing under way to the tracker.
    """

    session_id: AgentSessionId
    after: int
    ending: Awaitable[Ending] | None = None
    shown: Shown | None = None
    issue: Awaitable[AgentTurn | None] | None = None


@dataclass(frozen=True, slots=True)
class HelpdeskSessions:
    """Reads sessions and follows them."""

    uow: UnitOfWork
    admission: Admission
    events: RunEvents
    leaving: Leaving

    async def get(self, principal: Principal, session_id: AgentSessionId) -> AgentSession:
        """One's own session as it stands.

        Raises:
            AgentSessionNotFound, SessionExpired: see `Admission.own_session`.
        """
        async with self.admission.entered(principal, session_id) as (work, _):
            return await _view(work, session_id)

    async def of_chat(
        self, principal: Principal, chat_session_id: ChatSessionId, *, limit: int
    ) -> list[AgentSession]:
        """The sessions of one of one's own chats, newest first.

        Raises:
            ChatSessionNotFound: not one's own chat.
        """
        async with self.uow() as work:
            if await work.chat.session(chat_session_id, principal.user_id) is None:
                raise ChatSessionNotFound
            found = await work.sessions.of_chat(chat_session_id, principal.user_id, limit=limit)
            return [await _view(work, one.id) for one in found]

    async def recent(self, *, limit: int, of: UserId | None) -> list[tuple[UserId, AgentSession]]:
        """Sessions with their owners, newest first, of everybody or of one: for administrators."""
        async with self.uow() as work:
            found = await work.sessions.recent_unscoped(limit=limit, of=of)
            return [(one.user_id, await _view(work, one.id)) for one in found]

    async def view_unscoped(self, session_id: AgentSessionId) -> AgentSession:
        """Anybody's session: for administrators.

        Raises:
            AgentSessionNotFound: there is none.
        """
        async with self.uow() as work:
            return await _view(work, session_id)

    async def preview(
        self, principal: Principal, session_id: AgentSessionId, draft: TicketDraft
    ) -> DraftPreview:
        """How an edited draft would be filed. Nothing is stored.

        Raises:
            SessionEnded: there is nothing left to file.
            NamesNotLookedFor: what must not leave is not known in time.
        """
        session = await self.admission.own_session(principal, session_id)
        if session.has_ended:
            raise SessionEnded
        async with self.uow() as work:
            key = await filing.key_for(work, session)
        safe = await self.leaving.draft(draft_from(draft.model_dump()), asked_by=principal.user_id)
        most, stays_here = self.leaving.body_characters, self.leaving.stays_here
        preview = filing.preview(safe, session, key, max_characters=most, stays_here=stays_here)
        return shown(preview)

    async def has_more(
        self, principal: Principal, session_id: AgentSessionId, *, after: int
    ) -> bool:
        """Whether one's own session has told, or will tell, anything behind number ``after``."""
        await self.admission.own_session(principal, session_id)
        found, goes_on = await self.events.after(ThreadId(session_id), after)
        return bool(found) or goes_on

    async def follow(self, session_id: AgentSessionId, *, after: int) -> AsyncIterator[Told]:
        """What a session tells behind number ``after``, as it comes, until it pauses or ends."""
        async for event in self.events.follow(ThreadId(session_id), after):
            yield Told(event.seq, _told(event))

    async def turns(self, session_id: AgentSessionId, *, after: int) -> list[AgentTurn]:
        """The turns that a session told behind number ``after``, each with the steps to it."""
        async with self.uow() as work:
            # A draft may be added to again and again: the latest are what is asked for.
            found = await work.run_events.events(
                ThreadId(session_id), after=after, limit=MAX_EVENTS
            )
        turns: list[AgentTurn] = []
        steps: list[RunEvent] = []
        for one in found:
            if one.kind == TURN:
                trace = {"debug_trace": steps_of(steps)}
                turns.append(AgentTurn.model_validate(one.data).model_copy(update=trace))
                steps = []
            else:
                steps.append(one)
        return turns

    async def turn_of(self, launched: Launched) -> AgentTurn:
        """The turn that a launched run ends in, whichever process drives it to its end."""
        ending = await launched.ending if launched.ending is not None else None
        if launched.issue is not None and launched.shown is not None:
            launched.shown.turn = await launched.issue or launched.shown.turn
        if launched.shown is not None and (turn := launched.shown.traced()):
            return turn
        is_replay = ending is None and launched.shown is None
        if is_replay or isinstance(ending, Handed):
            async for _ in self.follow(launched.session_id, after=launched.after):
                continue
        told = await self.turns(launched.session_id, after=launched.after)
        if not told:
            async with self.uow() as work:
                await as_it_stands(work, launched.session_id)  # its chat may have been deleted
            raise Internal
        # What was told first is this run's: somebody may have answered already.
        return told[-1 if is_replay else 0]


async def _view(work: Work, session_id: AgentSessionId) -> AgentSession:
    # The number first: what comes after it is told again to whoever follows from there.
    status = await work.runs.status(ThreadId(session_id))
    told = await work.run_events.events(ThreadId(session_id), after=0, limit=MAX_EVENTS)
    session = await as_it_stands(work, session_id)
    turn = AgentTurn.model_validate(session.turn) if session.turn else None
    is_running = not session.has_ended and session.pending_question_id is None
    progress = session.progress
    return AgentSession(
        session_id=session.id,
        chat_session_id=session.chat_session_id,
        status=_status(session, turn, is_running=is_running),
        outcome=session.outcome,
        reason=session.reason,
        turn=None if is_running else turn,
        steps=steps_of(told),
        exchanges=[AgentExchange(**one) for one in progress.get("exchanges", [])],
        facts=[AgentFact(key=key, value=value) for key, value in progress.get("facts", {}).items()],
        last_event_id=status.last_seq if status else 0,
        created_at=session.created_at,
        updated_at=session.updated_at,
    )


def _status(
    session: domain.AgentSession, turn: AgentTurn | None, *, is_running: bool
) -> SessionStatus:
    if session.has_ended:
        return SessionStatus.ENDED
    if is_running or turn is None:
        return SessionStatus.RUNNING
    if turn.kind is TurnKind.DRAFT_READY:
        return SessionStatus.AWAITING_CONFIRM
    return SessionStatus.AWAITING_USER


def _told(event: RunEvent) -> AgentStep | AgentTurn:
    if event.kind == TURN:
        return AgentTurn.model_validate(event.data)
    return AgentStep.model_validate(event.data)


def shown(preview: filing.Preview) -> DraftPreview:
    """A preview on the wire."""
    return DraftPreview(
        draft=TicketDraft.model_validate(preview.draft, from_attributes=True),
        body_preview=preview.body,
        draft_digest=preview.digest,
    )
