"""What tickets are found by, and what categories were learnt from."""

from datetime import datetime

from sqlalchemy import (
    REAL,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from backend.app.db.models.base import Base, set_when_written


class TicketIndexRow(Base):
    """One ticket as it is searched; written by a trigger, its vector later by a job.

    Lengths are in lexemes, ``terms`` counts different ones. ``model`` names what made the vector.
    """

    __tablename__ = "ticket_index"
    __table_args__ = (
        CheckConstraint("(model IS NULL) = (vector IS NULL)", name="vector_with_model"),
        Index(
            "ix_ticket_index_without_vector",
            "ticket_number",
            postgresql_where=text("vector IS NULL"),
        ),
    )

    ticket_number: Mapped[int] = mapped_column(
        BigInteger,
        ForeignKey("tickets.number", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    )
    title_length: Mapped[int]
    problem_length: Mapped[int]
    terms: Mapped[int]
    model: Mapped[str | None]
    vector: Mapped[list[float] | None] = mapped_column(ARRAY(REAL))


class TicketPostingRow(Base):
    """How often a term stands in a ticket's title and in its problem."""

    __tablename__ = "ticket_postings"
    __table_args__ = (Index("ix_ticket_postings_ticket_number", "ticket_number"),)

    term: Mapped[str] = mapped_column(primary_key=True)
    ticket_number: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("ticket_index.ticket_number", ondelete="CASCADE"), primary_key=True
    )
    in_title: Mapped[int] = mapped_column(SmallInteger)
    in_problem: Mapped[int] = mapped_column(SmallInteger)


class CategoryModelRow(Base):
    """A fitted model of a site's categories; the greatest version counts."""

    __tablename__ = "category_models"

    version: Mapped[int] = mapped_column(Integer, Identity(), primary_key=True)
    digest: Mapped[bytes] = mapped_column(LargeBinary)
    examples: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = set_when_written()
