"""What a checkup of the installation finds: one line per part, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    """How a part is found; only ``fail`` makes the whole fail."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    NOT_CHECKED = "not_checked"


@dataclass(frozen=True, slots=True)
class Finding:
    """How one part is found. Texts name settings, tables and figures, and never hold a secret."""

    part: str
    mark: Mark
    told: str
    advice: str | None = None


def ok(part: str, told: str) -> Finding:
    """A part that is as it should be."""
    return Finding(part, Mark.OK, told)


def warn(part: str, told: str, advice: str) -> Finding:
    """A part that works, and deserves a look."""
    return Finding(part, Mark.WARN, told, advice)


def fail(part: str, told: str, advice: str) -> Finding:
    """A part that keeps the helpdesk, or something that was set up, from working."""
    return Finding(part, Mark.FAIL, told, advice)


def not_checked(part: str, why: str, advice: str | None = None) -> Finding:
    """A part that is not set up, or could not be looked at."""
    return Finding(part, Mark.NOT_CHECKED, why, advice)
