"""Proving who one is: by password, browser session or access token."""

from dataclasses import dataclass
from datetime import timedelta
from typing import NoReturn

from backend.app.core.errors import Conflict, Invalid, NotFound, TooMany, Unauthenticated
from backend.app.core.ids import IdSource
from backend.app.core.settings import IdentitySettings
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain import events
from backend.app.domain.principals import (
    AccessToken,
    AccessTokenId,
    Credential,
    Principal,
    User,
    UserId,
    normalise_username,
    password_weakness,
)
from backend.app.services.identity.passwords import Passwords
from backend.app.services.identity.secrets import (
    ACCESS_TOKEN_PREFIX,
    SHOWN_CHARACTERS,
    bucket,
    digest,
)

MAX_TOKENS = 50


class BadCredentials(Unauthenticated):
    """User name or password is wrong."""


class WrongPassword(Invalid):
    """The present password is wrong."""


class SignInRequired(Unauthenticated):
    """Sign in to go on."""


class TooManyAttempts(TooMany):
    """Too many sign-in attempts; wait before you try again."""


class WeakPassword(Invalid):
    """The password is too weak."""


class TokenNotFound(NotFound):
    """There is no such access token."""


class TooManyTokens(Conflict):
    """You have as many access tokens as one account may; revoke one first."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A fresh browser session: its secret, and whose it is."""

    token: str
    user: User


