"""The registry of a checkup, and how it is gone through.

A part of the program that wants to be looked at brings a `Check` of its own; ``bootstrap`` puts it
on the list. What a check raises, or how long it hangs, harms no other.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from backend.app.core.errors import AppError
from backend.app.core.logging import described
from backend.app.domain.checkup import Finding, Mark, fail, not_checked

_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Check:
    """Looks at one part, or at a few that are one question.

    Attributes:
        part: the part's name, for when looking itself fails.
        look: gives what is found; reads only.
        needs_database: it is not asked while the database does not answer.
    """

    part: str
    look: Callable[[], Awaitable[Sequence[Finding]]]
    needs_database: bool = False


@dataclass(frozen=True, slots=True)
class Checkup:
    """Goes through checks, one after the other."""

    checks: Sequence[Check]
    #: The part without which those that need the database are not asked.
    database: str = "database"
    seconds: float = _SECONDS

    async def run(self) -> list[Finding]:
        """Everything that is found, in the order of the checks."""
        found: list[Finding] = []
        for check in self.checks:
            away = any(one.part == self.database and one.mark is Mark.FAIL for one in found)
            if check.needs_database and away:
                found.append(not_checked(check.part, "The database does not answer."))
            else:
                found.extend(await self._looked(check))
        return found

    async def _looked(self, check: Check) -> Sequence[Finding]:
        try:
            async with asyncio.timeout(self.seconds):
                return await check.look()
        except TimeoutError:
            told = f"No answer within {self.seconds:g} s."
            return [fail(check.part, told, "See whether what it asks is overloaded or away.")]
        except AppError as error:
            return [fail(check.part, error.detail, "See Troubleshooting in the manual.")]
        except Exception as error:  # noqa: BLE001 -- one of the named places
            # Whatever a part's library raises: the other parts are looked at all the same.
            told = "Cannot be looked at ({error}, {at}).".format(**described(error))
            return [fail(check.part, told, "See its settings; if they are right, report this.")]


def has_failed(found: Sequence[Finding]) -> bool:
    """Whether anything is found that must be seen to."""
    return any(one.mark is Mark.FAIL for one in found)
