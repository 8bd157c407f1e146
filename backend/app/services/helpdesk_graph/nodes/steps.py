"""What a run is given beside its state, and what nodes tell of the steps they take."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from langgraph.config import get_stream_writer
from langgraph.runtime import Runtime, get_runtime

from backend.app.core.clock import Clock
from backend.app.domain.budgets import Tools
from backend.app.domain.sessions import AgentSession, NextAction, StepStatus
from backend.app.schemas.helpdesk import AgentStep, AgentTurn
from backend.app.services.helpdesk_graph.state import HelpdeskState

Update = dict[str, Any]
Node = Callable[[HelpdeskState, Runtime["RunContext"]], Awaitable[Update]]


#: Steps that take time; of these it is told when they begin, of the others only how they ended.
SLOW = frozenset({NextAction.RETRY_KB, NextAction.WEB_SEARCH, NextAction.SEARCH_DUPLICATES})

#: Steps that are one node's skill; they are told when they are done.
SPECIALISTS = frozenset(
    {
        NextAction.ASK_USER,
        NextAction.CLASSIFY,
        NextAction.PROPOSE_SOLUTION,
        NextAction.WRITE_DRAFT,
    }
)


@dataclass(slots=True)
class Shown:
    """What a run has shown, for whoever waits for it in its own process."""

    steps: dict[int, AgentStep] = field(default_factory=dict)
    turn: AgentTurn | None = None

    def traced(self) -> AgentTurn | None:
        """The turn with the steps that led to it; None until the run has paused or ended."""
        if self.turn is None:
            return None
        return self.turn.model_copy(update={"debug_trace": list(self.steps.values())})


@dataclass(slots=True)
class RunContext:
    """What one run is given beside its state; never saved.

    ``tools`` are those that were switched on when last looked; ``ends_at`` is of the clock's
    monotonic time.
    """

    session: AgentSession
    clock: Clock
    ends_at: float
    tools: Tools
    shown: Shown = field(default_factory=Shown)

    def time_left(self) -> float:
        """Seconds of active time that are left; never below zero."""
        return max(0.0, self.ends_at - self.clock.monotonic())


@dataclass(frozen=True, slots=True)
class StepTold:
    """What a node tells of a step, through the stream writer.

    ``seq`` numbers the session's steps; ``is_new`` marks the telling that also stands for a
    decision of the supervisor. Latency and duration are in milliseconds.
    """

    seq: int
    action: NextAction
    status: StepStatus
    reason: str
    started_at: datetime
    is_new: bool
    latency_ms: int = 0
    duration_ms: int | None = None
    found: int | None = None


def told(
    step: Mapping[str, Any], status: StepStatus, *, is_new: bool = False, **rest: Any
) -> StepTold:
    """What there is to tell of the step under way."""
    return StepTold(
        seq=step["seq"],
        action=NextAction(step["action"]),
        status=status,
        reason=step["reason"],
        started_at=datetime.fromisoformat(step["started_at"]),
        latency_ms=step["latency_ms"],
        is_new=is_new,
        **rest,
    )


def tell_done(state: HelpdeskState, status: StepStatus = StepStatus.OK) -> None:
    """Tell that a step is done of which it was not told when it began. Of one that nobody decided
    it is not known when it did.
    """
    step = state["step"]
    took = 0
    if step["is_decided"]:
        began = datetime.fromisoformat(step["started_at"])
        since = get_runtime(RunContext).context.clock.now() - began
        took = max(0, since // timedelta(milliseconds=1))
    get_stream_writer()(told(step, status, is_new=step["is_decided"], duration_ms=took))
