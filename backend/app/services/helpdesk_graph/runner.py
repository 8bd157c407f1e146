"""The four ways in: start, resume, confirm, abort.

Each admits in a short transaction and works without one; the driver records in short ones.
"""

from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from langgraph.types import Command

from backend.app.core.errors import Internal
from backend.app.core.ids import IdSource
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain.agent_events import AgentRequestRepeated, AgentResumed, AgentStarted
from backend.app.domain.chat import ChatSessionId
from backend.app.domain.principals import Principal
from backend.app.domain.redaction import redact
from backend.app.domain.runs import AbortReason, Claim, GraphKind, ThreadId
from backend.app.domain.sessions import (
    MAX_EXCHANGES,
    AgentSession,
    AgentSessionId,
    Outcome,
    TurnKind,
)
from backend.app.schemas.helpdesk import (
    AgentConfirmRequest,
    AgentResumeRequest,
    AgentStartRequest,
    AgentTurn,
)
from backend.app.services.helpdesk.admission import (
    Admission,
    AgentSessionNotFound,
    AgentSwitchedOff,
    SessionEnded,
    SessionOpen,
    StaleQuestion,
    TooMuchAdded,
    as_it_stands,
    idempotent,
    refuse_taken,
    replayed,
)
from backend.app.services.helpdesk_graph.beginning import Beginning
from backend.app.services.helpdesk_graph.confirming import Confirming
from backend.app.services.helpdesk_graph.driver import Prepared, about
from backend.app.services.helpdesk_graph.nodes.steps import Shown
from backend.app.services.helpdesk_graph.sessions import HelpdeskSessions
from backend.app.services.helpdesk_graph.tracing import Tracer, trace_agent_run
from backend.app.services.runs.claims import Claims
from backend.app.services.runs.control import RunControls
from backend.app.services.runs.endings import Ending, Handed
from backend.app.services.runs.engine import RunEngine

#: An abort may meet a run that pauses, and one that begins anew, at the very same moment.
_ABORT_TRIES = 5


@dataclass(frozen=True, slots=True)
class Launched:
    """A request that was let in: the session, the number behind which to follow it, and what to
    wait for; None when there is nothing to wait for.
    """

    session_id: AgentSessionId
    after: int
    ending: Awaitable[Ending] | None = None
    shown: Shown | None = None


