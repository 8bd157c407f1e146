"""Chat sessions and their messages."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from backend.app.db.models.base import Base, one_of, set_when_written
from backend.app.domain.chat import ChatMode, MessageRole, Rating


class ChatSessionRow(Base):
    """One thread of the chatbot. ``last_seq`` is the sequence number of its newest message."""

    __tablename__ = "chat_sessions"
    __table_args__ = (
        one_of("mode", ChatMode, name="mode"),
        Index("ix_chat_sessions_user_id_updated_at_id", "user_id", "updated_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(server_default="")
    mode: Mapped[str]
    last_seq: Mapped[int] = mapped_column(server_default=text("0"))
    created_at: Mapped[datetime] = set_when_written()
    updated_at: Mapped[datetime] = set_when_written()


class ChatMessageRow(Base):
    """One line of a chat session. ``message_meta`` holds the sources and, later, the agent's
    summary.
    """

    __tablename__ = "chat_messages"
    __table_args__ = (
        one_of("role", MessageRole, name="role"),
        one_of("feedback", Rating, name="feedback"),
        CheckConstraint("role = 'assistant' OR kb_resolved IS NULL", name="only_answers_resolve"),
        UniqueConstraint("chat_session_id", "seq"),
        UniqueConstraint("chat_session_id", "idempotency_key"),
        Index(
            "ix_chat_messages_questions",
            "created_at",
            postgresql_where=text("role = 'user'"),
        ),
        Index(
            "uq_chat_messages_reply_to",
            "reply_to",
            unique=True,
            postgresql_where=text("reply_to IS NOT NULL"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    chat_session_id: Mapped[UUID] = mapped_column(
        ForeignKey("chat_sessions.id", ondelete="CASCADE")
    )
    seq: Mapped[int]
    role: Mapped[str]
    content: Mapped[str]
    created_at: Mapped[datetime] = set_when_written()
    kb_resolved: Mapped[bool | None]
    message_meta: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    feedback: Mapped[str | None]
    feedback_comment: Mapped[str | None]
    reply_to: Mapped[UUID | None] = mapped_column(
        ForeignKey("chat_messages.id", ondelete="CASCADE")
    )
    idempotency_key: Mapped[str | None]
