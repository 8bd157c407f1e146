"""Accounts, browser sessions, access tokens and counted attempts."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, text
from sqlalchemy.orm import Mapped, mapped_column

from backend.app.db.models.base import Base, one_of, set_when_written
from backend.app.domain.principals import Role


class UserRow(Base):
    """An account. ``username`` is stored in its normalised spelling."""

    __tablename__ = "users"
    __table_args__ = (one_of("role", Role, name="role"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    username: Mapped[str] = mapped_column(unique=True)
    display_name: Mapped[str]
    role: Mapped[str]
    password_hash: Mapped[str]
    is_active: Mapped[bool] = mapped_column(server_default=text("true"))
    must_change_password: Mapped[bool] = mapped_column(server_default=text("false"))
    is_demo: Mapped[bool] = mapped_column(server_default=text("false"))
    created_at: Mapped[datetime] = set_when_written()


class BrowserSessionRow(Base):
    """A signed-in browser. Only the SHA-256 of the cookie's token is kept."""

    __tablename__ = "browser_sessions"

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = set_when_written()
    last_used_at: Mapped[datetime] = set_when_written()
    expires_at: Mapped[datetime] = mapped_column(index=True)


class AccessTokenRow(Base):
    """A personal access token. Only the SHA-256 of its secret is kept."""

    __tablename__ = "access_tokens"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    name: Mapped[str]
    prefix: Mapped[str]
    created_at: Mapped[datetime] = set_when_written()
    last_used_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]


class RateRow(Base):
    """How often something was tried since ``window_start``; ``bucket`` names the limit and a digest
    of its key.
    """

    __tablename__ = "rates"
    __table_args__ = (Index("ix_rates_window_start", "window_start"),)

    bucket: Mapped[str] = mapped_column(primary_key=True)
    window_start: Mapped[datetime] = set_when_written()
    hits: Mapped[int]
