"""Runs and what they told. LangGraph's own tables are made by a migration and mapped by nobody."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, Interval, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from backend.app.db.models.base import Base, one_of, set_when_written
from backend.app.domain.runs import AbortReason, GraphKind


class RunRow(Base):
    """One thread of a graph, and who drives it. Without an owner nobody does.

    ``epoch`` rises with every claim, so that what an earlier owner still writes can be told.
    """

    __tablename__ = "runs"
    __table_args__ = (
        one_of("kind", GraphKind, name="kind"),
        one_of("abort_reason", AbortReason, name="abort_reason"),
        Index("ix_runs_lease_until", "lease_until", postgresql_where=text("owner IS NOT NULL")),
    )

    thread_id: Mapped[UUID] = mapped_column(primary_key=True)
    kind: Mapped[str]
    owner: Mapped[UUID | None]
    epoch: Mapped[int] = mapped_column(BigInteger)
    attempt: Mapped[int]
    lease_until: Mapped[datetime | None]
    claimed_at: Mapped[datetime | None]
    allowance: Mapped[timedelta] = mapped_column(Interval)
    abort_reason: Mapped[str | None]
    last_seq: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    created_at: Mapped[datetime] = set_when_written()
    updated_at: Mapped[datetime] = set_when_written()


class RunEventRow(Base):
    """Something a run told, in order; it can be replayed until the thread is deleted."""

    __tablename__ = "run_events"

    thread_id: Mapped[UUID] = mapped_column(
        ForeignKey("runs.thread_id", ondelete="CASCADE"), primary_key=True
    )
    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    kind: Mapped[str]
    data: Mapped[dict[str, Any]] = mapped_column(JSONB)
    at: Mapped[datetime] = set_when_written()
