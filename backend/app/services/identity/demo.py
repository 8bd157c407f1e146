"""Four people to try the product with; only ``--demo`` makes them."""

from dataclasses import dataclass, replace
from datetime import timedelta

from backend.app.domain.principals import Role
from backend.app.services.identity.accounts import Accounts, UsernameTaken
from backend.app.services.identity.sign_in import SignIn

_CALLED = "demo"
_TOKEN_LASTS = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class DemoPerson:
    """A demo account with what it takes to sign in."""

    username: str
    display_name: str
    role: Role
    password: str
    token: str


#: Stands for a password that its person has chosen.
CHANGED = "(changed)"

CAST = (
    ("maya", "Maya Rowan", Role.REQUESTER),
    ("ben", "Ben Sandoval", Role.REQUESTER),
    ("olga", "Olga Petrov", Role.OPERATOR),
    ("ada", "Ada Lindqvist", Role.ADMIN),
)


@dataclass(frozen=True, slots=True)
class DemoPeople:
    """Makes the demo accounts, and finds them again."""

    accounts: Accounts
    sign_in: SignIn

    async def ensure(self, known: list[DemoPerson]) -> list[DemoPerson]:
        """The four people; those in ``known`` whose token still works stay as they are.

        One who has chosen another password keeps it, and is shown with `CHANGED` in its place.

        Raises:
            NotADemoAccount: somebody's own account has the name of a demo person.
        """
        by_name = {person.username: person for person in known}
        return [await self._one(name, shown, role, by_name.get(name)) for name, shown, role in CAST]

    async def _one(
        self, username: str, shown: str, role: Role, known: DemoPerson | None
    ) -> DemoPerson:
        if known is not None:
            principal = await self.sign_in.by_access_token(known.token)
            if principal is not None:
                is_known = await self.sign_in.knows_password(principal, known.password)
                return known if is_known else replace(known, password=CHANGED)
        try:
            user, password = await self.accounts.add(
                username, display_name=shown, role=role, must_change_password=False, is_demo=True
            )
        except UsernameTaken:
            user, password = await self.accounts.renew_demo(username)
        _, token = await self.sign_in.create_token(user.id, _CALLED, lasts=_TOKEN_LASTS)
        return DemoPerson(username, shown, role, password, token)
