"""Tickets, how they came to be filed, and who follows them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, Computed, ForeignKey, Identity, Index, LargeBinary, text
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from backend.app.db.models.base import Base, one_of, set_when_written
from backend.app.domain.sessions import Category, Impact, Severity
from backend.app.domain.tickets import (
    FilingState,
    IssueState,
    IssueStatus,
    TicketOrigin,
    TicketStatus,
)


class TicketRow(Base):
    """One ticket; ``problem`` is what is compared when duplicates are sought."""

    __tablename__ = "tickets"
    __table_args__ = (
        one_of("status", TicketStatus, name="status"),
        one_of("severity", Severity, name="severity"),
        one_of("impact", Impact, name="impact"),
        one_of("category", Category, name="category"),
        one_of("origin", TicketOrigin, name="origin"),
        one_of("issue_state", IssueState, name="issue_state"),
        Index("ix_tickets_requester_id_number", "requester_id", "number"),
        Index("ix_tickets_search", "search", postgresql_using="gin"),
        one_of("issue_status", IssueStatus, name="issue_status"),
        Index("ix_tickets_issue_number", "issue_number"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, Identity(), unique=True)
    requester_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    title: Mapped[str]
    body: Mapped[str]
    problem: Mapped[str]
    search: Mapped[str] = mapped_column(
        TSVECTOR,
        Computed(
            "setweight(to_tsvector('english', title), 'A')"
            " || setweight(to_tsvector('english', problem), 'B')",
            persisted=True,
        ),
    )
    status: Mapped[str] = mapped_column(server_default=text("'new'"))
    severity: Mapped[str]
    impact: Mapped[str]
    category: Mapped[str]
    origin: Mapped[str]
    agent_session_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("agent_sessions.id", ondelete="SET NULL"), unique=True
    )
    chat_session_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("chat_sessions.id", ondelete="SET NULL")
    )
    issue_state: Mapped[str] = mapped_column(server_default=text("'off'"))
    issue_url: Mapped[str | None]
    issue_number: Mapped[int | None]
    issue_status: Mapped[str | None]
    #: Of the last change that the tracker told of, by its own clock.
    issue_changed_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = set_when_written()
    updated_at: Mapped[datetime] = set_when_written()


class FilingRow(Base):
    """The act of filing: one for each agent session, whatever is repeated.

    ``session_id`` has no foreign key: that a session was filed is known as long as its ticket is.
    Of a ticket that a person filed alone it is an id of the act's own; ``request_key`` is then what
    their program called the request, if it did. ``holder`` works on it until ``held_until``; nobody
    does before ``due_at``. ``marker`` are the lines of the issue's body by which it is found again.
    """

    __tablename__ = "filings"
    __table_args__ = (
        one_of("state", FilingState, name="state"),
        Index(
            "uq_filings_confirmed_by_request_key",
            "confirmed_by",
            "request_key",
            unique=True,
            postgresql_where=text("request_key IS NOT NULL"),
        ),
        Index(
            "ix_filings_open",
            "due_at",
            postgresql_where=text("state IN ('reserved', 'sent', 'unknown')"),
        ),
    )

    session_id: Mapped[UUID] = mapped_column(primary_key=True)
    ticket_id: Mapped[UUID] = mapped_column(
        ForeignKey("tickets.id", ondelete="CASCADE"), unique=True
    )
    state: Mapped[str]
    draft_digest: Mapped[str]
    request_key: Mapped[str | None]
    confirmed_by: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    confirmed_at: Mapped[datetime] = set_when_written()
    updated_at: Mapped[datetime] = set_when_written()
    marker: Mapped[str | None]
    attempts: Mapped[int] = mapped_column(server_default=text("0"))
    tries: Mapped[int] = mapped_column(server_default=text("0"))
    sent_at: Mapped[datetime | None]
    holder: Mapped[UUID | None]
    held_until: Mapped[datetime | None]
    due_at: Mapped[datetime | None]
    #: Of the tracker's last answer, an HTTP status.
    answered: Mapped[int | None]


class TrackerDeliveryRow(Base):
    """A webhook's delivery that was taken in: under its id, and under a digest of what it said."""

    __tablename__ = "tracker_deliveries"
    __table_args__ = (Index("ix_tracker_deliveries_received_at", "received_at"),)

    digest: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    delivery_id: Mapped[str] = mapped_column(unique=True)
    received_at: Mapped[datetime] = set_when_written()


class TicketFollowerRow(Base):
    """A person who follows another's ticket, or linked a session of theirs to it."""

    __tablename__ = "ticket_followers"

    ticket_id: Mapped[UUID] = mapped_column(
        ForeignKey("tickets.id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    created_at: Mapped[datetime] = set_when_written()
