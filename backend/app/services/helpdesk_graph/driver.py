"""What the run engine must be told about the agent: what a step's telling is stored as, and how a
run's ending changes its session.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, cast

from langgraph.types import Command, Durability

from backend.app.core.clock import Clock
from backend.app.core.ids import IdSource
from backend.app.core.settings import AgentSettings
from backend.app.db.repositories.sessions import SessionChange
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain.agent_events import (
    AgentAborted,
    AgentAwaitsUser,
    AgentDraftReady,
    AgentEnded,
    AgentFact,
    AgentFailed,
)
from backend.app.domain.budgets import Tools
from backend.app.domain.runs import NOTHING, AbortReason, Claim, Telling
from backend.app.domain.sessions import (
    AgentSession,
    AgentSessionId,
    Category,
    Outcome,
    Severity,
    StepStatus,
    ToolBudgets,
    TurnKind,
)
from backend.app.schemas.helpdesk import AgentStep, AgentTurn
from backend.app.services.helpdesk.flags import Flag, Flags
from backend.app.services.helpdesk.persist import upsert_agent_summary
from backend.app.services.helpdesk_graph import turns
from backend.app.services.helpdesk_graph.graph import Graph
from backend.app.services.helpdesk_graph.nodes.steps import RunContext, Shown, StepTold
from backend.app.services.helpdesk_graph.state import HelpdeskState
from backend.app.services.helpdesk_graph.telling import facts_of_model, facts_of_step
from backend.app.services.helpdesk_graph.thinking import ModelTold
from backend.app.services.helpdesk_graph.turns import MAX_EVENTS, STEP, TURN
from backend.app.services.runs.driving import Settled
from backend.app.services.runs.endings import (
    Ending,
    Failed,
    Finished,
    Handed,
    Paused,
    RunStopped,
    Stopped,
)
from backend.app.services.runs.saver import config_of

_HASH_CHARACTERS = 16


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_CHARACTERS]


def budgets_of(settings: AgentSettings) -> ToolBudgets:
    """The limits of one session, as they are set."""
    return ToolBudgets(
        turns=settings.max_turns,
        questions=settings.max_questions,
        tool_retries=settings.max_tool_retries,
        tokens=settings.max_tokens_per_session,
    )


@dataclass(frozen=True, slots=True)
class Prepared:
    """Whose run it is that begins now, which tools are switched on, and what it will have shown
    once it has settled in this process.
    """

    session: AgentSession
    switched_on: Tools
    shown: Shown = field(default_factory=Shown)


@dataclass(slots=True)
class HelpdeskDriver:
    """The agent's side of the run engine.

    Its graph's steps only look things up; tickets and links are written with the confirm. So a run
    may be begun again from its last pause, and is saved where it pauses.
    """

    graph: Graph
    uow: UnitOfWork
    clock: Clock
    ids: IdSource
    settings: AgentSettings
    durability: Durability = "exit"

    def context(self, claim: Claim, prepared: Prepared) -> RunContext:
        """The run's context. Its time ends with the allowance; what lies beyond is for a draft."""
        ends_at = self.clock.monotonic() + claim.allowance.total_seconds()
        session = prepared.session
        return RunContext(
            session,
            self.clock,
            ends_at,
            prepared.switched_on,
            prepared.shown,
            tokens=session.tokens,
        )

    async def again(self, claim: Claim) -> tuple[object, Prepared]:
        """What the session's dead process had accepted: its conversation when nothing was saved
        yet, an answer whose question is still open, or nothing.

        Raises:
            RunStopped: the session is gone, or everything is switched off.
        """
        async with self.uow() as work:
            session = await work.sessions.session_unscoped(AgentSessionId(claim.thread_id))
            if session is None:
                raise RunStopped(AbortReason.ERASED)
            prepared = Prepared(session, self._switched_on(await work.switches.all()))
        given = session.given or {}
        saved = await self.graph.aget_state(config_of(claim))
        if saved.created_at is None:
            return given.get("state"), prepared
        open_questions = {one.id for one in saved.interrupts}
        if given.get("question_id") in open_questions:
            answer: Command[Any] = Command(resume={given["question_id"]: given["answer"]})
            return answer, prepared
        return None, prepared

    def _switched_on(self, switched: Mapping[str, bool]) -> Tools:
        flags = Flags(self.settings, switched)
        if flags.is_on(Flag.KILL_SWITCH):
            raise RunStopped(AbortReason.KILL_SWITCH)
        return flags.tools

    def is_urgent(self, told: object) -> bool:
        """A step that takes time is shown when it begins; what a model cost is kept whatever comes
        next.
        """
        if isinstance(told, ModelTold):
            return told.usage.total > 0
        return isinstance(told, StepTold) and told.status is StepStatus.RUNNING

    def watch(self, context: RunContext, switched: Mapping[str, bool]) -> None:
        """Look at the switches."""
        context.tools = self._switched_on(switched)

    def telling(self, context: RunContext, told: Sequence[object]) -> Telling:
        """Steps' events together with their facts."""
        steps = [one for one in told if isinstance(one, StepTold)]
        shown = [_step(one) for one in steps]
        context.shown.steps |= {one.seq: one for one in shown}
        whose = about(context.session)
        asked = [one for one in told if isinstance(one, ModelTold)]
        facts = [fact for one in asked for fact in facts_of_model(whose, one)]
        facts += [fact for one in steps for fact in facts_of_step(whose, one)]
        return Telling(tuple((STEP, one.model_dump(mode="json")) for one in shown), tuple(facts))

    def is_kept(self, told: object) -> bool:
        """Of what a model said, its cost."""
        return isinstance(told, ModelTold) and told.usage.total > 0

    async def keep(self, work: Work, context: RunContext, told: Sequence[object]) -> None:
        """Count what a model cost to the session."""
        if tokens := sum(one.usage.total for one in told if isinstance(one, ModelTold)):
            await work.sessions.spend(context.session.id, tokens)

    async def settle(
        self, work: Work, claim: Claim, context: RunContext | None, ending: Ending
    ) -> Settled:
        """Store how the session stands now. One with an outcome keeps it."""
        session = (
            replace(context.session, tokens=context.tokens)
            if context is not None  # as it was read under this very claim
            else await work.sessions.session_unscoped(AgentSessionId(claim.thread_id))
        )
        if session is None or session.has_ended or isinstance(ending, Handed):
            return Settled(is_over=True)
        failed = NOTHING
        if isinstance(ending, Failed):
            kind, digest = type(ending.error).__name__, _hashed(str(ending.error))
            fact = AgentFailed(**about(session), error=kind, message_hash=digest)
            failed = Telling(facts=(fact,))
        if isinstance(ending, Stopped | Failed) or claim.attempt > 1:  # or what was begun anew
            failed += await self._stopped_steps(work, claim, context)
        turn, change = self._change(session, ending)
        message_id = await upsert_agent_summary(work, self.ids, session, turn)
        finished = await self.finish(work, session, turn, change, message_id=message_id)
        if finished is None:
            return Settled(is_over=True, telling=failed)
        shown, telling = finished
        if context is not None:
            context.shown.turn = shown
        return Settled(not isinstance(ending, Paused), failed + telling)

    async def _stopped_steps(self, work: Work, claim: Claim, context: RunContext | None) -> Telling:
        """Of every step that was under way when its session ended, that it is no more."""
        stored = await work.run_events.events(claim.thread_id, after=0, limit=MAX_EVENTS)
        known = {one.seq: one for one in turns.steps_of(stored)}
        stopped = turns.stopped_steps({**known, **(context.shown.steps if context else {})})
        if context is not None:
            context.shown.steps |= {one.seq: one for one in stopped}
        return Telling(tuple((STEP, one.model_dump(mode="json")) for one in stopped))

    def _change(self, session: AgentSession, ending: Ending) -> tuple[AgentTurn, dict[str, Any]]:
        """The turn to show, and what of the session's row changes with it."""
        budgets = budgets_of(self.settings)
        if isinstance(ending, Paused):
            state = cast(HelpdeskState, ending.values)
            question_id = ending.interrupts[0].id
            turn = turns.paused_turn(state, session.id, question_id, budgets)
            return turn, {
                "progress": turns.progress_of(state),
                "pending_question_id": question_id,
                "draft_digest": turn.draft_digest,
            }
        if isinstance(ending, Finished):
            state = cast(HelpdeskState, ending.values)
            progress = turns.progress_of(state)
            if turns.is_solved(state):
                turn = turns.resolved_turn(state, session.id)
                return turn, {"progress": progress, "outcome": Outcome.RESOLVED_BY_AGENT}
            return self._aborted(session, AbortReason.USER, progress)
        reason = ending.reason if isinstance(ending, Stopped) else AbortReason.ERROR
        return self._aborted(session, reason, session.progress)

    def _aborted(
        self, session: AgentSession, reason: AbortReason, progress: Mapping[str, Any]
    ) -> tuple[AgentTurn, dict[str, Any]]:
        turn = turns.aborted_turn(session.id, reason)
        return turn, {"progress": progress, "outcome": Outcome.ABORTED, "reason": reason}

    async def finish(
        self,
        work: Work,
        session: AgentSession,
        turn: AgentTurn,
        change: Mapping[str, Any],
        *,
        message_id: Any,
    ) -> tuple[AgentTurn, Telling] | None:
        """Write the session's row.

        Returns:
            The turn as it is shown, and what is to be told of it; None when the session has been
            deleted with its chat.
        """
        shown = turn.model_copy(update={"chat_message_id": message_id})
        dumped = shown.model_dump(mode="json", exclude_none=True)
        changed = SessionChange(turn=dumped, chat_message_id=message_id, **change)
        if not await work.sessions.change(session.id, changed):
            return None
        facts = _facts_of_turn(session, shown, change, self.clock)
        return shown, Telling(((TURN, dumped),), tuple(facts))


