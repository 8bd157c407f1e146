"""What the run engine must be told about the agent: what a step's telling is stored as, and how a
run's ending changes its session.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    AgentDecided,
    AgentDraftReady,
    AgentEnded,
    AgentFact,
    AgentFailed,
    AgentSpecialistRan,
    AgentToolCalled,
)
from backend.app.domain.budgets import Tools
from backend.app.domain.runs import AbortReason, Claim, ThreadId
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
from backend.app.services.helpdesk_graph.nodes.steps import (
    SLOW,
    SPECIALISTS,
    RunContext,
    Shown,
    StepTold,
)
from backend.app.services.helpdesk_graph.state import HelpdeskState
from backend.app.services.runs.endings import (
    Ending,
    Failed,
    Finished,
    Handed,
    Paused,
    RunStopped,
    Stopped,
)
from backend.app.services.runs.engine import config_of

#: Kinds of a run's events, and the names under which they are streamed.
STEP, TURN = "step", "turn"
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
        return RunContext(
            prepared.session, self.clock, ends_at, prepared.switched_on, prepared.shown
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
            prepared = Prepared(session, await self._switched_on(work))
        given = session.given or {}
        saved = await self.graph.aget_state(config_of(claim))
        if saved.created_at is None:
            return given.get("state"), prepared
        open_questions = {one.id for one in saved.interrupts}
        if given.get("question_id") in open_questions:
            answer: Command[Any] = Command(resume={given["question_id"]: given["answer"]})
            return answer, prepared
        return None, prepared

    async def _switched_on(self, work: Work) -> Tools:
        flags = Flags(self.settings, await work.switches.all())
        if flags.is_on(Flag.KILL_SWITCH):
            raise RunStopped(AbortReason.KILL_SWITCH)
        return flags.tools

    def is_urgent(self, told: object) -> bool:
        """A step that takes time is shown when it begins."""
        return isinstance(told, StepTold) and told.status is StepStatus.RUNNING

    async def watch(self, work: Work, context: RunContext) -> None:
        """Look at the switches."""
        context.tools = await self._switched_on(work)

    async def record(
        self, work: Work, claim: Claim, context: RunContext, told: Sequence[object]
    ) -> None:
        """Store steps' events together with their facts."""
        steps = [one for one in told if isinstance(one, StepTold)]
        shown = [_step(one) for one in steps]
        context.shown.steps |= {one.seq: one for one in shown}
        events = [(STEP, one.model_dump(mode="json")) for one in shown]
        await work.run_events.tell(claim.thread_id, *events)
        facts = [fact for one in steps for fact in self._facts_of_step(context.session, one)]
        await work.facts.tell(*facts)

    def _facts_of_step(self, session: AgentSession, told: StepTold) -> list[AgentFact]:
        facts: list[AgentFact] = []
        if told.is_new:
            facts.append(
                AgentDecided(
                    **about(session),
                    turn=told.seq,
                    next_action=told.action,
                    latency_ms=told.latency_ms,
                )
            )
        if told.is_new and told.action in SPECIALISTS:
            took = told.duration_ms or 0
            facts.append(AgentSpecialistRan(**about(session), action=told.action, duration_ms=took))
        if told.action in SLOW and told.status is not StepStatus.RUNNING:
            facts.append(
                AgentToolCalled(
                    **about(session),
                    tool=told.action.value,
                    outcome=told.status,
                    duration_ms=told.duration_ms or 0,
                )
            )
        return facts

    async def settle(
        self, work: Work, claim: Claim, context: RunContext | None, ending: Ending
    ) -> bool:
        """Store how the session stands now; whether it is over. One with an outcome keeps it."""
        session = (
            context.session
            if context is not None  # as it was read under this very claim
            else await work.sessions.session_unscoped(AgentSessionId(claim.thread_id))
        )
        if session is None or session.has_ended or isinstance(ending, Handed):
            return True
        if isinstance(ending, Failed):
            kind, digest = type(ending.error).__name__, _hashed(str(ending.error))
            await work.facts.tell(AgentFailed(**about(session), error=kind, message_hash=digest))
        turn, change = self._change(session, ending)
        message_id = await upsert_agent_summary(work, self.ids, session, turn)
        shown = await self.finish(work, session, turn, change, message_id=message_id)
        if context is not None:
            context.shown.turn = shown
        return shown is None or not isinstance(ending, Paused)

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
    ) -> AgentTurn | None:
        """Write the session's row, its event and its facts.

        Returns:
            The turn as it is shown; None when the session has been deleted with its chat.
        """
        shown = turn.model_copy(update={"chat_message_id": message_id})
        dumped = shown.model_dump(mode="json", exclude_none=True)
        changed = SessionChange(turn=dumped, chat_message_id=message_id, **change)
        if not await work.sessions.change(session.id, changed):
            return None
        await work.run_events.tell(ThreadId(session.id), (TURN, dumped))
        await work.facts.tell(*_facts_of_turn(session, shown, change, self.clock))
        return shown


def _step(told: StepTold) -> AgentStep:
    return AgentStep(
        seq=told.seq,
        action=told.action,
        status=told.status,
        reason=told.reason,
        started_at=told.started_at,
        duration_ms=told.duration_ms,
        found=told.found,
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
