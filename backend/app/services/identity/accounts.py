"""Accounts, as an administrator keeps them."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from backend.app.core.clock import Clock
from backend.app.core.errors import Conflict, Invalid, NotFound
from backend.app.core.ids import IdSource
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain import events
from backend.app.domain.principals import (
    USERNAME_PATTERN,
    Role,
    User,
    UserId,
    normalise_username,
    password_weakness,
)
from backend.app.services.identity.passwords import Passwords
from backend.app.services.identity.sign_in import WeakPassword


class UserNotFound(NotFound):
    """There is no account with this user name."""


class UsernameTaken(Conflict):
    """There is already an account with this user name."""


class InvalidUsername(Invalid):
    """A user name has 1 to 80 letters a-z, digits, dots, dashes, underscores or @, and starts and
    ends plainly.
    """


class NotADemoAccount(Conflict):
    """This account is somebody's own and not one that --demo made."""


class LastAdministrator(Conflict):
    """This is the last active administrator; make another one first."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """Adding and changing accounts."""

    uow: UnitOfWork
    ids: IdSource
    clock: Clock
    passwords: Passwords

    async def add(
        self,
        username: str,
        *,
        display_name: str,
        role: Role,
        password: str | None = None,
        must_change_password: bool = True,
        is_demo: bool = False,
    ) -> tuple[User, str]:
        """A new account, and its password: the one given, else a random one.

        Raises:
            InvalidUsername, WeakPassword, UsernameTaken: nothing was stored.
        """
        name = normalise_username(username)
        if not re.match(USERNAME_PATTERN, name):
            raise InvalidUsername
        if password is not None and (weakness := password_weakness(password, name)):
            raise WeakPassword(weakness)
        chosen = password or self.ids.secret()[:20]
        user = User(
            id=UserId(self.ids.uuid()),
            username=name,
            display_name=display_name.strip() or name,
            role=role,
            is_active=True,
            must_change_password=must_change_password,
            created_at=self.clock.now(),
            is_demo=is_demo,
        )
        encoded = await self.passwords.hash(chosen)
        async with self.uow() as work:
            if not await work.identity.add_user(user, encoded):
                raise UsernameTaken
            await work.facts.tell(events.UserCreated(user_id=user.id, role=role))
        return user, chosen

    async def list_all(self) -> list[User]:
        """All accounts, by name."""
        async with self.uow() as work:
            return await work.identity.users()

    async def set_role(self, username: str, role: Role) -> None:
        """Give an account another role, from its next request on."""

        async def change(work: Work, user: User) -> None:
            await work.identity.set_role(user.id, role)

        await self._change(username, "role", change, demotes=role is not Role.ADMIN)

    async def disable(self, username: str) -> None:
        """Let nobody in under this account any more: sessions end, tokens stop working."""

        async def change(work: Work, user: User) -> None:
            await work.identity.set_active(user.id, is_active=False)
            await work.identity.close_sessions(user.id)

        await self._change(username, "disabled", change, demotes=True)

    async def enable(self, username: str) -> None:
        """Let a disabled account in again."""

        async def change(work: Work, user: User) -> None:
            await work.identity.set_active(user.id, is_active=True)

        await self._change(username, "enabled", change)

    async def reset_password(self, username: str) -> str:
        """Give an account a random one-time password; its sessions and tokens end."""
        return (await self._new_password(username, must_change=True))[1]

    async def renew_demo(self, username: str) -> tuple[User, str]:
        """Give a demo account a random password that it may keep; its sessions and tokens end.

        Raises:
            NotADemoAccount: the account is somebody's own.
        """
        return await self._new_password(username, must_change=False)

    async def _new_password(self, username: str, *, must_change: bool) -> tuple[User, str]:
        password = self.ids.secret()[:20]
        encoded = await self.passwords.hash(password)

        async def change(work: Work, user: User) -> None:
            if not must_change and not user.is_demo:
                raise NotADemoAccount(f"The account {user.username} is somebody's own.")
            await work.identity.set_password(user.id, encoded, must_change=must_change)
            await work.identity.close_sessions(user.id)
            await work.identity.delete_tokens(user.id)

        return await self._change(username, "password", change), password

    async def _change(
        self,
        username: str,
        what: str,
        change: Callable[[Work, User], Awaitable[None]],
        *,
        demotes: bool = False,
    ) -> User:
        async with self.uow() as work:
            await work.identity.lock_users()
            found = await work.identity.user_by_name(normalise_username(username))
            if found is None:
                raise UserNotFound
            user = found[0]
            if demotes and user.role is Role.ADMIN:
                others = [
                    other
                    for other in await work.identity.users()
                    if other.role is Role.ADMIN and other.is_active and other.id != user.id
                ]
                if not others:
                    raise LastAdministrator
            await change(work, user)
            await work.facts.tell(events.UserChanged(user_id=user.id, change=what))
        return user
