"""Agent sessions, the idempotency keys they were asked under, and the switches over them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, text
from sqlalchemy.orm import Mapped, mapped_column

from backend.app.db.models.base import Base, one_of, set_when_written
from backend.app.domain.runs import AbortReason
from backend.app.domain.sessions import Outcome, Trigger


class AgentSessionRow(Base):
    """One journey of the agent. Its id is also its thread's.

    ``given`` is what the present run was given (the conversation, or a person's answer), kept until
    the run pauses or ends, so that a run whose process died is begun again with it. ``turn`` is
    what was last shown.
    """

    __tablename__ = "agent_sessions"
    __table_args__ = (
        one_of("trigger", Trigger, name="trigger"),
        one_of("outcome", Outcome, name="outcome"),
        one_of("reason", AbortReason, name="reason"),
        CheckConstraint("(outcome IS NULL) = (ended_at IS NULL)", name="ended_with_outcome"),
        CheckConstraint(
            "(outcome IS NOT DISTINCT FROM 'aborted') = (reason IS NOT NULL)",
            name="aborted_with_reason",
        ),
        CheckConstraint(
            "outcome IS NULL OR pending_question_id IS NULL", name="ended_asks_nothing"
        ),
        Index("ix_agent_sessions_user_id_created_at", "user_id", "created_at"),
        Index("ix_agent_sessions_chat_session_id_created_at", "chat_session_id", "created_at"),
        Index(
            "uq_agent_sessions_open_in_chat",
            "chat_session_id",
            unique=True,
            postgresql_where=text("outcome IS NULL"),
        ),
        Index(
            "ix_agent_sessions_open",
            "updated_at",
            postgresql_where=text("outcome IS NULL"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    chat_session_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("chat_sessions.id", ondelete="CASCADE")
    )
    trigger: Mapped[str]
    state_version: Mapped[int]
    created_at: Mapped[datetime] = set_when_written()
    updated_at: Mapped[datetime] = set_when_written()
    ended_at: Mapped[datetime | None]
    outcome: Mapped[str | None]
    reason: Mapped[str | None]
    pending_question_id: Mapped[str | None]
    draft_digest: Mapped[str | None]
    given: Mapped[dict[str, Any] | None]
    turn: Mapped[dict[str, Any] | None]
    progress: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    chat_message_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("chat_messages.id", ondelete="SET NULL")
    )
    tokens: Mapped[int] = mapped_column(server_default=text("0"))


class IdempotencyKeyRow(Base):
    """A client's name for a request, remembered for ten minutes, and the session it led to."""

    __tablename__ = "idempotency_keys"
    __table_args__ = (Index("ix_idempotency_keys_created_at", "created_at"),)

    user_id: Mapped[UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    operation: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[bytes] = mapped_column(LargeBinary)
    session_id: Mapped[UUID] = mapped_column(ForeignKey("agent_sessions.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = set_when_written()


class SwitchRow(Base):
    """A switch that was set while the program runs; without a row the settings hold."""

    __tablename__ = "switches"

    name: Mapped[str] = mapped_column(primary_key=True)
    is_on: Mapped[bool]
    updated_at: Mapped[datetime] = set_when_written()


class InstanceKeyRow(Base):
    """The one secret of this installation, by which ids are hashed that leave it."""

    __tablename__ = "instance_keys"
    __table_args__ = (CheckConstraint("number = 1", name="one_row"),)

    number: Mapped[int] = mapped_column(
        primary_key=True, server_default=text("1"), autoincrement=False
    )
    key: Mapped[bytes] = mapped_column(LargeBinary)
