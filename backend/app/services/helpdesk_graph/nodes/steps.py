"""What a run is given beside its state, and what nodes tell of the steps they take."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from langgraph.config import get_stream_writer
from langgraph.runtime import Runtime, get_runtime

from backend.app.core.clock import Clock
from backend.app.domain.budgets import Tools
from backend.app.domain.language_models import ModelFault
from backend.app.domain.sessions import TOOL_NAMES, AgentSession, NextAction, StepStatus
from backend.app.schemas.helpdesk import AgentStep, AgentTurn
from backend.app.services.helpdesk_graph.state import HelpdeskState
from backend.app.services.tools.bounded import ToolMemory

Update = dict[str, Any]
Node = Callable[[HelpdeskState, Runtime["RunContext"]], Awaitable[Update]]


#: Steps that take time; of these it is told when they begin, of the others only how they ended.
SLOW = frozenset(TOOL_NAMES)

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
    monotonic time. ``tokens`` are those that the session has used in all its runs; ``away`` says
    why no model is asked any more in this run, ``forged`` how many forged markers were told of.
    """

    session: AgentSession
    clock: Clock
    ends_at: float
    tools: Tools
    shown: Shown = field(default_factory=Shown)
    memory: ToolMemory = field(default_factory=ToolMemory)
    tokens: int = 0
    away: ModelFault | None = None
    forged: int = 0

    def time_left(self) -> float:
        """Seconds of active time that are left; never below zero."""
        return max(0.0, self.ends_at - self.clock.monotonic())


@dataclass(frozen=True, slots=True)
class StepTold:
    """What a node tells of a step, through the stream writer.

    ``seq`` numbers the session's steps; ``is_new`` marks the telling that also stands for a
    decision of the supervisor; ``prompt`` is the version of what the model was told that took it,
    or None where rules did. Latency and duration are in milliseconds. Of a tool's step ``cause``
    says what its status came from, and ``is_cached`` that nothing was called.
    """

    seq: int
    action: NextAction
    status: StepStatus
    reason: str
    started_at: datetime
    is_new: bool
    latency_ms: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    prompt: str | None = None
    duration_ms: int | None = None
    found: int | None = None
    cause: str = ""
    is_cached: bool = False


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
        tokens_in=step.get("tokens_in", 0),
        tokens_out=step.get("tokens_out", 0),
        prompt=step.get("prompt"),
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
