"""Every scenario file, played through the compiled graph on PostgreSQL over HTTP, comes out as it
expects. ``--show-trace`` prints how a failing one went.
"""

from collections import Counter
from pathlib import Path

import pytest

from backend.tests.eval import ledger
from backend.tests.eval.expectations import differences
from backend.tests.eval.scenario import FOLDER, Family, Scenario, every
from backend.tests.eval.stage import Played, Stage

SCENARIOS = every()
AT_LEAST = 60


def told(problems: list[str], played: Played, *, show_trace: bool) -> str:
    """What a failure says."""
    trace = f"\n\n{played.trace}" if show_trace else "\n(--show-trace tells how it went)"
    return "\n".join(problems) + trace


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
async def test_a_scenario_comes_out_as_it_expects(
    stage: Stage, scenario: Scenario, show_trace: bool
) -> None:
    played = await stage.play(scenario)
    problems = differences(scenario.expect, played) + ledger.forbidden(played)
    if played.journey.trouble:
        problems.append(played.journey.trouble)
    if stage.script_has_run_out:
        problems.append("the script ended before the choices did")

    assert not problems, told(problems, played, show_trace=show_trace)


def test_there_are_scenarios_of_every_family() -> None:
    counts = Counter(one.family for one in SCENARIOS)

    assert sum(counts.values()) >= AT_LEAST
    assert set(counts) == set(Family)
    assert len({one.description for one in SCENARIOS}) == len(SCENARIOS)
    languages = {one.id.split("_")[1] for one in SCENARIOS if one.family is Family.LANGUAGES}
    assert languages >= {"en", "de", "fr", "es"}


def test_a_folder_without_scenarios_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no scenarios"):
        every(tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("family: ", "famly: "),
        ("  conversation:", "  conversatoin:"),
        ("  final_kind: draft_ready", "  final_kind: draft_redy"),
        ("  final_kind: draft_ready", "  final_kind: draft_ready\n  final_knd: question"),
        ("  final_kind: draft_ready", "  final_kind: draft_ready\n  final_kind: question"),
        ("      - search_duplicates", "      - serch_duplicates"),
        ("id: oracle", "id: orakel"),
    ],
)
def test_a_file_that_is_no_scenario_is_an_error(tmp_path: Path, old: str, new: str) -> None:
    name = "oracle_403_search_duplicates_first.yaml"
    whole = (FOLDER / name).read_text("utf-8")
    assert old in whole
    (tmp_path / name).write_text(whole.replace(old, new, 1), "utf-8")

    with pytest.raises(
        Exception, match=r"extra|Input should be|repeated|holds the scenario|missing"
    ):
        every(tmp_path)
