"""Chat sessions, messages and the answer stream on the wire."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from backend.app.domain.chat import (
    MAX_MESSAGE_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    ChatMode,
    MessageRole,
    NoticeKind,
    Rating,
)
from backend.app.domain.sessions import TurnKind
from backend.app.schemas.base import RequestModel, StorableLine, StorableText, WireModel


class Welcome(WireModel):
    """What an empty chat begins with: a mode, and up to three questions that get an answer.

    ``agent_enabled``: whether the person may start the agent; without it they can summarise and
    file by themselves.
    """

    mode: ChatMode
    agent_enabled: bool = True
    questions: list[str]


class ChatSession(WireModel):
    """One chat session; its title is the first question, shortened, and empty before that."""

    id: UUID
    title: str
    mode: ChatMode
    created_at: datetime
    updated_at: datetime


class ChatSessionList(WireModel):
    """Chat sessions, newest activity first; ``next_before`` asks for the page after."""

    items: list[ChatSession]
    next_before: str | None


class CreateChatSessionRequest(RequestModel):
    """The mode to start in; left out, the one that is set for new chats."""

    mode: ChatMode | None = None


class ChangeChatSessionRequest(RequestModel):
    """What to change; what is left out stays."""

    mode: ChatMode | None = None
    title: Annotated[StorableLine, Field(min_length=1, max_length=MAX_TITLE_CHARACTERS)] | None = (
        None
    )


class Source(WireModel):
    """A cited span: ``quote`` is ``body[start:end]`` of the article, in code points. ``[number]``
    names it.
    """

    number: int
    article_id: UUID
    title: str
    heading: str
    quote: str
    start: int
    end: int
    collection: str
    sample: bool


class AgentSummary(WireModel):
    """Of an agent's line in a chat: the session it stands for, and how that stands.

    There is one line for each session; it changes with every turn.
    """

    agent_session_id: UUID
    kind: TurnKind
    linked_issue_url: str | None
    ticket_id: UUID | None


class ChatNotice(WireModel):
    """Of a line that nobody asked for: what happened to a ticket that was filed from this chat."""

    kind: NoticeKind
    ticket_id: UUID
    ticket_number: int
    issue_number: int


class ChatMessage(WireModel):
    """One line of a chat session. A person's is plain text, the assistant's Markdown.

    ``degraded`` says in a sentence what could not be done as usual. With ``agent_summary`` the line
    is an agent session's recap, with ``notice`` it tells of a ticket by itself.
    """

    id: UUID
    chat_session_id: UUID
    seq: int
    role: MessageRole
    content: str
    created_at: datetime
    kb_resolved: bool | None
    sources: list[Source]
    feedback: Rating | None
    reply_to: UUID | None
    degraded: str | None
    agent_summary: AgentSummary | None
    notice: ChatNotice | None


class ChatMessageList(WireModel):
    """Messages in order; ``has_earlier`` says that there are more before them."""

    items: list[ChatMessage]
    has_earlier: bool


class PostMessageRequest(RequestModel):
    """What a person asks."""

    text: Annotated[StorableText, Field(min_length=1, max_length=MAX_MESSAGE_CHARACTERS)]


class Exchange(WireModel):
    """A stored question and its stored answer."""

    question: ChatMessage
    answer: ChatMessage


class TextDelta(WireModel):
    """A further piece of the answer's text."""

    text: str


class FeedbackRequest(RequestModel):
    """A verdict on an answer, or null to take it back."""

    rating: Rating | None
    comment: Annotated[StorableText, Field(max_length=1000)] | None = None
