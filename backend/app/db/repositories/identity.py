"""Accounts, browser sessions and access tokens."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app.db.models import AccessTokenRow, BrowserSessionRow, UserRow
from backend.app.domain.principals import AccessToken, AccessTokenId, Role, User, UserId

#: How stale a "last used" time may be; a write for every request would be one too many.
_USED_GRANULARITY = timedelta(minutes=1)


#: Asked with every request.
_BY_TOKEN = sa.text(
    """
    SELECT users.id, username, display_name, role, is_active, must_change_password,
           users.created_at, is_demo,
           last_used_at IS NULL OR last_used_at < now() - interval '1 minute' AS is_unnoted
    FROM access_tokens JOIN users ON users.id = access_tokens.user_id
    WHERE token_hash = :token_hash AND (expires_at IS NULL OR expires_at > now()) AND is_active
    """
)


def _user(row: Any) -> User:
    return User(
        id=UserId(row.id),
        username=row.username,
        display_name=row.display_name,
        role=Role(row.role),
        is_active=row.is_active,
        must_change_password=row.must_change_password,
        created_at=row.created_at,
        is_demo=row.is_demo,
    )


def _token(row: AccessTokenRow) -> AccessToken:
    return AccessToken(
        id=AccessTokenId(row.id),
        user_id=UserId(row.user_id),
        name=row.name,
        prefix=row.prefix,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        expires_at=row.expires_at,
    )


class IdentityRepository:
    """Reads and writes of who may sign in, and with what."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add_user(self, user: User, password_hash: str) -> bool:
        """Store a new account; False when the user name is taken."""
        statement = (
            insert(UserRow)
            .values(
                id=user.id,
                username=user.username,
                display_name=user.display_name,
                role=user.role.value,
                password_hash=password_hash,
                is_active=user.is_active,
                must_change_password=user.must_change_password,
                is_demo=user.is_demo,
            )
            .on_conflict_do_nothing(index_elements=[UserRow.username])
            .returning(UserRow.id)
        )
        return (await self._session.execute(statement)).scalar_one_or_none() is not None

    async def user_by_name(
        self, username: str, *, for_update: bool = False
    ) -> tuple[User, str] | None:
        """The account under its normalised name, with its password hash."""
        query = sa.select(UserRow).where(UserRow.username == username)
        row = await self._session.scalar(query.with_for_update() if for_update else query)
        return (_user(row), row.password_hash) if row else None

    async def user_by_id(self, user_id: UserId) -> tuple[User, str] | None:
        """The account with its password hash."""
        row = await self._session.get(UserRow, user_id)
        return (_user(row), row.password_hash) if row else None

    async def users(self) -> list[User]:
        """All accounts, by name."""
        rows = await self._session.scalars(sa.select(UserRow).order_by(UserRow.username))
        return [_user(row) for row in rows]

    async def lock_users(self) -> None:
        """Let nobody else add or change accounts until this transaction ends."""
        await self._session.execute(sa.text("LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE"))

    async def set_password(self, user_id: UserId, password_hash: str, *, must_change: bool) -> None:
        """Replace the password hash."""
        await self._session.execute(
            sa.update(UserRow)
            .where(UserRow.id == user_id)
            .values(password_hash=password_hash, must_change_password=must_change)
        )

    async def set_role(self, user_id: UserId, role: Role) -> None:
        """Replace the role; it holds from the account's next request on."""
        await self._session.execute(
            sa.update(UserRow).where(UserRow.id == user_id).values(role=role.value)
        )

    async def set_active(self, user_id: UserId, *, is_active: bool) -> None:
        """Enable or disable the account."""
        await self._session.execute(
            sa.update(UserRow).where(UserRow.id == user_id).values(is_active=is_active)
        )

    async def open_session(
        self, user_id: UserId, token_hash: bytes, *, idle: timedelta, longest: timedelta
    ) -> None:
        """Store a browser session that ends after ``idle`` without use."""
        await self._session.execute(
            insert(BrowserSessionRow).values(
                token_hash=token_hash,
                user_id=user_id,
                expires_at=sa.func.now() + min(idle, longest),
            )
        )

    async def user_by_session(
        self, token_hash: bytes, *, idle: timedelta, longest: timedelta
    ) -> User | None:
        """The active account behind an unexpired browser session, whose idle time starts anew."""
        query = (
            sa.select(UserRow, BrowserSessionRow.last_used_at < sa.func.now() - _USED_GRANULARITY)
            .join(BrowserSessionRow, BrowserSessionRow.user_id == UserRow.id)
            .where(
                BrowserSessionRow.token_hash == token_hash,
                BrowserSessionRow.expires_at > sa.func.now(),
                UserRow.is_active,
            )
        )
        found = (await self._session.execute(query)).one_or_none()
        if found is None:
            return None
        row, is_stale = found
        if is_stale:
            ends = sa.func.least(sa.func.now() + idle, BrowserSessionRow.created_at + longest)
            await self._session.execute(
                sa.update(BrowserSessionRow)
                .where(BrowserSessionRow.token_hash == token_hash)
                .values(last_used_at=sa.func.now(), expires_at=ends)
            )
        return _user(row)

    async def close_session(self, token_hash: bytes) -> bool:
        """End one browser session; whether there was one."""
        ended = sa.delete(BrowserSessionRow).where(BrowserSessionRow.token_hash == token_hash)
        return await self._session.scalar(ended.returning(BrowserSessionRow.user_id)) is not None

    async def close_sessions(self, user_id: UserId) -> None:
        """End all browser sessions of an account."""
        await self._session.execute(
            sa.delete(BrowserSessionRow).where(BrowserSessionRow.user_id == user_id)
        )

    async def sweep_sessions(self) -> None:
        """Delete expired browser sessions."""
        await self._session.execute(
            sa.delete(BrowserSessionRow).where(BrowserSessionRow.expires_at <= sa.func.now())
        )

    async def add_token(
        self,
        token_id: UUID,
        user_id: UserId,
        *,
        token_hash: bytes,
        name: str,
        prefix: str,
        lasts: timedelta | None,
    ) -> AccessToken:
        """Store a new access token."""
        row = await self._session.scalar(
            insert(AccessTokenRow)
            .values(
                id=token_id,
                user_id=user_id,
                token_hash=token_hash,
                name=name,
                prefix=prefix,
                expires_at=sa.func.now() + lasts if lasts is not None else None,
            )
            .returning(AccessTokenRow)
        )
        assert row is not None  # an INSERT that returns nothing has raised
        return _token(row)

    async def user_by_token(self, token_hash: bytes) -> User | None:
        """The active account behind an unexpired access token, whose use is noted."""
        row = (await self._session.execute(_BY_TOKEN, {"token_hash": token_hash})).one_or_none()
        if row is None:
            return None
        if row.is_unnoted:
            await self._session.execute(
                sa.update(AccessTokenRow)
                .where(AccessTokenRow.token_hash == token_hash)
                .values(last_used_at=sa.func.now())
            )
        return _user(row)

    async def lock_user(self, user_id: UserId) -> None:
        """Let nobody else count or change what belongs to this account until the end. Rows that
        only name the account are added meanwhile.
        """
        await self._session.execute(
            sa.select(UserRow.id).where(UserRow.id == user_id).with_for_update(key_share=True)
        )

    async def live_tokens(self, user_id: UserId) -> int:
        """How many of an account's access tokens still work; those that ended are deleted."""
        ended = sa.delete(AccessTokenRow).where(
            AccessTokenRow.user_id == user_id, AccessTokenRow.expires_at <= sa.func.now()
        )
        await self._session.execute(ended)
        counted = sa.select(sa.func.count()).where(AccessTokenRow.user_id == user_id)
        return (await self._session.execute(counted)).scalar_one()

    async def tokens(self, user_id: UserId) -> Sequence[AccessToken]:
        """An account's access tokens, newest first."""
        query = sa.select(AccessTokenRow).where(AccessTokenRow.user_id == user_id)
        rows = await self._session.scalars(
            query.order_by(AccessTokenRow.created_at.desc(), AccessTokenRow.id)
        )
        return [_token(row) for row in rows]

    async def delete_token(self, user_id: UserId, token_id: AccessTokenId) -> bool:
        """Revoke a token of this account; whether there was one."""
        ended = sa.delete(AccessTokenRow).where(
            AccessTokenRow.id == token_id, AccessTokenRow.user_id == user_id
        )
        return await self._session.scalar(ended.returning(AccessTokenRow.id)) is not None

    async def delete_tokens(self, user_id: UserId) -> None:
        """Revoke all of an account's tokens."""
        await self._session.execute(
            sa.delete(AccessTokenRow).where(AccessTokenRow.user_id == user_id)
        )
