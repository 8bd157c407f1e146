"""What the agent may do next: from what it has spent, its limits and what is switched on.

The supervisor, whether a model or rules, chooses among the actions that are allowed here and no
others. The limits are hard: no choice, and no order of choices, gets past them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from backend.app.domain.sessions import NextAction, ToolBudgets


class Wish(StrEnum):
    """What the person's last reply asks of the agent, beyond what it tells."""

    GO_ON = "go_on"
    SOLVED = "solved"
    TICKET = "ticket"
    STOP = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a session has used up, and where it stands.

    ``has_proposal``: something was found that could be proposed and was not yet. ``has_question``:
    there is something left that is worth asking.
    """

    turns: int = 0
    questions: int = 0
    kb_retries: int = 0
    web_searches: int = 0
    duplicate_searches: int = 0
    proposals: int = 0
    tokens: int = 0
    is_classified: bool = False
    has_proposal: bool = False
    has_question: bool = True
    is_out_of_time: bool = False
    wish: Wish = Wish.GO_ON


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """Which tools are switched on and have something behind them."""

    retry_kb: bool = True
    web_search: bool = True
    search_duplicates: bool = True


@dataclass(frozen=True, slots=True)
class Allowed:
    """The actions that may be chosen, each with the reason why it may; never empty.

    ``is_forced``: there is no choice, the one action is to be taken.
    """

    reasons: Mapping[NextAction, str]

    @property
    def is_forced(self) -> bool:
        """Whether only one action is left."""
        return len(self.reasons) == 1

    def __contains__(self, action: object) -> bool:
        return action in self.reasons


def _forced(action: NextAction, reason: str) -> Allowed:
    return Allowed({action: reason})


def _is_over(spent: Spent, budgets: ToolBudgets) -> str | None:
    """Why nothing but the draft is left, or None."""
    if spent.is_out_of_time:
        return "the time for this session is used up"
    if spent.tokens >= budgets.tokens:
        return "the tokens for this session are used up"
    if spent.turns >= budgets.turns:
        return f"all {budgets.turns} steps are used up"
    return None


def allowed_actions(spent: Spent, budgets: ToolBudgets, tools: Tools) -> Allowed:
    """What may be done next."""
    if spent.wish is Wish.STOP:
        return _forced(NextAction.ABORT, "the person wants to stop")
    if spent.wish is Wish.SOLVED:
        return _forced(NextAction.RESOLVED_BY_AGENT, "the person says that it is solved")
    if over := _is_over(spent, budgets):
        return _forced(NextAction.WRITE_DRAFT, over)
    reasons: dict[NextAction, str] = {}
    if spent.wish is not Wish.TICKET:
        reasons |= _looking(spent, budgets, tools) | _asking(spent, budgets)
    # A session that wants only a classification still has a step left for it: `_is_over` saw to it.
    if not spent.is_classified:
        reasons[NextAction.CLASSIFY] = "the matter is not graded yet"
    reasons[NextAction.WRITE_DRAFT] = "a draft can always be written"
    return Allowed(reasons)


def _left(used: int, limit: int, what: str) -> str | None:
    return f"{what} {used + 1} of {limit}" if used < limit else None


def _looking(spent: Spent, budgets: ToolBudgets, tools: Tools) -> dict[NextAction, str]:
    tries = (
        (NextAction.RETRY_KB, tools.retry_kb, spent.kb_retries, budgets.tool_retries),
        (NextAction.WEB_SEARCH, tools.web_search, spent.web_searches, budgets.tool_retries),
        (
            NextAction.SEARCH_DUPLICATES,
            tools.search_duplicates,
            spent.duplicate_searches,
            budgets.duplicate_searches,
        ),
    )
    return {
        action: reason
        for action, is_on, used, limit in tries
        if is_on and (reason := _left(used, limit, "try"))
    }


def _asking(spent: Spent, budgets: ToolBudgets) -> dict[NextAction, str]:
    found: dict[NextAction, str] = {}
    if spent.has_question and (reason := _left(spent.questions, budgets.questions, "question")):
        found[NextAction.ASK_USER] = reason
    if spent.has_proposal and (reason := _left(spent.proposals, budgets.proposals, "proposal")):
        found[NextAction.PROPOSE_SOLUTION] = reason
    return found
