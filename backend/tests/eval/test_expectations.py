"""Every key of an expectation can fail, and says what it was."""

from typing import Any

import pytest

from backend.tests.eval.expectations import EQUAL, HOLDS, LACKS, differences
from backend.tests.eval.scenario import Expect, every
from backend.tests.eval.stage import Stage

#: A wrong word for each key, of a session that was filed.
WRONG: dict[str, Any] = {
    "final_kind": "question",
    "outcome": "linked",
    "reason": "user",
    "questions_asked": 2,
    "proposals_made": 1,
    "asked": ("Which application",),
    "tools_invoked": ("web_search", "search_existing_issues"),  # both, in the wrong order
    "tool_results": ("ok", "empty"),
    "steps": ("web_search", "search_duplicates", "ask_user", "classify", "write_draft"),
    "decisions_refused": 1,
    "duplicate_candidates_count": 1,
    "candidates": (7,),
    "draft_title_contains": "Printer",
    "draft_body_contains": ("Oracle", "Printer"),
    "draft_body_lacks": "Oracle",
    "severity": "low",
    "impact": "Person",
    "category": "email",
    "message_contains": "Linked",
    "tickets_filed": 0,
    "ticket_title_contains": "Printer",
    "ticket_body_contains": "Printer",
    "ticket_body_lacks": "agent_session",
    "linked_to": 7,
    "refused": ((409, "stale_question"),),
    "never": ("ticket",),
}
_MORE_NEVERS: list[Any] = [
    {"action": "ask_user"},
    {"tool": "web_search"},
    {"kind": "draft_ready"},
    {"text": "Oracle"},
]


def test_there_is_a_wrong_word_for_every_key() -> None:
    keys = set(Expect.model_fields)

    assert WRONG.keys() == keys
    assert EQUAL.keys() | HOLDS.keys() | LACKS.keys() | {"asked", "never"} == keys


@pytest.mark.parametrize("key", [*WRONG, *range(len(_MORE_NEVERS))])
async def test_a_wrong_expectation_is_a_difference(stage: Stage, key: str | int) -> None:
    scenario = next(one for one in every() if one.id == "paths_demo_plan_to_its_ticket")
    played = await stage.play(scenario)
    assert differences(scenario.expect, played) == []
    wrong = {key: WRONG[key]} if isinstance(key, str) else {"never": (_MORE_NEVERS[key],)}
    expect = Expect.model_validate({"final_kind": "filed", **wrong})

    found = differences(expect, played)
    assert [one.split(":")[0] for one in found] == [next(iter(wrong))]
