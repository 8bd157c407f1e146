"""``.env.example`` lists every setting with its default, and nothing else."""

import re
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic_settings import BaseSettings

from backend.app.core.settings import Settings

SAMPLE = Path(__file__).parents[2] / ".env.example"
SETTING = re.compile(r"^# ([A-Z][A-Z0-9_]*)=(.*)$")


def groups() -> list[type[BaseSettings]]:
    made = [field.default_factory for field in Settings.model_fields.values()]
    return [group for group in made if isinstance(group, type) and issubclass(group, BaseSettings)]


def written(default: Any) -> str:
    """A default as one would write it into the environment."""
    if default is None or default == ():
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    return str(default.value if isinstance(default, Enum) else default)


def lines() -> list[str]:
    return SAMPLE.read_text(encoding="utf-8").splitlines()


def test_every_setting_is_listed_with_its_default() -> None:
    assert len(groups()) == len(Settings.model_fields)
    expected = {
        f"{group.model_config['env_prefix']}{name}".upper(): written(field.default)
        for group in groups()
        for name, field in group.model_fields.items()
    }
    listed = [(match[1], match[2]) for match in map(SETTING.match, lines()) if match]
    assert dict(listed) == expected
    assert len(listed) == len(expected), "a setting is listed twice"


def test_nothing_is_set() -> None:
    assert [line for line in lines() if line and not line.startswith("# ")] == []


def test_every_setting_is_explained() -> None:
    all_lines = lines()
    bare = [
        line
        for above, line in zip(["", *all_lines], all_lines, strict=False)
        if SETTING.match(line) and (not above.startswith("# ") or SETTING.match(above))
    ]
    assert bare == []
