"""Facts: what happened, told once, in the transaction of the change it describes.

A fact carries ids, closed words, lengths and digests; never a person's text. Its ``kind`` is the
dotted name under which audit lines and counters know it (``services/facts.py`` holds the table from
fact to counter).
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar
from uuid import UUID

from backend.app.domain.chat import ChatMessageId, ChatMode, ChatSessionId, Rating
from backend.app.domain.principals import AccessTokenId, Credential, Role, UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that happened; ``actor_id`` is who did it, None for the system or a stranger."""

    kind: ClassVar[str]
    actor_id: UserId | None = None

    def data(self) -> dict[str, Any]:
        """The fact's own fields as JSON values, without the actor."""
        values = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name != "actor_id"
        }
        return {
            name: str(value) if isinstance(value, UUID) else value for name, value in values.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class UserCreated(Fact):
    """An account was made."""

    kind: ClassVar[str] = "user.created"
    user_id: UserId
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class UserChanged(Fact):
    """An account was changed by an administrator; ``change`` names the field."""

    kind: ClassVar[str] = "user.changed"
    user_id: UserId
    change: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn(Fact):
    """Somebody signed in."""

    kind: ClassVar[str] = "auth.signed_in"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRefused(Fact):
    """A sign-in failed; ``reason`` is ``credentials`` or ``limit``."""

    kind: ClassVar[str] = "auth.sign_in_refused"
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedOut(Fact):
    """Somebody ended their browser session."""

    kind: ClassVar[str] = "auth.signed_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordChanged(Fact):
    """A password was changed and the account's other sessions ended."""

    kind: ClassVar[str] = "auth.password_changed"
    user_id: UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessTokenCreated(Fact):
    """A personal access token was made."""

    kind: ClassVar[str] = "auth.token_created"
    token_id: AccessTokenId


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessTokenRevoked(Fact):
    """A personal access token was revoked."""

    kind: ClassVar[str] = "auth.token_revoked"
    token_id: AccessTokenId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSessionStarted(Fact):
    """A chat session was opened."""

    kind: ClassVar[str] = "chat.session_started"
    chat_session_id: ChatSessionId
    mode: ChatMode
    credential: Credential


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSessionDeleted(Fact):
    """A chat session was deleted by its owner, with its messages."""

    kind: ClassVar[str] = "chat.session_deleted"
    chat_session_id: ChatSessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswered(Fact):
    """A question was answered, or honestly not; lengths are in characters, the duration in
    milliseconds.
    """

    kind: ClassVar[str] = "chat.question_answered"
    chat_session_id: ChatSessionId
    message_id: ChatMessageId
    kb_resolved: bool
    sources: int
    question_length: int
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRated(Fact):
    """An answer got a verdict, or lost it (None). ``outcome`` is the agent session's whose line it
    is; ``open`` of one that goes on, None where it is an answer of the knowledge base.
    """

    kind: ClassVar[str] = "chat.answer_rated"
    message_id: ChatMessageId
    rating: Rating | None
    outcome: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeImported(Fact):
    """A collection was brought up to date."""

    kind: ClassVar[str] = "knowledge.imported"
    collection: str
    added: int
    changed: int
    removed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoriesFitted(Fact):
    """A site's categories were learnt anew."""

    kind: ClassVar[str] = "categories.fitted"
    version: int
    examples: int
    labels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeRemoved(Fact):
    """A collection was removed with all its articles."""

    kind: ClassVar[str] = "knowledge.removed"
    collection: str
    articles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackerIssueChanged(Fact):
    """The tracker told that something happened to a ticket's issue."""

    kind: ClassVar[str] = "tracker.issue_changed"
    ticket_number: int
    issue_number: int
    change: str
