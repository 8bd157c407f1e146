"""Our GitHub client and its fake against GitHub's own published description.

Every request that the client makes, every answer that the fake gives, the recorded exchanges and
the webhook payloads. Run with ``-s`` to read how many: ``tox -e bench``.
"""

import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import SecretStr

from backend.app.core.clock import SystemClock
from backend.app.core.github_settings import GitHubSettings
from backend.app.domain.tracker import NewIssue, Written
from backend.app.providers.issue_tracker.github import (
    GitHubIssueTracker,
    TrackerUnavailable,
    github,
)
from backend.app.schemas.tracker import Delivery
from backend.tests.support.github import REPO, TOKEN, Call, FakeGitHub, Fault, fake_github

pytestmark = pytest.mark.bench

_PATHS = {
    "create": ("/repos/{owner}/{repo}/issues", "post"),
    "list": ("/repos/{owner}/{repo}/issues", "get"),
    "get": ("/repos/{owner}/{repo}/issues/{issue_number}", "get"),
    "search": ("/search/issues", "get"),
}
#: Not in the description: limits, and what any server may answer.
_UNDESCRIBED = {401, 429, 500, 502}


def _nullable(schema: Any) -> Any:
    """OpenAPI 3.0's ``nullable`` in the words of JSON Schema."""
    if isinstance(schema, list):
        return [_nullable(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _nullable(value) for name, value in schema.items()}
    if made.pop("nullable", False) is True:
        return {"anyOf": [made, {"type": "null"}]}
    return made


class Contract:
    """The description, and what was checked against it."""

    def __init__(self, folder: Path) -> None:
        self.described: Any = _nullable(json.loads((folder / "openapi-issues.json").read_text()))
        self.checked: Counter[str] = Counter()

    def _check(self, schema: Any, body: Any) -> None:
        whole = {**schema, "components": self.described["components"]}
        jsonschema.Draft202012Validator(whole).validate(body)

    def operation(self, name: str) -> Any:
        path, method = _PATHS[name]
        return self.described["paths"][path][method]

    def _resolved(self, one: Any) -> Any:
        reference = one.get("$ref")
        if reference is None:
            return one
        found = self.described
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        return found

    def request(self, call: Call) -> None:
        """Raise unless the description has this request."""
        operation = self.operation(call.name)
        parameters = [self._resolved(one) for one in operation.get("parameters", [])]
        known = {one["name"]: one for one in parameters if one["in"] == "query"}
        assert call.query.keys() <= known.keys(), (call.name, call.query)
        for name, value in call.query.items():
            schema = known[name]["schema"]
            typed: Any = int(value) if schema.get("type") == "integer" else value
            self._check(schema, typed)
        if call.body is not None:
            content = operation["requestBody"]["content"]["application/json"]
            self._check(content["schema"], call.body)
        self.checked[f"request {call.name}"] += 1

    def answer(self, call: Call, status: int, body: Any) -> None:
        """Raise unless the description has this answer."""
        self.request(call)
        answers = self.operation(call.name)["responses"]
        if str(status) not in answers:
            assert status in _UNDESCRIBED, (call.name, status)
            self.checked[f"undescribed {status}"] += 1
            return
        content = self._resolved(answers[str(status)]).get("content", {})
        self._check(content["application/json"]["schema"], body)
        self.checked[f"answer {call.name} {status}"] += 1


@pytest.fixture(scope="session")
def folder(public_data: Path) -> Path:
    found = public_data / "github-contract"
    if not (found / "openapi-issues.json").is_file():
        pytest.skip(f"not run: no description of GitHub in {found}")
    return found


def _tracker(fake: FakeGitHub, **more: Any) -> GitHubIssueTracker:
    settings = GitHubSettings(token=SecretStr(TOKEN), repo=REPO, api_url=fake.url, **more)
    return github(settings, SystemClock())


async def test_client_and_fake_keep_to_the_description(folder: Path) -> None:
    contract = Contract(folder)
    async with fake_github() as fake:
        fake.observe = contract.answer
        fake.page = 2
        began = datetime.now(UTC)
        for labels in ((), ("helpdesk", "from chat")):
            tracker = _tracker(fake, labels=labels)
            async with tracker.client:
                by = SystemClock().monotonic() + 60
                made = await tracker.create(NewIssue("A title 403", "a body\n\nmark"), begin_by=by)
                assert isinstance(made, Written)
                for n in range(3):
                    fake.add(f"another {n}")
                assert (await tracker.find("mark", since=began)) is not None
                assert await tracker.find("no such mark", since=began) is None
                assert await tracker.search("why does the title say 403, page:header?")
                assert (await tracker.get(made.number)) is not None
                assert await tracker.get(999) is None
        for status in (400, 401, 403, 404, 410, 422, 429, 500, 502):
            tracker = _tracker(fake)
            fake.fail("create", Fault(status))
            fake.fail("search", Fault(status if status in {401, 403, 422, 429} else 500))
            async with tracker.client:
                by = SystemClock().monotonic() + 60
                await tracker.create(NewIssue("t", "b"), begin_by=by)
                if status != 429:
                    with pytest.raises(TrackerUnavailable):
                        await tracker.search("a word or another")
    print(f"\n{sum(contract.checked.values())} checks: {dict(contract.checked)}")
    assert {f"answer {name} 20{int(name == 'create')}" for name in _PATHS} <= set(contract.checked)


async def test_recorded_answers_can_be_read(folder: Path) -> None:
    seen: Counter[str] = Counter()
    for name in ("paginate-issues", "search-issues"):
        for told in json.loads((folder / "fixtures" / f"{name}.json").read_text()):
            if told["status"] != 200 or told["method"] != "get":
                continue
            # Later pages are named by the repository's number.
            repo = re.search(r"octokit-fixture-org/[a-z-]+", told["path"].replace("%2F", "/"))
            name_of = repo[0] if repo else f"octokit-fixture-org/{name}"
            async with fake_github() as fake:
                sent = json.dumps(told["response"]).encode()
                link = {"Link": told["headers"]["link"]} if "link" in told["headers"] else {}
                fault = Fault(200, raw=sent, headers=link)
                settings = {"token": SecretStr(TOKEN), "repo": name_of, "api_url": fake.url}
                tracker = github(GitHubSettings.model_validate(settings), SystemClock())
                async with tracker.client:
                    if name == "search-issues":
                        fake.fail("search", fault)
                        found = await tracker.search("sesame")
                        assert len(found) == told["response"]["total_count"]
                        seen["issues found"] += len(found)
                    else:
                        fake.fail("list", fault, Fault(200, raw=b"[]"))
                        assert await tracker.find("no such", since=datetime.now(UTC)) is None
                        assert len(fake.calls) == 1 + ('rel="next"' in str(link))
                        seen["pages"] += 1
    print(f"\n{dict(seen)}")
    assert seen["issues found"]
    assert seen["pages"]


def test_webhook_payloads_can_be_read(folder: Path) -> None:
    payloads = sorted((folder / "webhooks").glob("issue*.json"))
    for path in payloads:
        told = Delivery.model_validate_json(path.read_bytes())
        assert told.issue.number
        assert told.repository.full_name
    print(f"\n{len(payloads)} payloads")
    assert len(payloads) > 15