@dataclass(frozen=True, slots=True)
class HelpdeskRunner:
    """Starts sessions, takes answers and confirms, and ends them."""

    uow: UnitOfWork
    ids: IdSource
    admission: Admission
    beginning: Beginning
    confirming: Confirming
    claims: Claims
    controls: RunControls
    engine: RunEngine
    sessions: HelpdeskSessions
    tracer: Tracer | None = None

    @trace_agent_run("start")
    async def start_session(
        self, principal: Principal, request: AgentStartRequest, key: str | None
    ) -> Launched:
        """Begin a session.

        Raises:
            IdempotencyKeyTaken, ChatSessionNotFound, NothingToWorkOn, KillSwitchOn,
            AgentSwitchedOff, AgentNotEnabled, SessionOpen, DailyCapReached.
        """
        asked = idempotent(principal, "start", key, request.model_dump_json())
        chat_session_id = (
            ChatSessionId(request.chat_session_id) if request.chat_session_id else None
        )
        await self._end_expired(principal, chat_session_id)
        async with self.uow() as work:
            # One request of a person after the other: key, cap and chat are looked at once.
            await work.identity.lock_user(principal.user_id)
            if asked and (earlier := await self._replayed(work, principal, asked)):
                return earlier
            await self.beginning.lock_chat(work, principal, chat_session_id)
            flags = await self.admission.refuse_start(work, principal)
            if self.engine.is_draining:
                raise AgentSwitchedOff
            if chat_session_id:
                opened = await work.sessions.open_in(chat_session_id, principal.user_id)
                if opened is not None:
                    raise SessionOpen(extra={"session_id": opened.id})
            case = await self.beginning.case(work, chat_session_id, request.conversation)
            await refuse_taken(work, asked)
            await self.admission.refuse_over_cap(work, principal)
            given = {"state": case.state}
            session = await work.sessions.add(
                case.session_id, principal.user_id, chat_session_id, request.trigger, given
            )
            if session is None:
                raise SessionOpen
            if asked:
                await work.sessions.keep_key(asked, session.id)
            claim = await self.claims.add(
                work,
                ThreadId(session.id),
                GraphKind.HELPDESK,
                allowance=self.admission.settings.deadline,
            )
            prepared = Prepared(session, flags.tools)
            await work.facts.tell(AgentStarted(**about(session), trigger=request.trigger))
        ending = self.engine.launch(claim, case.state, prepared)
        return Launched(session.id, 0, ending, prepared.shown)

    async def _end_expired(
        self, principal: Principal, chat_session_id: ChatSessionId | None
    ) -> None:
        """End what nobody can go on with: it must not keep the chat from a new session."""
        if chat_session_id is None:
            return
        async with self.uow() as work:
            left = await work.sessions.open_in(chat_session_id, principal.user_id)
        if left is not None and self.admission.is_expired(left):
            await self.end_session(left.id, AbortReason.EXPIRED)

    async def _replayed(self, work: Work, principal: Principal, asked: Any) -> Launched | None:
        session_id = await replayed(work, asked)
        session = await work.sessions.session(session_id, principal.user_id) if session_id else None
        if session is None:
            return None
        await work.facts.tell(AgentRequestRepeated(**about(session), operation=asked.operation))
        return Launched(session.id, 0)

    @trace_agent_run("resume")
    async def resume_session(
        self, principal: Principal, request: AgentResumeRequest, key: str | None
    ) -> Launched:
        """Answer the pending question.

        Raises:
            AgentSessionNotFound, SessionExpired, SessionEnded, KillSwitchOn, RunInProgress,
            StaleQuestion, IdempotencyKeyTaken.
        """
        session_id = AgentSessionId(request.session_id)
        question_id = request.pending_question_id
        asked = idempotent(principal, f"resume:{session_id}", key, request.model_dump_json())
        # Redacted before it is kept anywhere: it is stored, and so is what becomes of it.
        answer = {"reply": _redacted(request.reply), "choice": _redacted(request.choice)}
        entered = self.admission.entered(principal, session_id, alone=True)
        async with entered as (work, session):
            if asked and (earlier := await self._replayed(work, principal, asked)):
                return earlier
            if session.has_ended:
                raise SessionEnded
            flags = await self.admission.refuse_going_on(work)
            if self.engine.is_draining:
                raise AgentSwitchedOff
            claim, session = await self._claimed(work, session_id, question_id)
            if len(session.progress.get("exchanges", [])) >= MAX_EXCHANGES:
                raise TooMuchAdded
            if session.has_ended:
                raise SessionEnded
            await refuse_taken(work, asked)
            if asked:
                await work.sessions.keep_key(asked, session_id)
            await work.sessions.give(session_id, {"question_id": question_id, "answer": answer})
            prepared = Prepared(session, flags.tools)
            await work.facts.tell(AgentResumed(**about(session), question_id=question_id))
        given: Command[Any] = Command(resume={question_id: answer})
        ending = self.engine.launch(claim, given, prepared)
        return Launched(session_id, claim.last_seq, ending, prepared.shown)

    async def _claimed(
        self, work: Work, session_id: AgentSessionId, question_id: str
    ) -> tuple[Claim, AgentSession]:
        """The claim on a session's thread, and the session as it is under it."""
        claim = await self.claims.take(work, ThreadId(session_id))
        session = await as_it_stands(work, session_id)
        if session.chat_session_id:
            # Before anything of the session is written: whoever deletes a chat takes it first too.
            chat = await work.chat.session(
                session.chat_session_id, session.user_id, for_update=True
            )
            if chat is None:
                raise AgentSessionNotFound  # deleted with its chat just now
        if not session.has_ended and session.pending_question_id != question_id:
            raise StaleQuestion
        return claim, session

    @trace_agent_run("confirm")
    async def confirm_session(
        self, principal: Principal, request: AgentConfirmRequest, key: str | None
    ) -> Launched:
        """File exactly the draft that was shown, or link exactly the candidate that was. A session
        that has its outcome answers with it again.

        Raises:
            AgentSessionNotFound, SessionExpired, KillSwitchOn, RunInProgress, StaleQuestion,
            DraftChanged, NotACandidate, SessionEnded: it ended without a ticket.
        """
        session_id = AgentSessionId(request.session_id)
        asked = idempotent(principal, f"confirm:{session_id}", key, request.model_dump_json())
        entered = self.admission.entered(principal, session_id, alone=True)
        async with entered as (work, session):
            if session.has_ended:
                return self._repeated(session)
            flags = await self.admission.refuse_going_on(work)
            claim, session = await self._claimed(work, session_id, request.pending_question_id)
            if session.has_ended:
                return self._repeated(session)
            if (session.turn or {}).get("kind") != TurnKind.DRAFT_READY:
                raise StaleQuestion
            await refuse_taken(work, asked)
            if asked:
                await work.sessions.keep_key(asked, session_id)
            outcome, turn = await self.confirming.decided(work, principal, session, request)
            prepared = Prepared(replace(session, outcome=outcome), flags.tools)
        prepared.shown.turn = turn
        given: Command[Any] = Command(
            resume={request.pending_question_id: {"confirmed": outcome.value}}
        )
        # To its end, which changes the answer no more.
        self.engine.launch(claim, given, prepared)
        return Launched(session_id, claim.last_seq, shown=prepared.shown)

    def _repeated(self, session: AgentSession) -> Launched:
        if session.outcome not in {Outcome.FILED, Outcome.LINKED}:
            raise SessionEnded
        return Launched(session.id, 0)

    @trace_agent_run("abort")
    async def abort_session(self, principal: Principal, session_id: AgentSessionId) -> AgentTurn:
        """End a session; one that has its outcome keeps it.

        Raises:
            AgentSessionNotFound, SessionExpired.
        """
        await self.admission.own_session(principal, session_id)
        return await self.end_session(session_id, AbortReason.USER)

    async def end_session(self, session_id: AgentSessionId, reason: AbortReason) -> AgentTurn:
        """End anybody's session, whatever it is doing; the turn that it shows then.

        Raises:
            AgentSessionNotFound: it was deleted meanwhile.
        """
        for _ in range(_ABORT_TRIES):
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

    async def expire_session(self, session_id: AgentSessionId, ttl: timedelta) -> bool:
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

    async def turn_of(self, launched: Launched) -> AgentTurn:
        """The turn that a launched run ends in, whichever process drives it to its end."""
        ending = await launched.ending if launched.ending is not None else None
        if launched.shown is not None and (turn := launched.shown.traced()):
            return turn
        is_replay = ending is None and launched.shown is None
        if is_replay or isinstance(ending, Handed):
            async for _ in self.sessions.follow(launched.session_id, after=launched.after):
                continue
        told = await self.sessions.turns(launched.session_id, after=launched.after)
        if not told:
            async with self.uow() as work:
                await as_it_stands(work, launched.session_id)  # its chat may have been deleted
            raise Internal
        # What was told first is this run's: somebody may have answered already.
        return told[-1 if is_replay else 0]


def _redacted(text: str | None) -> str | None:
    return None if text is None else redact(text).text
