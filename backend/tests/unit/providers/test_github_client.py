"""The client alone, against a GitHub on loopback: what it follows, where the token goes, when it
leaves GitHub alone.
"""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from backend.app.core.clock import SystemClock
from backend.app.core.github_settings import GitHubSettings
from backend.app.db.uow import TransactionHeldAcrossWait, _open
from backend.app.domain.tickets import IssueStatus
from backend.app.domain.tracker import NewIssue, NotSent, Refused, Unsure, Written
from backend.app.providers.issue_tracker.github import (
    GitHubIssueTracker,
    TrackerBusy,
    TrackerUnavailable,
    github,
)
from backend.tests.support.github import REPO, TOKEN, FakeGitHub, Fault, earlier, fake_github
from backend.tests.support.tracked import github_settings

ISSUE = NewIssue("Title", "Body\n\n---\nagent_session: s1\nchat_session: c1")
MARKER = "agent_session: s1\nchat_session: c1"


class SetClock(SystemClock):
    """A clock that is put forward."""

    ahead = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.ahead)

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest_asyncio.fixture
async def fake() -> AsyncIterator[FakeGitHub]:
    async with fake_github() as made:
        yield made


@pytest_asyncio.fixture
async def tracker(fake: FakeGitHub, clock: SetClock) -> AsyncIterator[GitHubIssueTracker]:
    made = github(github_settings(fake, labels="helpdesk, chat"), clock)
    async with made.client:
        yield made


async def _create(tracker: GitHubIssueTracker, clock: SetClock, *, left: float = 5.0) -> Any:
    return await tracker.create(ISSUE, begin_by=clock.monotonic() + left)


async def test_an_issue_is_written_with_its_labels(
    tracker: GitHubIssueTracker, fake: FakeGitHub, clock: SetClock
) -> None:
    made = await _create(tracker, clock)
    assert made == Written(1, f"{fake.url}/{REPO}/issues/1")
    (call,) = fake.named("create")
    assert call.body == {"title": "Title", "body": ISSUE.body, "labels": ["helpdesk", "chat"]}
    assert call.headers["authorization"] == f"Bearer {TOKEN}"
    found = await tracker.get(1)
    assert found is not None
    assert (found.title, found.status) == ("Title", IssueStatus.OPEN)


async def test_what_begins_too_late_is_not_begun(
    tracker: GitHubIssueTracker, fake: FakeGitHub, clock: SetClock
) -> None:
    assert await _create(tracker, clock, left=-0.001) == NotSent()
    assert fake.calls == []


async def test_a_moved_repository_is_followed_when_reading_and_never_when_writing(
    tracker: GitHubIssueTracker, fake: FakeGitHub, clock: SetClock
) -> None:
    fake.add("Title", ISSUE.body)
    moved = {"Location": f"/repos/{REPO}/issues/1"}
    fake.fail("get", Fault(301, headers=moved))
    assert (await tracker.get(1)) is not None
    fake.fail("create", Fault(307, headers={"Location": f"/repos/{REPO}/issues"}))
    assert await _create(tracker, clock) == Refused(307)
    assert len(fake.issues) == 1


@pytest.mark.parametrize("place", ["host", "scheme", "", "nowhere"])
async def test_the_token_goes_to_no_other_host(
    tracker: GitHubIssueTracker, fake: FakeGitHub, place: str
) -> None:
    async with fake_github() as other:
        target = {
            "host": f"{other.url}/repos/{REPO}/issues/1",
            "scheme": f"https://127.0.0.1:{fake.port}/x",
            "nowhere": "//evil.invalid/x",
        }.get(place, "")
        fake.fail("get", Fault(302, headers={"Location": target} if target else {}))
        with pytest.raises(TrackerUnavailable):
            await tracker.get(1)
        assert other.calls == []


async def test_a_circle_of_redirects_is_left(tracker: GitHubIssueTracker, fake: FakeGitHub) -> None:
    fake.always["get"] = Fault(302, headers={"Location": f"/repos/{REPO}/issues/1"})
    with pytest.raises(TrackerUnavailable):
        await tracker.get(1)
    assert len(fake.calls) == 3


async def test_a_limit_is_kept_until_it_is_over_searches_apart(
    tracker: GitHubIssueTracker, fake: FakeGitHub, clock: SetClock
) -> None:
    reset = str(int(clock.now().timestamp()) + 100)
    spent = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}
    fake.fail("search", Fault(403, headers=spent))
    for _ in range(3):
        with pytest.raises(TrackerBusy):
            await tracker.search("printer")
    assert len(fake.named("search")) == 1
    assert isinstance(await _create(tracker, clock), Written)
    clock.ahead = 102
    assert await tracker.search("printer") == []

    fake.fail("create", Fault(429, headers={"Retry-After": "30"}))
    assert await _create(tracker, clock) == NotSent(429, timedelta(seconds=30))
    again = await _create(tracker, clock)
    assert isinstance(again, NotSent)
    assert again.status is None
    with pytest.raises(TrackerBusy):
        await tracker.find(MARKER, since=clock.now())
    clock.ahead += 31
    assert isinstance(await _create(tracker, clock), Written)
    assert len(fake.named("create")) == 3