@dataclass(frozen=True, slots=True)
class SignIn:
    """Sign-in, browser sessions and personal access tokens."""

    uow: UnitOfWork
    ids: IdSource
    passwords: Passwords
    settings: IdentitySettings
    #: A hash of nothing anybody knows, so that an unknown name takes as long as a wrong password.
    decoy_hash: str

    async def with_password(self, username: str, password: str, *, source: str) -> Opened:
        """Open a browser session.

        Args:
            username: as typed.
            password: as typed.
            source: where the attempt comes from (an address), for the limit per source.

        Raises:
            TooManyAttempts: the account or the source has used up its attempts; nothing was
                checked.
            BadCredentials: unknown, disabled, or the password is wrong; which one is not said.
        """
        name = normalise_username(username)
        await self._count_attempt(name, source)
        async with self.uow() as work:
            found = await work.identity.user_by_name(name)
        user, encoded = found or (None, self.decoy_hash)
        matches = await self.passwords.verify(encoded, password)
        if user is None or not matches:
            return await self._refuse(user)
        async with self.uow() as work:
            # Anew, and locked: the password may have been replaced while it was verified.
            now = await work.identity.user_by_name(name, for_update=True)
            if now is not None and now[0].is_active and now[1] == encoded:
                await work.rates.clear(bucket("sign-in-account", name))
                await work.facts.tell(events.SignedIn(actor_id=user.id))
                return await self._open(work, now[0])
        return await self._refuse(user)

    async def _refuse(self, user: User | None) -> NoReturn:
        async with self.uow() as work:
            refused = events.SignInRefused(actor_id=user.id if user else None, reason="credentials")
            await work.facts.tell(refused)
        raise BadCredentials

    async def _count_attempt(self, name: str, source: str) -> None:
        """Count an attempt, or refuse it; a source over its limit leaves no further trace."""
        # A source may be an office behind one address: more room, still a bound on guessing.
        limits = (
            (bucket("sign-in-source", source), self.settings.sign_in_attempts * 5),
            (bucket("sign-in-account", name), self.settings.sign_in_attempts),
        )
        async with self.uow() as work:
            for counted, limit in limits:
                hit = await work.rates.hit(
                    counted, limit=limit, window=self.settings.sign_in_window
                )
                if hit.wait is not None:
                    if hit.is_first_over:
                        await work.facts.tell(events.SignInRefused(reason="limit"))
                    break
            else:
                return
        raise TooManyAttempts(retry_after=hit.wait)

    async def _open(self, work: Work, user: User) -> Opened:
        token = self.ids.secret()
        await work.identity.open_session(
            user.id,
            digest(token),
            idle=self.settings.session_idle,
            longest=self.settings.session_max,
        )
        return Opened(token, user)

    async def by_session(self, token: str) -> Principal | None:
        """Who is behind a browser session, or None when it has ended."""
        async with self.uow(each=True) as work:
            user = await work.identity.user_by_session(
                digest(token), idle=self.settings.session_idle, longest=self.settings.session_max
            )
        return Principal(user, Credential.COOKIE) if user else None

    async def by_access_token(self, token: str) -> Principal | None:
        """Who is behind an access token, or None when it is unknown, revoked or expired."""
        async with self.uow(each=True) as work:
            user = await work.identity.user_by_token(digest(token))
        return Principal(user, Credential.ACCESS_TOKEN) if user else None

    async def knows_password(self, principal: Principal, password: str) -> bool:
        """Whether this is the account's present password."""
        async with self.uow() as work:
            found = await work.identity.user_by_id(principal.user_id)
        return found is not None and await self.passwords.verify(found[1], password)

    async def sign_out(self, principal: Principal, token: str) -> None:
        """End a browser session."""
        async with self.uow() as work:
            if await work.identity.close_session(digest(token)):
                await work.facts.tell(events.SignedOut(actor_id=principal.user_id))

    async def change_password(
        self, principal: Principal, current: str, new: str, *, source: str
    ) -> Opened:
        """Replace one's own password; all the account's sessions end and a fresh one opens.

        Raises:
            TooManyAttempts: too many wrong current passwords.
            WrongPassword: ``current`` is wrong, or was replaced meanwhile.
            WeakPassword: ``new`` will not do, or is the old one.
        """
        user = principal.user
        weakness = password_weakness(new, user.username)
        if weakness is None and new == current:
            weakness = "The new password must differ from the present one."
        if weakness:
            raise WeakPassword(weakness)
        await self._count_attempt(user.username, source)
        async with self.uow() as work:
            found = await work.identity.user_by_id(user.id)
        if found is None or not await self.passwords.verify(found[1], current):
            raise WrongPassword
        encoded = await self.passwords.hash(new)
        async with self.uow() as work:
            # Anew, and locked: an administrator may have replaced it while this one was verified.
            now = await work.identity.user_by_name(user.username, for_update=True)
            if now is None or now[1] != found[1] or not now[0].is_active:
                raise WrongPassword
            await work.identity.set_password(user.id, encoded, must_change=False)
            await work.identity.close_sessions(user.id)
            await work.rates.clear(bucket("sign-in-account", user.username))
            await work.facts.tell(events.PasswordChanged(actor_id=user.id, user_id=user.id))
            fresh = await work.identity.user_by_id(user.id)
            return await self._open(work, fresh[0] if fresh else user)

    async def create_token(
        self, user_id: UserId, name: str, *, lasts: timedelta | None
    ) -> tuple[AccessToken, str]:
        """A new access token and its secret, which is not shown again."""
        secret = ACCESS_TOKEN_PREFIX + self.ids.secret()
        async with self.uow() as work:
            await work.identity.lock_user(user_id)
            if await work.identity.live_tokens(user_id) >= MAX_TOKENS:
                raise TooManyTokens
            token = await work.identity.add_token(
                self.ids.uuid(),
                user_id,
                token_hash=digest(secret),
                name=name,
                prefix=secret[:SHOWN_CHARACTERS],
                lasts=lasts,
            )
            await work.facts.tell(events.AccessTokenCreated(actor_id=user_id, token_id=token.id))
        return token, secret

    async def tokens(self, principal: Principal) -> list[AccessToken]:
        """One's own access tokens, newest first."""
        async with self.uow() as work:
            return list(await work.identity.tokens(principal.user_id))

    async def revoke_token(self, principal: Principal, token_id: AccessTokenId) -> None:
        """Revoke one of one's own tokens."""
        async with self.uow() as work:
            if not await work.identity.delete_token(principal.user_id, token_id):
                raise TokenNotFound
            await work.facts.tell(
                events.AccessTokenRevoked(actor_id=principal.user_id, token_id=token_id)
            )
