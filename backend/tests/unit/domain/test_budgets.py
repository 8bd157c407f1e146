"""What a session may do next: whatever is chosen, it ends or waits within its limits."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.app.domain.budgets import Spent, Tools, Wish, allowed_actions
from backend.app.domain.sessions import NextAction, ToolBudgets

_COUNTED = {
    NextAction.RETRY_KB: "kb_retries",
    NextAction.WEB_SEARCH: "web_searches",
    NextAction.SEARCH_DUPLICATES: "duplicate_searches",
    NextAction.ASK_USER: "questions",
    NextAction.PROPOSE_SOLUTION: "proposals",
}
_ENDS = {NextAction.WRITE_DRAFT, NextAction.RESOLVED_BY_AGENT, NextAction.ABORT}
_PAUSES = {NextAction.ASK_USER, NextAction.PROPOSE_SOLUTION}

small = st.integers(0, 12)
budgets_ = st.builds(
    ToolBudgets,
    turns=st.integers(1, 12),
    questions=st.integers(0, 4),
    tool_retries=st.integers(0, 4),
    tokens=st.integers(0, 20_000),
)
tools_ = st.builds(
    Tools, retry_kb=st.booleans(), web_search=st.booleans(), search_duplicates=st.booleans()
)
spent_ = st.builds(
    Spent,
    turns=small,
    questions=small,
    kb_retries=small,
    web_searches=small,
    duplicate_searches=small,
    proposals=small,
    tokens=st.integers(0, 40_000),
    is_classified=st.booleans(),
    has_proposal=st.booleans(),
    has_question=st.booleans(),
    is_out_of_time=st.booleans(),
    wish=st.sampled_from(Wish),
)


@settings(max_examples=500)
@given(spent_, budgets_, tools_)
def test_there_is_always_something_to_do_and_a_reason_for_it(
    spent: Spent, budgets: ToolBudgets, tools: Tools
) -> None:
    allowed = allowed_actions(spent, budgets, tools)

    assert allowed.reasons
    assert all(allowed.reasons.values())
    assert allowed.is_forced == (len(allowed.reasons) == 1)


@settings(max_examples=500)
@given(spent_, budgets_, tools_)
def test_nothing_is_filed_or_linked_by_a_choice(
    spent: Spent, budgets: ToolBudgets, tools: Tools
) -> None:
    allowed = allowed_actions(spent, budgets, tools)

    for never in (
        NextAction.FILE_NEW,
        NextAction.LINK_EXISTING,
        NextAction.AWAIT_USER_CONFIRM,
    ):
        assert never not in allowed


@settings(max_examples=500)
@given(spent_, budgets_, tools_)
def test_an_end_is_a_persons_to_wish_for(spent: Spent, budgets: ToolBudgets, tools: Tools) -> None:
    allowed = allowed_actions(spent, budgets, tools)

    assert (NextAction.ABORT in allowed) == (spent.wish is Wish.STOP)
    assert (NextAction.RESOLVED_BY_AGENT in allowed) == (spent.wish is Wish.SOLVED)


@settings(max_examples=500)
@given(spent_, budgets_, tools_)
def test_what_is_used_up_or_switched_off_is_not_offered(
    spent: Spent, budgets: ToolBudgets, tools: Tools
) -> None:
    allowed = allowed_actions(spent, budgets, tools)
    limits = {
        NextAction.RETRY_KB: budgets.tool_retries if tools.retry_kb else 0,
        NextAction.WEB_SEARCH: budgets.tool_retries if tools.web_search else 0,
        NextAction.SEARCH_DUPLICATES: budgets.duplicate_searches if tools.search_duplicates else 0,
        NextAction.ASK_USER: budgets.questions if spent.has_question else 0,
        NextAction.PROPOSE_SOLUTION: budgets.proposals if spent.has_proposal else 0,
    }

    for action, limit in limits.items():
        if getattr(spent, _COUNTED[action]) >= limit:
            assert action not in allowed


@pytest.mark.parametrize(
    "used_up",
    [{"is_out_of_time": True}, {"tokens": 20_000}, {"turns": 8}, {"turns": 9, "tokens": 30_000}],
)
@pytest.mark.parametrize("wish", [Wish.GO_ON, Wish.TICKET])
def test_when_time_tokens_or_turns_are_used_up_a_draft_is_forced(
    used_up: dict[str, int], wish: Wish
) -> None:
    spent = Spent(has_proposal=True, wish=wish, **used_up)  # type: ignore[arg-type]

    assert list(allowed_actions(spent, ToolBudgets(), Tools()).reasons) == [NextAction.WRITE_DRAFT]


@pytest.mark.parametrize(
    ("wish", "action"),
    [(Wish.STOP, NextAction.ABORT), (Wish.SOLVED, NextAction.RESOLVED_BY_AGENT)],
)
def test_a_persons_end_comes_before_every_limit(wish: Wish, action: NextAction) -> None:
    spent = Spent(turns=99, tokens=99_999, is_out_of_time=True, wish=wish)

    assert list(allowed_actions(spent, ToolBudgets(), Tools()).reasons) == [action]


def test_who_wants_a_ticket_is_asked_nothing_more() -> None:
    spent = Spent(has_proposal=True, wish=Wish.TICKET)

    assert set(allowed_actions(spent, ToolBudgets(), Tools()).reasons) == {
        NextAction.CLASSIFY,
        NextAction.WRITE_DRAFT,
    }


@settings(max_examples=500)
@given(budgets_, tools_, st.data())
def test_whatever_is_chosen_a_session_comes_to_an_end_within_its_limits(
    budgets: ToolBudgets, tools: Tools, data: st.DataObject
) -> None:
    spent, pauses, steps = Spent(), 0, 0
    while True:
        steps += 1
        assert steps <= budgets.turns + 1
        allowed = allowed_actions(spent, budgets, tools)
        action = data.draw(st.sampled_from(sorted(allowed.reasons)))
        if not allowed.is_forced:
            spent = replace(spent, turns=spent.turns + 1)
        if action in _ENDS:
            break
        if action is NextAction.CLASSIFY:
            spent = replace(spent, is_classified=True)
        else:
            counter = _COUNTED[action]
            spent = replace(spent, **{counter: getattr(spent, counter) + 1})
        if action in _PAUSES:
            pauses += 1
            spent = replace(spent, wish=data.draw(st.sampled_from(Wish)))
        spent = replace(
            spent,
            has_proposal=data.draw(st.booleans()),
            has_question=data.draw(st.booleans()),
            tokens=spent.tokens + data.draw(st.integers(0, 3_000)),
        )

    assert spent.turns <= budgets.turns
    assert spent.questions <= budgets.questions
    assert max(spent.kb_retries, spent.web_searches) <= budgets.tool_retries
    assert spent.duplicate_searches <= 1
    assert spent.proposals <= 2
    assert pauses <= budgets.questions + budgets.proposals
