"""Roles and passwords."""

import pytest

from backend.app.domain.principals import Role, normalise_username, password_weakness


@pytest.mark.parametrize(
    ("role", "other", "includes"),
    [
        (Role.REQUESTER, Role.REQUESTER, True),
        (Role.REQUESTER, Role.OPERATOR, False),
        (Role.REQUESTER, Role.ADMIN, False),
        (Role.OPERATOR, Role.REQUESTER, True),
        (Role.OPERATOR, Role.OPERATOR, True),
        (Role.OPERATOR, Role.ADMIN, False),
        (Role.ADMIN, Role.REQUESTER, True),
        (Role.ADMIN, Role.OPERATOR, True),
        (Role.ADMIN, Role.ADMIN, True),
    ],
)
def test_each_role_includes_the_ones_before_it(role: Role, other: Role, includes: bool) -> None:
    assert role.includes(other) is includes


@pytest.mark.parametrize(
    "password", ["", "short", "aaaaaaaaaaaaaaaa", "ababababababab", "x" * 257, "my-name-is-maya!"]
)
def test_weak_passwords_are_refused_with_a_reason(password: str) -> None:
    assert password_weakness(password, "maya")


@pytest.mark.parametrize("password", ["correct horse battery", "ünïcødé-pässwörd", "a1b2c3d4e5f6"])
def test_long_enough_passwords_will_do(password: str) -> None:
    assert password_weakness(password, "maya") is None


def test_a_user_name_has_one_spelling() -> None:
    assert normalise_username("  Maya.Rowan@Example.org ") == "maya.rowan@example.org"
