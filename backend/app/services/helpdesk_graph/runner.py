"""The four ways in: start, resume, confirm, abort.

Each admits in a short transaction and works without one; the driver records in short ones.
"""

from dataclasses import dataclass, replace
from typing import Any

from langgraph.types import Command

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
    idempotent,
    refuse_taken,
    replayed,
)
from backend.app.services.helpdesk_graph.beginning import Beginning
from backend.app.services.helpdesk_graph.confirming import Confirming
from backend.app.services.helpdesk_graph.driver import Prepared, about
from backend.app.services.helpdesk_graph.sessions import HelpdeskSessions, Launched
from backend.app.services.helpdesk_graph.stopping import Stopping
from backend.app.services.helpdesk_graph.tracing import Tracer, trace_agent_run
from backend.app.services.runs.claims import Claims, RunInProgress
from backend.app.services.runs.engine import RunEngine


@dataclass(frozen=True, slots=True)
class HelpdeskRunner:
    """Starts sessions, takes answers and confirms, and ends them."""

    uow: UnitOfWork
    ids: IdSource
    admission: Admission
    beginning: Beginning
    confirming: Confirming
    stopping: Stopping
    claims: Claims
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
            switched = await work.switches.all_until_commit(with_user=principal.user_id)
            if asked and (earlier := await self._replayed(work, principal, asked)):
                return earlier
            await self.beginning.lock_chat(work, principal, chat_session_id)
            flags = self.admission.refuse_start(principal, switched)
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
            claim = self.claims.first(
                ThreadId(case.session_id),
                GraphKind.HELPDESK,
                allowance=self.admission.settings.deadline,
            )
            session = await work.sessions.add(
                case.session_id,
                principal.user_id,
                chat_session_id,
                request.trigger,
                given,
                claim=claim,
                lease=self.engine.settings.lease,
                fact=AgentStarted(
                    actor_id=principal.user_id,
                    agent_session_id=case.session_id,
                    chat_session_id=chat_session_id,
                    trigger=request.trigger,
                ),
            )
            if session is None:
                raise SessionOpen
            if asked:
                await work.sessions.keep_key(asked, session.id)
            prepared = Prepared(session, flags.tools)
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
            await self.stopping.end(left.id, AbortReason.EXPIRED)

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
        going_on = self.admission.going_on(principal, session_id)
        async with going_on as (work, session, switched):
            if asked and (earlier := await self._replayed(work, principal, asked)):
                return earlier
            if session.has_ended:
                raise SessionEnded
            flags = self.admission.refuse_going_on(switched)
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
            await work.sessions.give(
                session_id,
                {"question_id": question_id, "answer": answer},
                fact=AgentResumed(**about(session), question_id=question_id),
            )
            prepared = Prepared(session, flags.tools)
        given: Command[Any] = Command(resume={question_id: answer})
        ending = self.engine.launch(claim, given, prepared)
        return Launched(session_id, claim.last_seq, ending, prepared.shown)

    async def _claimed(
        self, work: Work, session_id: AgentSessionId, question_id: str
    ) -> tuple[Claim, AgentSession]:
        """The claim on a session's thread, and the session as it is under it."""
        taken = await work.sessions.take(
            session_id, self.claims.owner, lease=self.engine.settings.lease
        )
        if taken is None:
            raise RunInProgress
        claim, session = taken
        if session is None:
            raise AgentSessionNotFound  # deleted just now
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
            DraftChanged, NotACandidate, NamesNotLookedFor, SessionEnded: it ended without a ticket.
        """
        session_id = AgentSessionId(request.session_id)
        asked = idempotent(principal, f"confirm:{session_id}", key, request.model_dump_json())
        if self.confirming.takes_out_names:
            # Whose session it is is looked at first: nobody has another's text worked on.
            session = await self.admission.own_session(principal, session_id)
            if session.has_ended:
                return self._repeated(session)
            if session.pending_question_id != request.pending_question_id:
                raise StaleQuestion
            request = await self.confirming.without_names(request, principal.user_id)
        going_on = self.admission.going_on(principal, session_id)
        async with going_on as (work, session, switched):
            if session.has_ended:
                return self._repeated(session)
            flags = self.admission.refuse_going_on(switched)
            claim, session = await self._claimed(work, session_id, request.pending_question_id)
            if session.has_ended:
                return self._repeated(session)
            if (session.turn or {}).get("kind") != TurnKind.DRAFT_READY:
                raise StaleQuestion
            await refuse_taken(work, asked)
            if asked:
                await work.sessions.keep_key(asked, session_id)
            outcome, turn, telling = await self.confirming.decided(
                work, principal, session, request
            )
            prepared = Prepared(replace(session, outcome=outcome), flags.tools)
            # Nothing of the matter is left for the graph to do.
            if is_concluded := self.engine.can_conclude:
                await self.engine.conclude(work, claim, telling)
            else:
                await work.runs.tell(claim, telling, is_final=True)
        prepared.shown.turn = turn
        if not is_concluded:
            given: Command[Any] = Command(
                resume={request.pending_question_id: {"confirmed": outcome.value}}
            )
            # To its end, which changes the answer no more.
            self.engine.launch(claim, given, prepared)
        issue = self.confirming.writing(turn)
        return Launched(session_id, claim.last_seq, shown=prepared.shown, issue=issue)

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
        return await self.stopping.end(session_id, AbortReason.USER)


def _redacted(text: str | None) -> str | None:
    return None if text is None else redact(text).text
