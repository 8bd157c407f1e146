"""What a tool found reaches whoever decides, and changes what is done next."""

import pytest

from backend.tests.eval import ledger
from backend.tests.eval.deciders import Choice, Heard
from backend.tests.eval.scenario import Issue, Scenario, ToolResults, every
from backend.tests.eval.stage import Stage

_A_QUESTION = next(one for one in every() if one.id == "paths_rules_look_first_and_ask_later")


class _LooksAndThenDecides:
    """Searches tickets first; drafts at once if one of them is the very matter, else asks."""

    def choose(self, heard: Heard) -> Choice:
        if "search_duplicates" in heard.offered:
            return Choice("search_duplicates", "is it known?")
        if any("Excel crashes" in text and "#" in text for text in heard.texts):
            return Choice("write_draft", "it is known")
        return Choice("ask_user", "it is not known")


def _with(*issues: Issue) -> Scenario:
    results = ToolResults(search_existing_issues=issues)
    given = _A_QUESTION.given.model_copy(update={"mock_tool_results": results})
    return _A_QUESTION.model_copy(update={"given": given})


@pytest.mark.parametrize(
    ("issues", "steps"),
    [
        ((Issue(number=4, title="Excel crashes"),), ["search_duplicates", "write_draft"]),
        ((Issue(number=4, title="Printer jam"),), ["search_duplicates", "ask_user"]),
        ((), ["search_duplicates", "ask_user"]),
    ],
)
async def test_one_decider_takes_two_ways_by_what_was_found(
    stage: Stage, issues: tuple[Issue, ...], steps: list[str]
) -> None:
    journey = await stage.set_up(_with(*issues), _LooksAndThenDecides())
    await journey.start()
    played = await stage.over(journey)

    assert [one.action for one in played.view.steps] == steps
    assert ledger.forbidden(played) == []


async def test_a_script_that_is_too_short_is_noticed(stage: Stage) -> None:
    scenario = next(one for one in every() if one.id == "budgets_turns_force_a_draft")
    script = scenario.given.mock_provider_script
    assert script is not None
    short = script.model_copy(update={"supervisor_decisions": script.supervisor_decisions[:1]})
    given = scenario.given.model_copy(update={"mock_provider_script": short})
    played = await stage.play(scenario.model_copy(update={"given": given}))

    assert stage.script_has_run_out
    assert played.journey.trouble == "no draft was shown"  # which it then wants to confirm


async def test_a_session_of_another_scenario_leaves_nothing(stage: Stage) -> None:
    first = await stage.play(_with(Issue(number=4, title="Excel crashes")))
    second = await stage.play(_with())

    assert [one["number"] for one in first.tickets] == [4]
    assert second.tickets == []
