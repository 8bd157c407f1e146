"""Facts of an agent session, under the names that audit lines have always had."""

from dataclasses import dataclass
from typing import Any, ClassVar

from backend.app.domain.chat import ChatSessionId
from backend.app.domain.events import Fact
from backend.app.domain.language_models import ModelRole
from backend.app.domain.runs import AbortReason
from backend.app.domain.sessions import (
    STATE_VERSION,
    AgentSessionId,
    Category,
    NextAction,
    Outcome,
    Severity,
    StepStatus,
    Trigger,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFact(Fact):
    """Something that happened in an agent session."""

    agent_session_id: AgentSessionId
    chat_session_id: ChatSessionId | None
    state_version: int = STATE_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStarted(AgentFact):
    """A session began."""

    kind: ClassVar[str] = "agent.started"
    trigger: Trigger


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRequestRepeated(AgentFact):
    """A request came again under its idempotency key, and led to the same session."""

    kind: ClassVar[str] = "agent.request_repeated"
    operation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDecided(AgentFact):
    """The supervisor chose a step; ``turn`` counts its choices. Latency in milliseconds; ``prompt``
    is the version of what its model was told, None where rules chose.
    """

    kind: ClassVar[str] = "agent.supervisor_decision"
    turn: int
    next_action: NextAction
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: int = 0
    prompt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentModelAsked(AgentFact):
    """A model was asked, once or, where its answer had to be repaired, twice. ``outcome`` is ``ok``
    or a `ModelFault`; tokens by the provider's own count.
    """

    kind: ClassVar[str] = "agent.model_call"
    role: ModelRole
    outcome: str
    prompt: str
    tokens_in: int
    tokens_out: int
    latency_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentInjectionBlocked(AgentFact):
    """Text from outside looked like an attempt to steer a model: ``marker`` forged one of the
    fence's, ``answer`` made the model answer with something else than what it was asked for.
    """

    kind: ClassVar[str] = "agent.injection_blocked"
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentToolCalled(AgentFact):
    """A tool was used; the duration is in milliseconds. ``cause`` is a closed word for what the
    outcome came from; ``is_cached``: the session knew the result, and nothing was called.
    """

    kind: ClassVar[str] = "agent.tool_call"
    tool: str
    outcome: StepStatus
    duration_ms: int
    cause: str = ""
    is_cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpecialistRan(AgentFact):
    """A node with one skill did its work; the duration is in milliseconds."""

    kind: ClassVar[str] = "agent.specialist_ran"
    action: NextAction
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAwaitsUser(AgentFact):
    """A session waits for an answer. ``position`` counts clarifying questions; None of a
    proposal.
    """

    kind: ClassVar[str] = "agent.awaiting_user"
    question_hash: str
    position: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResumed(AgentFact):
    """A person answered."""

    kind: ClassVar[str] = "agent.resumed"
    question_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDraftReady(AgentFact):
    """A draft waits for its owner."""

    kind: ClassVar[str] = "agent.draft_ready"
    title_hash: str
    severity: Severity
    category: Category


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentUserConfirmed(AgentFact):
    """The owner confirmed a draft, or a link. ``issue_number`` is that of an issue that was linked;
    what becomes of a draft's issue is told by `AgentIssueFiled`.
    """

    kind: ClassVar[str] = "agent.user_confirmed"
    issue_number: int | None
    ticket_number: int | None
    draft_digest: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentIssueFiled(AgentFact):
    """A filed ticket is in the outside tracker. ``attempts`` counts the writes that were begun;
    ``was_found``: it was there when it was looked for.
    """

    kind: ClassVar[str] = "agent.issue_filed"
    issue_number: int
    ticket_number: int
    attempts: int
    was_found: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnded(AgentFact):
    """A session has its outcome; ``duration_ms`` is from its start, thinking included."""

    kind: ClassVar[str] = "agent.outcome"
    outcome: Outcome
    reason: AbortReason | None
    total_turns: int
    total_questions: int
    total_tokens: int
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAborted(AgentFact):
    """A session was ended before its end."""

    kind: ClassVar[str] = "agent.aborted"
    reason: AbortReason


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFailed(AgentFact):
    """A session met a fault of ours; ``error`` is its type, and of its words there is a digest."""

    kind: ClassVar[str] = "agent.error"
    error: str
    message_hash: str

    def data(self) -> dict[str, Any]:
        """The fact's fields; the error's type is told as ``kind``."""
        told = super(AgentFailed, self).data()
        return {"kind": told.pop("error"), **told}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAccessRefused(Fact):
    """Somebody asked for a session that is another's. Nothing of it was told."""

    kind: ClassVar[str] = "agent.acl_violation"
    agent_session_id: AgentSessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketFiledByHand(Fact):
    """A person filed a ticket without the agent."""

    kind: ClassVar[str] = "ticket.filed_by_hand"
    ticket_number: int
    draft_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchSet(Fact):
    """A switch was set while the program runs; None: it is left to the settings again."""

    kind: ClassVar[str] = "agent.switch_set"
    name: str
    is_on: bool | None
