"""Agent sessions: one journey from *Get help* to one of four ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NewType
from uuid import UUID

from backend.app.domain.chat import ChatMessageId, ChatSessionId
from backend.app.domain.principals import UserId
from backend.app.domain.runs import AbortReason

AgentSessionId = NewType("AgentSessionId", UUID)

#: Raised when a stored state can no longer be read; sessions of another version answer 410.
STATE_VERSION = 1

MAX_REPLY_CHARACTERS = 4000
#: Of one session: questions, proposals and additions to its draft.
MAX_EXCHANGES = 24
MAX_DRAFT_TITLE_CHARACTERS = 120
MAX_DRAFT_DESCRIPTION_CHARACTERS = 8000
#: Of the messages that a session is handed at its start.
MAX_CONVERSATION_TURNS = 40
MAX_CONVERSATION_CHARACTERS = 32_000


class Trigger(StrEnum):
    """What began a session."""

    CHIP = "chip"
    PHRASE = "phrase"
    LLM_ROUTER = "llm_router"


class NextAction(StrEnum):
    """The closed set of steps. ``file_new`` and ``link_existing`` are reached by a confirm only."""

    RETRY_KB = "retry_kb"
    WEB_SEARCH = "web_search"
    SEARCH_DUPLICATES = "search_duplicates"
    ASK_USER = "ask_user"
    CLASSIFY = "classify"
    PROPOSE_SOLUTION = "propose_solution"
    WRITE_DRAFT = "write_draft"
    AWAIT_USER_CONFIRM = "await_user_confirm"
    FILE_NEW = "file_new"
    LINK_EXISTING = "link_existing"
    RESOLVED_BY_AGENT = "resolved_by_agent"
    ABORT = "abort"


#: The steps that use a tool, with the tool's name in metrics and audit lines.
TOOL_NAMES: Mapping[NextAction, str] = MappingProxyType(
    {
        NextAction.RETRY_KB: "retry_kb",
        NextAction.WEB_SEARCH: "web_search",
        NextAction.SEARCH_DUPLICATES: "search_existing_issues",
    }
)


class Outcome(StrEnum):
    """How a session ended."""

    FILED = "filed"
    LINKED = "linked"
    RESOLVED_BY_AGENT = "resolved_by_agent"
    ABORTED = "aborted"


class StepStatus(StrEnum):
    """How a step stands or ended; ``stopped``: the session ended under it."""

    RUNNING = "running"
    OK = "ok"
    EMPTY = "empty"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    SWITCHED_OFF = "switched_off"
    BLOCKED = "blocked"
    STOPPED = "stopped"


class TurnKind(StrEnum):
    """What a turn shows."""

    QUESTION = "question"
    INFO = "info"
    DRAFT_READY = "draft_ready"
    LINKED = "linked"
    FILED = "filed"
    RESOLVED = "resolved"
    ABORTED = "aborted"


class Severity(StrEnum):
    """How bad it is for whoever is affected."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Impact(StrEnum):
    """How many are affected; the words are shown."""

    PERSON = "Person"
    TEAM = "Team"
    ORGANISATION = "Organisation"


class Category(StrEnum):
    """What kind of matter it is."""

    ACCESS = "access"
    HARDWARE = "hardware"
    SOFTWARE = "software"
    NETWORK = "network"
    EMAIL = "email"
    DATA = "data"
    OTHER = "other"


class CandidateSource(StrEnum):
    """Where a possible duplicate stands."""

    DESK = "desk"
    GITHUB = "github"


@dataclass(frozen=True, slots=True)
class Classification:
    """How a matter is graded."""

    severity: Severity
    impact: Impact
    category: Category


@dataclass(frozen=True, slots=True)
class TicketDraft:
    """Proposed ticket text, not filed. ``description`` is Markdown."""

    title: str
    description: str
    severity: Severity
    impact: Impact
    category: Category


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """One message of the frozen list that a session begins with; ``role`` is user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ToolBudgets:
    """Hard limits of one session; all counts are inclusive."""

    turns: int = 8
    questions: int = 2
    tool_retries: int = 2
    duplicate_searches: int = 1
    proposals: int = 2
    tokens: int = 20_000


@dataclass(frozen=True, slots=True)
class AgentSession:
    """A session as the database knows it.

    ``turn`` is the last turn that was shown, as JSON values; None until the first pause or end.
    ``pending_question_id`` names what it waits for; None while it runs or when it has ended.
    ``given`` is what its present run was given; ``progress`` what it asked, was told, and knows.
    ``idle`` is the time since its last change, by the database's clock.
    """

    id: AgentSessionId
    user_id: UserId
    chat_session_id: ChatSessionId | None
    trigger: Trigger
    state_version: int
    created_at: datetime
    updated_at: datetime
    idle: timedelta
    outcome: Outcome | None = None
    reason: AbortReason | None = None
    ended_at: datetime | None = None
    pending_question_id: str | None = None
    draft_digest: str | None = None
    turn: dict[str, Any] | None = None
    given: dict[str, Any] | None = None
    progress: dict[str, Any] = field(default_factory=dict)
    chat_message_id: ChatMessageId | None = None
    tokens: int = 0

    @property
    def has_ended(self) -> bool:
        """Whether there is an outcome."""
        return self.outcome is not None


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """A request that carried an Idempotency-Key: who asked what, and under which key."""

    user_id: UserId
    operation: str
    key: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class KnownKey:
    """What an idempotency key stands for already."""

    digest: bytes
    session_id: AgentSessionId


#: How long an idempotency key is remembered.
IDEMPOTENCY_LIFE = timedelta(minutes=10)
