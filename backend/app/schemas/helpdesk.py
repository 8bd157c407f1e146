"""The agent on the wire. ``AgentTurn`` only ever grows: new optional fields, new kinds."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field, model_validator

from backend.app.domain.runs import AbortReason
from backend.app.domain.sessions import (
    MAX_CONVERSATION_TURNS,
    MAX_DRAFT_DESCRIPTION_CHARACTERS,
    MAX_DRAFT_TITLE_CHARACTERS,
    MAX_REPLY_CHARACTERS,
    CandidateSource,
    Category,
    Impact,
    NextAction,
    Outcome,
    Severity,
    StepStatus,
    Trigger,
    TurnKind,
)
from backend.app.domain.tickets import IssueState, IssueStatus, Sameness, TicketStatus
from backend.app.schemas.base import RequestModel, StorableLine, StorableText, WireModel
from backend.app.schemas.chat import Source

_MAX_MESSAGE_CHARACTERS = 8000
QuestionId = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[0-9a-f]+$")]
DraftDigest = Annotated[str, Field(min_length=64, max_length=64, pattern=r"^[0-9a-f]+$")]


class TicketDraft(RequestModel):
    """Proposed ticket text; ``description`` is Markdown."""

    title: Annotated[StorableLine, Field(min_length=1, max_length=MAX_DRAFT_TITLE_CHARACTERS)]
    description: Annotated[
        StorableText, Field(min_length=1, max_length=MAX_DRAFT_DESCRIPTION_CHARACTERS)
    ]
    severity: Severity
    impact: Impact
    category: Category


class Candidate(WireModel):
    """A ticket, or an issue of the tracker, that may be about the same.

    ``odds``: 0 to 1; ``evidence``: identifiers and words in common; ``sameness``: the verdict, to
    be worded and never to be acted on.
    """

    source: CandidateSource
    number: int
    title: str
    status: TicketStatus | IssueStatus
    url: str
    odds: float
    evidence: list[str]
    created_at: datetime
    sameness: Sameness = Sameness.RELATED


class Proposal(WireModel):
    """A possible fix; ``text`` is Markdown in which ``[n]`` names a source of the turn."""

    title: str
    text: str


class AgentStep(WireModel):
    """One decision of the supervisor; ``seq`` is stable and counts from 1 within the session.

    ``found`` says how many results a search gave; ``reason`` why the step was chosen;
    ``is_cached``: the session knew what was found, and nothing was searched again.
    """

    seq: int
    action: NextAction
    status: StepStatus
    reason: str
    started_at: datetime
    duration_ms: int | None = None
    found: int | None = None
    is_cached: bool = False


class WebPage(WireModel):
    """A page that a search of the web found: plain text of somebody else's, not checked by us."""

    title: str
    url: str
    snippet: str


class AgentTurn(WireModel):
    """What one exchange with the agent ended in.

    ``pending_question_id`` names what is waited for; the answer must carry it. ``body_preview`` is
    the ticket's text exactly as it would be filed, ``draft_digest`` what a confirm is bound to.
    """

    session_id: UUID
    kind: TurnKind
    message: str
    choices: list[str] | None = None
    draft: TicketDraft | None = None
    linked_issue_url: str | None = None
    debug_trace: list[AgentStep] | None = None
    chat_message_id: UUID | None = None
    pending_question_id: str | None = None
    #: Of a clarifying question: which one it is, and how many there may be.
    question_number: int | None = None
    question_limit: int | None = None
    candidates: list[Candidate] | None = None
    web_results: list[WebPage] | None = None
    proposal: Proposal | None = None
    sources: list[Source] | None = None
    degraded: str | None = None
    body_preview: str | None = None
    draft_digest: str | None = None
    ticket_id: UUID | None = None
    ticket_number: int | None = None
    issue_url: str | None = None
    issue_number: int | None = None
    issue_state: IssueState | None = None
    deduplicated: bool | None = None
    #: Of an ended session that was aborted: why.
    reason: AbortReason | None = None


