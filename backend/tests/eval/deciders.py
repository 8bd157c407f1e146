"""Who decides in a scenario: a script, the rules, or somebody who means harm.

A `Mind` says what it wants and with which arguments, from all that was said and found. `Deciding`
is the one place that puts a mind into the agent's present port, and notes each wish.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from backend.app.domain.budgets import Allowed
from backend.app.domain.sessions import NextAction
from backend.app.services.helpdesk_graph.rules import (
    Decider,
    Decision,
    RuleBasedDecider,
    Situation,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a mind wants: an action, which may be none of ours, its reason, and arguments such as
    ``query``, ``number``, ``title``. The present port has no room for arguments.
    """

    action: str
    reason: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Heard:
    """What a mind has before it: every text of the session so far, what is offered, how many
    choices there were before.
    """

    texts: Sequence[str]
    offered: Sequence[str]
    count: int


class Mind(Protocol):
    """Chooses, for better or worse."""

    def choose(self, heard: Heard) -> Choice | None:
        """What it wants; None: whatever the rules say."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A choice, as it was noted."""

    offered: tuple[str, ...]
    choice: Choice
    is_forced: bool

    @property
    def is_refused(self) -> bool:
        """Whether it was none of what was offered."""
        return self.choice.action not in self.offered

    def __str__(self) -> str:
        mark = "forced" if self.is_forced else "REFUSED" if self.is_refused else "taken"
        offered = ", ".join(self.offered)
        return f"{mark:7} {self.choice.action:18} of [{offered}]: {self.choice.reason[:100]!r}"


@dataclass(slots=True)
class Deciding:
    """Puts whoever decides now into the agent's port."""

    decider: Decider = field(default_factory=RuleBasedDecider)
    mind: Mind | None = None
    #: What a mind reads: everything said, shown and found so far.
    texts: Callable[[], Sequence[str]] = list
    noted: list[Wanted] = field(default_factory=list)

    async def decide(self, situation: Situation, allowed: Allowed) -> Decision:
        """As the decider or the mind says."""
        offered = tuple(one.value for one in allowed.reasons)
        chosen = None
        if self.mind is not None:
            chosen = self.mind.choose(Heard(self.texts(), offered, len(self.noted)))
        if chosen is None:
            ruled = await self.decider.decide(situation, allowed)
            chosen = Choice(ruled.action.value, ruled.reason)
        self.noted.append(Wanted(offered, chosen, allowed.is_forced))
        try:
            action: Any = NextAction(chosen.action)
        except ValueError:
            action = chosen.action  # what a model wrote that knows no limits
        return Decision(cast(NextAction, action), chosen.reason)


@dataclass(slots=True)
class Scripted:
    """Follows a script whenever there is a choice."""

    decisions: list[NextAction]
    rest: Decider = field(default_factory=RuleBasedDecider)
    has_run_out: bool = False

    async def decide(self, situation: Situation, allowed: Allowed) -> Decision:
        """The next of the script."""
        if allowed.is_forced:
            return await self.rest.decide(situation, allowed)
        if not self.decisions:
            self.has_run_out = True
            return await self.rest.decide(situation, allowed)
        return Decision(self.decisions.pop(0), "as the script says")


def scripted(decisions: Sequence[NextAction]) -> Scripted:
    """A decider that follows ``decisions``. Waiting for a confirm is none: a draft leads there."""
    return Scripted([one for one in decisions if one is not NextAction.AWAIT_USER_CONFIRM])
