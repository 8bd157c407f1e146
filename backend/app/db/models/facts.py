"""Facts, how far each reader has come, and the counters that are kept from them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Double, Identity, Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import UserDefinedType

from backend.app.db.models.base import Base, set_when_written


class Xid8(UserDefinedType[str]):
    """PostgreSQL's 64-bit transaction id. It has no bigint cast, so it travels as text."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """The type's name in DDL."""
        return "xid8"


# So that Alembic, reading the catalogue, knows the type too.
ischema_names["xid8"] = Xid8


class FactEpochRow(Base):
    """The one row that counts how often the facts have moved to another server.

    Transaction ids only order facts within one server's life; what came with a dump from another
    belongs to an earlier epoch and is settled.
    """

    __tablename__ = "fact_epochs"
    __table_args__ = (CheckConstraint("number = 1", name="one_row"),)

    number: Mapped[int] = mapped_column(
        primary_key=True, server_default=text("1"), autoincrement=False
    )
    epoch: Mapped[int]


class FactRow(Base):
    """Something that happened; ``epoch`` and ``xid`` (its transaction) say whether it is settled.

    No foreign keys: a fact outlives what it is about.
    """

    __tablename__ = "facts"
    __table_args__ = (Index("ix_facts_epoch_xid_id", "epoch", "xid", "id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    epoch: Mapped[int]
    xid: Mapped[str] = mapped_column(Xid8, server_default=text("pg_current_xact_id()"))
    at: Mapped[datetime] = set_when_written()
    kind: Mapped[str]
    actor_id: Mapped[UUID | None]
    data: Mapped[dict[str, Any]] = mapped_column(JSONB)


class FactReaderRow(Base):
    """How far a reader has come: everything up to (``epoch``, ``xid``, ``fact_id``) is done."""

    __tablename__ = "fact_readers"

    name: Mapped[str] = mapped_column(primary_key=True)
    epoch: Mapped[int] = mapped_column(server_default=text("0"))
    xid: Mapped[str] = mapped_column(Xid8, server_default=text("'0'::xid8"))
    fact_id: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))


class FactCounterRow(Base):
    """A counter kept from facts, moved together with its reader's position, so that none is counted
    twice.
    """

    __tablename__ = "fact_counters"

    name: Mapped[str] = mapped_column(primary_key=True)
    labels: Mapped[dict[str, Any]] = mapped_column(JSONB, primary_key=True)
    value: Mapped[float] = mapped_column(Double)
