"""What can be set up is looked at with the very adapters that a start would use."""

import json
from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.app.bootstrap import part_checks
from backend.app.core.clock import SystemClock
from backend.app.core.github_settings import GitHubSettings
from backend.app.core.leaving_settings import LeavingSettings
from backend.app.core.model_settings import ModelProvider, ModelSettings
from backend.app.core.settings import Environment, ServerSettings, Settings
from backend.app.core.web_search_settings import WebSearchProvider, WebSearchSettings
from backend.app.domain.checkup import Finding, Mark
from backend.app.services.checkup.checks import Checkup
from backend.tests.support.github import REPO, TOKEN, FakeGitHub, Fault, fake_github

SECRET = SecretStr("zq9-not-to-be-shown")


async def look(settings: Settings) -> dict[str, Finding]:
    found = await Checkup(part_checks(settings, SystemClock()).checks()).run()
    assert SECRET.get_secret_value() not in str(found)
    assert TOKEN not in str(found)
    return {one.part: one for one in found}


def with_tracker(fake: FakeGitHub, token: str = TOKEN) -> Settings:
    return Settings(
        github=GitHubSettings(
            token=SecretStr(token), repo=REPO, api_url=fake.url, timeout_seconds=0.5
        )
    )


async def test_a_helpdesk_by_itself_lacks_nothing() -> None:
    found = await look(Settings())

    assert {part: one.mark for part, one in found.items()} == {
        "model": Mark.OK,
        "tracker": Mark.OK,
        "web_search": Mark.NOT_CHECKED,
        "names": Mark.OK,
        "semantic_search": Mark.OK,
    }


async def test_a_model_is_told_by_provider_and_name_and_not_asked() -> None:
    model = ModelSettings(
        provider=ModelProvider.ANTHROPIC,
        default="large",
        writer="small",
        api_key=SECRET,
        base_url="http://127.0.0.1:9",  # where nobody listens
    )
    found = (await look(Settings(model=model)))["model"]

    assert found.mark is Mark.OK
    assert found.told.startswith("anthropic: large (supervisor, clarifier, classifier, proposer)")
    assert "small (writer)" in found.told


async def test_a_model_that_cannot_be_had_says_what_is_missing() -> None:
    model = ModelSettings(provider=ModelProvider.OPENAI, api_key=SECRET)
    found = (await look(Settings(model=model)))["model"]

    assert found.mark is Mark.FAIL
    assert "HELPDESK_MODEL_DEFAULT" in found.told


async def test_the_tracker_is_asked_for_its_repository_once() -> None:
    async with fake_github() as fake:
        found = (await look(with_tracker(fake)))["tracker"]

    assert (found.mark, REPO in found.told) == (Mark.OK, True)
    assert [(call.name, call.path) for call in fake.calls] == [("repository", f"/repos/{REPO}")]


async def test_a_token_that_is_not_accepted_fails() -> None:
    async with fake_github() as fake:
        found = (await look(with_tracker(fake, SECRET.get_secret_value())))["tracker"]

    assert (found.mark, "GITHUB_TOKEN" in found.told) == (Mark.FAIL, True)


@pytest.mark.parametrize(
    ("fault", "mark"),
    [
        (Fault(403), Mark.FAIL),
        (Fault(404), Mark.FAIL),
        (Fault(301, headers={"Location": "/elsewhere"}), Mark.WARN),
        (Fault(503), Mark.WARN),
        (Fault(drops=True), Mark.WARN),
        (Fault(late=2.0), Mark.WARN),
    ],
)
async def test_a_tracker_that_does_not_show_the_repository(fault: Fault, mark: Mark) -> None:
    async with fake_github() as fake:
        fake.fail("repository", fault)
        found = (await look(with_tracker(fake)))["tracker"]

    assert found.mark is mark
    assert found.advice


async def test_a_tracker_that_is_set_by_half_is_told() -> None:
    found = (await look(Settings(github=GitHubSettings(token=SECRET))))["tracker"]

    assert (found.mark, "GITHUB_REPO" in found.told) == (Mark.WARN, True)


async def test_under_test_nobody_elsewhere_is_asked() -> None:
    settings = Settings(
        server=ServerSettings(environment=Environment.TEST),
        github=GitHubSettings(token=SECRET, repo=REPO),
        web_search=WebSearchSettings(provider=WebSearchProvider.TAVILY, api_key=SECRET),
    )
    found = await look(settings)

    assert found["tracker"].mark is Mark.NOT_CHECKED
    assert found["web_search"].mark is Mark.FAIL


async def test_pages_for_the_search_are_read(tmp_path: Path) -> None:
    path = tmp_path / "pages.json"
    search = WebSearchSettings(provider=WebSearchProvider.LOCAL, path=path)
    away = (await look(Settings(web_search=search)))["web_search"]
    path.write_text(json.dumps([{"title": "A", "url": "https://a.example", "text": "a b c"}]))
    there = (await look(Settings(web_search=search)))["web_search"]

    assert (away.mark, "HELPDESK_WEB_SEARCH_PATH" in away.told) == (Mark.FAIL, True)
    assert there.mark is Mark.OK


@pytest.mark.parametrize("enabled", [True, False])
async def test_names_that_would_leave_are_told(tmp_path: Path, enabled: bool) -> None:
    names = LeavingSettings(enabled=enabled, model_dir=tmp_path)  # an empty folder
    async with fake_github() as fake:
        leaving = with_tracker(fake).model_copy(update={"leaving": names})
        found = (await look(leaving))["names"]
    alone = (await look(Settings(leaving=names)))["names"]

    assert (found.mark, alone.mark) == (Mark.WARN, Mark.OK)