class ConversationTurn(RequestModel):
    """One message of the conversation that is handed over."""

    role: Literal["user", "assistant"]
    content: Annotated[StorableText, Field(min_length=1, max_length=_MAX_MESSAGE_CHARACTERS)]


class WhatWasSaid(RequestModel):
    """A chat session of one's own, or a conversation, or both (then the conversation is what is
    read).
    """

    conversation: (
        Annotated[list[ConversationTurn], Field(min_length=1, max_length=MAX_CONVERSATION_TURNS)]
        | None
    ) = None
    chat_session_id: UUID | None = None

    @model_validator(mode="after")
    def _has_something_to_read(self) -> Self:
        if self.conversation is None and self.chat_session_id is None:
            raise ValueError("conversation or chat_session_id is needed")
        if self.conversation and not any(
            turn.role == "user" and turn.content.strip() for turn in self.conversation
        ):
            raise ValueError("conversation holds no message of the person")
        return self


class AgentStartRequest(WhatWasSaid):
    """What the agent is to look into."""

    trigger: Trigger = Trigger.CHIP


class AgentResumeRequest(RequestModel):
    """An answer to the pending question: one of its choices, or free text."""

    session_id: UUID
    pending_question_id: QuestionId
    reply: Annotated[StorableText, Field(min_length=1, max_length=MAX_REPLY_CHARACTERS)] | None = (
        None
    )
    choice: Annotated[StorableLine, Field(min_length=1, max_length=200)] | None = None
    chat_session_id: UUID | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "AgentResumeRequest":
        if not (self.reply or "").strip() and not self.choice:
            raise ValueError("reply or choice is needed")
        return self


class LinkTarget(RequestModel):
    """A candidate that our own search returned in this session."""

    source: CandidateSource
    number: Annotated[int, Field(ge=1, le=2**31 - 1)]


class AgentConfirmRequest(RequestModel):
    """The owner's yes to exactly this draft, or to linking exactly this candidate."""

    session_id: UUID
    pending_question_id: QuestionId
    draft: TicketDraft | None = None
    draft_digest: DraftDigest | None = None
    link: LinkTarget | None = None
    chat_session_id: UUID | None = None

    @model_validator(mode="after")
    def _is_one_of_both(self) -> "AgentConfirmRequest":
        files = self.draft is not None and self.draft_digest is not None
        if files == (self.link is not None) or (self.draft is None) != (self.draft_digest is None):
            raise ValueError("either draft with draft_digest, or link, is needed")
        return self


class AgentAbortRequest(RequestModel):
    """Which session to end."""

    session_id: UUID
    chat_session_id: UUID | None = None


class AgentPreviewRequest(RequestModel):
    """An edited draft, to see how it would be filed."""

    session_id: UUID
    draft: TicketDraft


class DraftPreview(WireModel):
    """The text as it would be filed, and the digest that a confirm of it must carry."""

    draft: TicketDraft
    body_preview: str
    draft_digest: str


class AgentAborted(WireModel):
    """The session has ended."""

    ok: Literal[True] = True
    turn: AgentTurn


class SessionStatus(StrEnum):
    """What a session is doing."""

    RUNNING = "running"
    AWAITING_USER = "awaiting_user"
    AWAITING_CONFIRM = "awaiting_confirm"
    ENDED = "ended"


class AgentExchange(WireModel):
    """Something the agent asked, and what the person said to it."""

    question: str
    reply: str


class AgentFact(WireModel):
    """Something the agent knows of the matter, under a closed key."""

    key: str
    value: str


class AgentSession(WireModel):
    """A session as it stands: enough to show it after a reload. ``turn`` is None until the first
    pause; ``last_event_id`` is where to follow its events from.
    """

    session_id: UUID
    chat_session_id: UUID | None
    status: SessionStatus
    outcome: Outcome | None
    reason: AbortReason | None
    turn: AgentTurn | None
    steps: list[AgentStep]
    exchanges: list[AgentExchange]
    facts: list[AgentFact]
    last_event_id: int
    created_at: datetime
    updated_at: datetime


class AgentSessionList(WireModel):
    """Sessions of one chat, newest first."""

    items: list[AgentSession]
