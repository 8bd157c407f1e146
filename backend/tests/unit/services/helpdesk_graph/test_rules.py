"""What the rules choose."""

from typing import Any

import pytest

from backend.app.domain.budgets import Allowed, Spent, Tools, Wish, allowed_actions
from backend.app.domain.sessions import NextAction, ToolBudgets
from backend.app.services.helpdesk_graph.rules import (
    SENTINEL_PLAN,
    RuleBasedDecider,
    Situation,
    is_sentinel,
)


def _situation(*taken: NextAction, **changes: Any) -> Situation:
    values: dict[str, Any] = {
        "taken": taken,
        "wish": Wish.GO_ON,
        "best_odds": 0.0,
        "has_news": False,
        "is_scripted": False,
    }
    return Situation(**(values | changes))


async def _choice(situation: Situation, **spent: Any) -> NextAction:
    allowed = allowed_actions(Spent(**spent), ToolBudgets(), Tools())
    decision = await RuleBasedDecider().decide(situation, allowed)
    assert decision.reason == allowed.reasons[decision.action]
    return decision.action


@pytest.mark.parametrize(
    ("question", "is_one"),
    [
        ("Oracle Financials 403 error on budget reports", True),
        ("  oracle financials: 403 error on budget reports!", True),
        ("Oracle Financials 403 error on budget reports again", False),
        ("403 error on budget reports in Oracle Financials", False),
        ("", False),
    ],
)
def test_the_demos_question_is_known_by_its_words(question: str, is_one: bool) -> None:
    assert is_sentinel(question) is is_one


async def test_the_demos_question_takes_its_five_steps_in_order() -> None:
    taken: list[NextAction] = []
    for _ in SENTINEL_PLAN:
        taken.append(await _choice(_situation(*taken, is_scripted=True)))

    assert tuple(taken) == SENTINEL_PLAN


async def test_it_looks_before_it_asks() -> None:
    assert await _choice(_situation()) is NextAction.RETRY_KB
    searched = _situation(NextAction.RETRY_KB)
    assert await _choice(searched, kb_retries=1) is NextAction.SEARCH_DUPLICATES


async def test_it_proposes_what_it_found_before_it_asks() -> None:
    looked = _situation(NextAction.RETRY_KB, NextAction.SEARCH_DUPLICATES)
    spent = {"kb_retries": 1, "duplicate_searches": 1}

    assert await _choice(looked, has_proposal=True, **spent) is NextAction.PROPOSE_SOLUTION


async def test_a_likely_duplicate_is_worth_more_than_another_question() -> None:
    looked = _situation(NextAction.RETRY_KB, NextAction.SEARCH_DUPLICATES, best_odds=0.9)
    spent = {"kb_retries": 1, "duplicate_searches": 1}

    assert await _choice(looked, has_proposal=True, **spent) is NextAction.CLASSIFY


async def test_a_forced_step_is_taken() -> None:
    for action in (NextAction.ABORT, NextAction.RESOLVED_BY_AGENT, NextAction.WRITE_DRAFT):
        decision = await RuleBasedDecider().decide(_situation(), Allowed({action: "no choice"}))
        assert (decision.action, decision.reason) == (action, "no choice")


async def test_with_nothing_left_it_writes() -> None:
    everything = _situation(*NextAction)
    spent = {
        "kb_retries": 2,
        "web_searches": 2,
        "duplicate_searches": 1,
        "questions": 2,
        "proposals": 2,
        "is_classified": True,
    }

    assert await _choice(everything, **spent) is NextAction.WRITE_DRAFT
