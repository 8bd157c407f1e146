"""The names that settings have in the environment, and those that look like one and are none."""

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from backend.app.core.settings import SETTINGS_GROUPS

#: A name that begins so is meant for us.
_OURS = "HELPDESK_"
#: How alike a name must be to one of ours to be taken for it, and another program's to be told.
_ALIKE, _VERY_ALIKE = 0.7, 0.85


def known() -> frozenset[str]:
    """Every name that can be set."""
    return frozenset(
        f"{group.model_config.get('env_prefix', '')}{field}".upper()
        for group in SETTINGS_GROUPS
        for field in group.model_fields
    )


def misspelt(names: Iterable[str]) -> dict[str, str | None]:
    """Names that set nothing, each with the one that may be meant.

    Of names that do not begin as ours do, only those are told that are nearly one of ours.
    """
    there = known()
    others = tuple({name.partition("_")[0] + "_" for name in there} - {_OURS})
    found: dict[str, str | None] = {}
    for name in sorted({name.upper() for name in names} - there):
        if name.startswith(_OURS):
            found[name] = _meant(name, there, _OURS, _ALIKE)
        elif name.startswith(others) and (meant := _meant(name, there, "", _VERY_ALIKE)):
            found[name] = meant
    return found


def _meant(name: str, there: Iterable[str], prefix: str, likeness: float) -> str | None:
    """The likest name, by what follows the prefix that all share."""
    rests = [one.removeprefix(prefix) for one in there if one.startswith(prefix)]
    found = get_close_matches(name.removeprefix(prefix), rests, n=1, cutoff=likeness)
    return f"{prefix}{found[0]}" if found else None


def in_environment(environment: Mapping[str, str] | None = None) -> list[str]:
    """The names that are set, without their values."""
    there = os.environ if environment is None else environment  # noqa: TID251 -- names alone
    return list(there)
