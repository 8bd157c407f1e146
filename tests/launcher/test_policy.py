"""The policy of gates at the terminal, which needs neither a server nor a database."""

from pathlib import Path

import pytest

from tests.launcher.test_server import admin, data  # noqa: F401 -- data: a fixture


def test_the_policy_in_force_holds_over_every_case(data: Path) -> None:  # noqa: F811
    said = admin(data, "policy", "check").stdout

    assert "0 counter-examples" in said
    assert int(said.split()[0]) > 1_000_000


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ([], "It runs."),
        (["--tier", "standard_change"], "It runs, and the ticket's trail records it."),
        (["--tier", "normal_change"], "It waits for an operator's approval."),
        (["--tier", "unknown", "--private"], "It waits for the requester's consent."),
        (["--status", "closed"], "It is refused."),
        (["--without", "scope"], "It is refused."),
    ],
)
def test_one_case_is_explained_in_plain_words(
    data: Path,  # noqa: F811
    options: list[str],
    verdict: str,
) -> None:
    assert admin(data, "policy", "explain", *options).stdout.startswith(verdict)
