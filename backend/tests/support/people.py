"""Accounts for tests."""

from dataclasses import dataclass

from backend.app.bootstrap import Container
from backend.app.domain.principals import Credential, Principal, Role, User


@dataclass(frozen=True, slots=True)
class Person:
    """An account with everything it takes to sign in."""

    user: User
    password: str
    token: str

    @property
    def principal(self) -> Principal:
        """The account as an authenticated identity."""
        return Principal(self.user, Credential.ACCESS_TOKEN)


class People:
    """Makes accounts, valid by default."""

    def __init__(self, container: Container) -> None:
        self._container = container

    async def make(
        self, username: str, role: Role = Role.REQUESTER, *, one_time_password: bool = False
    ) -> Person:
        """A new account with an access token."""
        user, password = await self._container.accounts.add(
            username,
            display_name=username.title(),
            role=role,
            must_change_password=one_time_password,
        )
        _, token = await self._container.sign_in.create_token(user.id, "test", lasts=None)
        return Person(user, password, token)