async def test_the_last_of_an_allowance_is_noticed(
    tracker: GitHubIssueTracker, fake: FakeGitHub, clock: SetClock
) -> None:
    reset = str(int(clock.now().timestamp()) + 50)
    spent = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}
    fake.fail("create", Fault(stores=True, headers=spent))
    assert isinstance(await _create(tracker, clock), Written)
    assert isinstance(await _create(tracker, clock), NotSent)
    assert len(fake.issues) == 1


async def test_an_issue_is_known_by_its_last_lines_and_nothing_less(
    tracker: GitHubIssueTracker, fake: FakeGitHub
) -> None:
    since = datetime.now(UTC) - timedelta(hours=1)
    fake.add("quoted", "> agent_session: s1\n> chat_session: c1")
    fake.add("half", "agent_session: s1\nchat_session: c2")
    fake.add("apart", "agent_session: s1\n\nx\n\nchat_session: c1")
    fake.add("longer", "agent_session: s10\nchat_session: c1")
    fake.add("a pull request", ISSUE.body, pull_request={"url": "x"})
    fake.add("long ago", ISSUE.body, updated_at=earlier(days=3), created_at=earlier(days=3))
    assert await tracker.find(MARKER, since=since) is None
    fake.add(
        "closed and edited",
        f"x\r\n\r\n{ISSUE.body}  \r\n\r\nlater".replace("\n", "\r\n"),
        state="closed",
    )
    found = await tracker.find(MARKER, since=since)
    assert found is not None
    assert (found.number, found.status) == (7, IssueStatus.CLOSED)


async def test_a_listing_without_end_is_no_answer(
    tracker: GitHubIssueTracker, fake: FakeGitHub
) -> None:
    endless = {"Link": f'<{fake.url}/x?page=2>; rel="next"'}
    fake.always["list"] = Fault(200, raw=b"[]", headers=endless)
    with pytest.raises(TrackerUnavailable):
        await tracker.find(MARKER, since=datetime.now(UTC))
    assert len(fake.calls) == 100


async def test_nothing_is_called_inside_a_unit_of_work(
    tracker: GitHubIssueTracker, fake: FakeGitHub, clock: SetClock
) -> None:
    token = _open.set(True)
    try:
        with pytest.raises(TransactionHeldAcrossWait):
            await _create(tracker, clock)
    finally:
        _open.reset(token)
    assert fake.calls == []


async def test_a_wrong_token_is_a_no_and_no_empty_answer(fake: FakeGitHub, clock: SetClock) -> None:
    made = github(github_settings(fake, token="wrong"), clock)
    async with made.client:
        assert await _create(made, clock) == Refused(401)
        with pytest.raises(TrackerUnavailable):
            await made.find(MARKER, since=clock.now())


async def test_an_answer_without_end_is_cut(
    tracker: GitHubIssueTracker, fake: FakeGitHub, clock: SetClock
) -> None:
    fake.fail("create", Fault(201, stores=True, raw=b" " * 9_000_000))
    assert await _create(tracker, clock) == Unsure()


@pytest.mark.parametrize(
    "given",
    [
        {"api_url": "http://api.github.com"},
        {"api_url": "http://10.0.0.1"},
        {"api_url": "http://127.0.0.1.evil.example"},
        {"api_url": "ftp://127.0.0.1"},
        {"api_url": "https://user:x@api.github.com"},
        {"api_url": "https://api.github.com?x=1"},
        {"api_url": "https:///x"},
        {"repo": "acme"},
        {"repo": "acme/../evil"},
        {"repo": "acme/.."},
        {"repo": "acme/help desk"},
        {"repo": "acme/helpdesk?x"},
        {"repo": "-acme/x"},
        {"labels": "x" * 51},
        {"timeout_seconds": 16},
    ],
)
def test_settings_that_would_lead_elsewhere_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(given))):
        GitHubSettings.model_validate(given)


@pytest.mark.parametrize(
    ("api_url", "web_url"),
    [
        ("https://api.github.com", "https://github.com"),
        ("https://ghe.example.org/api/v3/", "https://ghe.example.org"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_people_are_led_to_the_web_page(api_url: str, web_url: str) -> None:
    given = {"api_url": api_url, "token": "ghp_hidden", "repo": "acme/x"}
    settings = GitHubSettings.model_validate(given)
    assert settings.web_url == web_url
    assert "ghp_hidden" not in repr(settings)
    assert settings.settle >= settings.lease
