"""The chat: sessions, messages and the sources an answer stands on."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from uuid import UUID

from backend.app.core.errors import NotFound
from backend.app.domain.knowledge import ArticleId
from backend.app.domain.principals import UserId

ChatSessionId = NewType("ChatSessionId", UUID)
ChatMessageId = NewType("ChatMessageId", UUID)

MAX_MESSAGE_CHARACTERS = 8000
MAX_TITLE_CHARACTERS = 80


class ChatSessionNotFound(NotFound):
    """There is no such conversation."""


class ChatMode(StrEnum):
    """ASK answers only; AGENT may troubleshoot and write a ticket draft."""

    ASK = "ask"
    AGENT = "agent"


class MessageRole(StrEnum):
    """Who wrote a message."""

    USER = "user"
    ASSISTANT = "assistant"


class Rating(StrEnum):
    """A person's verdict on an answer."""

    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"


@dataclass(frozen=True, slots=True)
class Source:
    """A cited span. ``quote`` equals ``article.body[start:end]`` at the time of the answer (code
    point offsets).
    """

    number: int
    article_id: ArticleId
    title: str
    heading: str
    quote: str
    start: int
    end: int
    collection: str
    sample: bool


@dataclass(frozen=True, slots=True)
class ChatSession:
    """One thread of the chatbot, owned by one person."""

    id: ChatSessionId
    user_id: UserId
    title: str
    mode: ChatMode
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """What an agent's line says of the session it stands for; ``kind`` is its last turn's."""

    agent_session_id: UUID
    kind: str
    linked_issue_url: str | None = None
    ticket_id: UUID | None = None


class NoticeKind(StrEnum):
    """What a chat is told of by itself."""

    ISSUE_CLOSED = "issue_closed"
    ISSUE_REOPENED = "issue_reopened"
    ISSUE_COMMENTED = "issue_commented"


@dataclass(frozen=True, slots=True)
class ChatNotice:
    """What a line says that nobody asked for: of a ticket that was filed from this chat."""

    kind: NoticeKind
    ticket_id: UUID
    ticket_number: int
    issue_number: int


#: The kind of turn at which a session's line stands, when it is over, and its outcome.
OUTCOMES_OF_LINES = {
    "filed": "filed",
    "linked": "linked",
    "resolved": "resolved_by_agent",
    "aborted": "aborted",
}
#: Of a session that goes on.
STILL_OPEN = "open"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One line of a chat session; ``seq`` orders it within the session, from 1 without gaps."""

    id: ChatMessageId
    chat_session_id: ChatSessionId
    seq: int
    role: MessageRole
    content: str
    created_at: datetime
    kb_resolved: bool | None = None
    sources: tuple[Source, ...] = ()
    feedback: Rating | None = None
    reply_to: ChatMessageId | None = None
    degraded: str | None = None
    agent_summary: AgentSummary | None = None
    notice: ChatNotice | None = None

    @property
    def is_settled(self) -> bool:
        """Whether a matter ends here: answered, unless the person says that it did not help, or
        dealt with by the agent.
        """
        answered = self.kb_resolved is True and self.feedback is not Rating.UNHELPFUL
        return answered or self.agent_summary is not None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the answer step made of a question, not yet stored.

    ``content`` is Markdown in which every ``[n]`` names the source with that number.
    ``kb_resolved`` says whether the knowledge base held an answer; without one there are no sources
    that claim to be it.
    """

    content: str
    kb_resolved: bool
    sources: tuple[Source, ...] = ()
    degraded: str | None = None
