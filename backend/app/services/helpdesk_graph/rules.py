"""Who decides the next step: rules that need no model, and the plan of the question that every demo
asks. A decider only ever sees what is allowed; what it returns is held against that once more.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from backend.app.domain.budgets import Allowed, Wish
from backend.app.domain.sessions import NextAction

#: A possible duplicate this likely is worth more than another question.
_TELLING_ODDS = 0.75

SENTINEL_QUESTION = "Oracle Financials 403 error on budget reports"
#: The plan that the requirement lays down for the sentinel question.
SENTINEL_PLAN = (
    NextAction.SEARCH_DUPLICATES,
    NextAction.WEB_SEARCH,
    NextAction.ASK_USER,
    NextAction.CLASSIFY,
    NextAction.WRITE_DRAFT,
)
_WORD = re.compile(r"\w+")


def is_sentinel(question: str) -> bool:
    """Whether this is the question that the plan is for; case and punctuation do not count."""
    return _WORD.findall(question.lower()) == _WORD.findall(SENTINEL_QUESTION.lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a decider sees."""

    taken: Sequence[NextAction]
    wish: Wish
    best_odds: float
    has_news: bool
    #: Whether a search of the web could find what the last one did not.
    has_web_news: bool = True
    is_scripted: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """The chosen step, and why, in a sentence."""

    action: NextAction
    reason: str


class Decider(Protocol):
    """Chooses the next step."""

    async def decide(self, situation: Situation, allowed: Allowed) -> Decision:
        """One of the allowed actions; whatever else is returned is not taken."""


class RuleBasedDecider:
    """Looks first, then tries what it found, asks what is missing, and writes down what is left."""

    async def decide(self, situation: Situation, allowed: Allowed) -> Decision:
        """The first step, in the order of usefulness, that is allowed and not yet done."""
        order = _planned(situation) if situation.is_scripted else _useful(situation)
        action = next((action for action in order if action in allowed), NextAction.WRITE_DRAFT)
        if action not in allowed:  # one action is forced
            action = next(iter(allowed.reasons))
        return Decision(action, allowed.reasons[action])


def _planned(situation: Situation) -> list[NextAction]:
    return [action for action in SENTINEL_PLAN if action not in situation.taken]


def _useful(situation: Situation) -> list[NextAction]:
    order: list[NextAction] = []
    if NextAction.RETRY_KB not in situation.taken:
        order.append(NextAction.RETRY_KB)
    order.append(NextAction.SEARCH_DUPLICATES)
    if situation.best_odds < _TELLING_ODDS:
        if situation.has_news:  # what was answered may find what the question alone did not
            order.append(NextAction.RETRY_KB)
        order.append(NextAction.PROPOSE_SOLUTION)
        if situation.has_web_news:
            order.append(NextAction.WEB_SEARCH)
        order.append(NextAction.ASK_USER)
    return [*order, NextAction.CLASSIFY]
