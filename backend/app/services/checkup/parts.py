"""Checks of the parts that are set up or not: what decides, searches and files.

A part that can be set up brings a check of its own (`Check`) in place of its line here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.app.domain.checkup import Finding, not_checked, ok
from backend.app.services.checkup.checks import Check


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A part of which this version has one kind only, which needs nothing."""

    part: str
    told: str

    def check(self) -> Check:
        """The check."""
        return Check(self.part, self.look)

    async def look(self) -> Sequence[Finding]:
        """What there is."""
        return [ok(self.part, self.told)]


@dataclass(frozen=True, slots=True)
class Absent:
    """A part that is not set up."""

    part: str
    told: str

    def check(self) -> Check:
        """The check."""
        return Check(self.part, self.look)

    async def look(self) -> Sequence[Finding]:
        """That it is not there."""
        return [not_checked(self.part, self.told)]


#: The parts of this version.
PARTS: tuple[Check, ...] = (
    BuiltIn("model", "No model is set up: the rules decide.").check(),
    BuiltIn("tracker", "No outside tracker is set up: tickets stay on our own desk.").check(),
    Absent("web_search", "None is set up; the agent does without.").check(),
    BuiltIn("semantic_search", "No embedding model is used: articles are found by words.").check(),
)