def _step(told: StepTold) -> AgentStep:
    return AgentStep(
        seq=told.seq,
        action=told.action,
        status=told.status,
        reason=told.reason,
        started_at=told.started_at,
        duration_ms=told.duration_ms,
        found=told.found,
        is_cached=told.is_cached,
    )


def about(session: AgentSession) -> dict[str, Any]:
    """What every fact of a session carries."""
    return {
        "actor_id": session.user_id,
        "agent_session_id": session.id,
        "chat_session_id": session.chat_session_id,
    }


def _facts_of_turn(
    session: AgentSession, turn: AgentTurn, change: Mapping[str, Any], clock: Clock
) -> list[AgentFact]:
    if turn.kind is TurnKind.QUESTION:
        return [
            AgentAwaitsUser(
                **about(session),
                question_hash=_hashed(turn.message),
                position=turn.question_number,
            )
        ]
    if turn.kind is TurnKind.DRAFT_READY and turn.draft is not None:
        return [
            AgentDraftReady(
                **about(session),
                title_hash=_hashed(turn.draft.title),
                severity=Severity(turn.draft.severity),
                category=Category(turn.draft.category),
            )
        ]
    outcome, reason = change["outcome"], change.get("reason")
    progress = change["progress"]
    since = clock.now() - session.created_at
    ended = AgentEnded(
        **about(session),
        outcome=outcome,
        reason=reason,
        total_turns=progress.get("turns", 0),
        total_questions=progress.get("questions", 0),
        total_tokens=session.tokens,
        duration_ms=max(0, since // timedelta(milliseconds=1)),
    )
    aborted = [AgentAborted(**about(session), reason=reason)] if reason else []
    return [ended, *aborted]
