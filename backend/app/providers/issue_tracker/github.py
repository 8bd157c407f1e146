"""GitHub's issues over its REST API: one repository, five calls, no retries of a write.

What a call came to is told apart by what is known for sure. A write of which no byte left this
process was not sent; one that was answered with a definite no was refused; everything else is
unsure, whatever went wrong. A read that gave no usable answer raises, and is never an empty result.
"""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from backend.app.core.clock import Clock
from backend.app.core.errors import Upstream
from backend.app.core.github_settings import GitHubSettings
from backend.app.db.uow import refuse_inside_unit_of_work
from backend.app.domain.tickets import IssueStatus
from backend.app.domain.tracker import (
    Attempt,
    NewIssue,
    NotSent,
    Refused,
    TrackedIssue,
    Unsure,
    Written,
)
from backend.app.providers.issue_tracker.limits import until_reset, wait_of
from backend.app.providers.issue_tracker.markers import holds, lines_of
from backend.app.providers.issue_tracker.queries import search_query

API_VERSION = "2022-11-28"
_MAX_ANSWER_BYTES = 8_388_608
#: Twenty whole bodies of GitHub's longest fit into one answer.
_PAGE = 20
_MAX_PAGES = 100
_MAX_FOUND = 10
_MAX_REDIRECTS = 2
_CONNECT_SECONDS = 5.0
#: What GitHub counts apart.
_CORE, _SEARCH = "core", "search"
#: Answers that leave it open whether something was written; all others below 500 are a no.
_DOUBTFUL = frozenset({408, 409, 425, 429, 499})
_LINK_NEXT = re.compile(r'<[^<>]{1,2000}>\s*;[^<>,]{0,200}\brel="?next"?')


class TrackerUnavailable(Upstream):
    """The tracker gave no usable answer."""


class TrackerBusy(TrackerUnavailable):
    """The tracker takes no more requests for a while."""


class _TooLateToBegin(Exception):
    """The write was not begun in time."""


@dataclass(slots=True)
class _Sending:
    """Watches one request: whether a byte of it left, and that it left in time."""

    clock: Clock
    begin_by: float | None = None
    has_begun: bool = False

    async def __call__(self, event: str, _: Mapping[str, Any]) -> None:
        """The HTTP library's report of what it is about to do."""
        if event.endswith("send_request_headers.started"):
            if self.begin_by is not None and self.clock.monotonic() > self.begin_by:
                raise _TooLateToBegin
            self.has_begun = True


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: httpx.Headers
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise TrackerUnavailable from error


@dataclass(slots=True)
class GitHubIssueTracker:
    """Issues of the one repository that is configured."""

    settings: GitHubSettings
    clock: Clock
    client: httpx.AsyncClient
    _rests_until: dict[str, float] = field(default_factory=dict, init=False)

    async def create(self, issue: NewIssue, *, begin_by: float) -> Attempt:
        """See the port: one POST, never repeated."""
        if (rest := self._rest(_CORE)) is not None:
            return NotSent(None, rest)
        told: dict[str, Any] = {"title": issue.title, "body": issue.body}
        if self.settings.labels:
            told["labels"] = list(self.settings.labels)
        sending = _Sending(self.clock, begin_by)
        try:
            answer = await self._call("POST", self._issues, sending, content=json.dumps(told))
        except (httpx.HTTPError, TimeoutError, TrackerUnavailable, _TooLateToBegin):
            return Unsure() if sending.has_begun else NotSent()
        return self._attempted(answer)

    def _attempted(self, answer: _Answer) -> Attempt:
        wait = self._told_to_wait(_CORE, answer)
        if answer.status == 201:
            try:
                number = _number(answer.json())
            except TrackerUnavailable:
                return Unsure(answer.status)  # it is there, under a number that we do not know
            return Written(number, self._url(number))
        if wait is not None and answer.status < 500:
            return NotSent(answer.status, wait)
        if 300 <= answer.status < 500 and answer.status not in _DOUBTFUL:
            return Refused(answer.status)
        return Unsure(answer.status)

    async def find(self, marker: str, *, since: datetime) -> TrackedIssue | None:
        """See the port. The listing, not the search: the search's index lags behind."""
        wanted = lines_of(marker)
        for page in range(1, _MAX_PAGES + 1):
            answer = await self._read(
                self._issues,
                state="all",
                sort="created",
                direction="desc",
                since=since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                per_page=str(_PAGE),
                page=str(page),
            )
            for one in _listed(answer.json()):
                if "pull_request" not in one and holds(
                    lines_of(str(one.get("body") or "")), wanted
                ):
                    return self._issue(one)
            if not _LINK_NEXT.search(answer.headers.get("link", "")):
                return None
        raise TrackerUnavailable  # there is more than was read: it cannot be said to be absent

    async def search(self, question: str) -> Sequence[TrackedIssue]:
        """See the port; what is of another repository is left out, whatever the search says."""
        repo = self.settings.repo or ""
        query = search_query(question, repo)
        if not query:
            return []
        answer = await self._read(
            f"{self.settings.api_url}/search/issues",
            q=query,
            per_page=str(_MAX_FOUND),
            advanced_search="true",
        )
        found = answer.json()
        if not isinstance(found, dict) or found.get("incomplete_results") is True:
            raise TrackerUnavailable
        return [
            self._issue(one)
            for one in _listed(found.get("items"))
            if str(one.get("repository_url", "")).lower().endswith(f"/repos/{repo}".lower())
            and "pull_request" not in one
        ]

    async def get(self, number: int) -> TrackedIssue | None:
        """See the port."""
        try:
            answer = await self._read(f"{self._issues}/{number}")
        except _Absent:
            return None
        return self._issue(answer.json())

    async def look(self) -> int:
        """Ask for the repository once; the HTTP status of the answer.

        Raises:
            TrackerUnavailable: there was none.
        """
        return (await self._get(f"{self.settings.api_url}/repos/{self.settings.repo}", {})).status

    @property
    def _issues(self) -> str:
        return f"{self.settings.api_url}/repos/{self.settings.repo}/issues"

    def _url(self, number: int) -> str:
        return f"{self.settings.web_url}/{self.settings.repo}/issues/{number}"

    def _issue(self, told: Any) -> TrackedIssue:
        try:
            number = _number(told)
            return TrackedIssue(
                number=number,
                title=str(told["title"]),
                body=str(told.get("body") or ""),
                status=IssueStatus(told["state"]),
                url=self._url(number),
                created_at=datetime.fromisoformat(told["created_at"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise TrackerUnavailable from error

    async def _read(self, url: str, **query: str) -> _Answer:
        """One GET, followed to another address of the same host only."""
        kind = _SEARCH if url.endswith("/search/issues") else _CORE
        if (rest := self._rest(kind)) is not None:
            raise TrackerBusy(retry_after=rest)
        answer = await self._get(url, query)
        for _ in range(_MAX_REDIRECTS):
            if answer.status not in {301, 302, 307, 308}:
                break
            url = self._same_host(url, answer.headers.get("location", ""))
            answer = await self._get(url, {})
        if (wait := self._told_to_wait(kind, answer)) is not None:
            raise TrackerBusy(retry_after=wait)
        if answer.status in {404, 410}:
            raise _Absent
        if answer.status != 200:
            raise TrackerUnavailable
        return answer

    async def _get(self, url: str, query: Mapping[str, str]) -> _Answer:
        try:
            return await self._call("GET", url, _Sending(self.clock), params=query or None)
        except (httpx.HTTPError, TimeoutError) as error:
            raise TrackerUnavailable from error

    def _same_host(self, url: str, location: str) -> str:
        target = urljoin(url, location)
        if not location or urlsplit(target)[:2] != urlsplit(self.settings.api_url)[:2]:
            raise TrackerUnavailable
        return target

    async def _call(self, method: str, url: str, sending: _Sending, **rest: Any) -> _Answer:
        refuse_inside_unit_of_work("A call to the tracker")
        assert self.settings.token is not None  # nobody builds this without
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self.settings.token.get_secret_value()}",
            "X-GitHub-Api-Version": API_VERSION,
        }
        if method == "POST":
            headers["Content-Type"] = "application/json"
        request = self.client.build_request(
            method, url, headers=headers, extensions={"trace": sending}, **rest
        )
        async with asyncio.timeout(self.settings.timeout_seconds):
            response = await self.client.send(request, stream=True)
            try:
                return _Answer(response.status_code, response.headers, await _body(response))
            finally:
                await response.aclose()

    def _rest(self, kind: str) -> timedelta | None:
        left = self._rests_until.get(kind, 0.0) - self.clock.monotonic()
        return timedelta(seconds=left) if left > 0 else None

    def _told_to_wait(self, kind: str, answer: _Answer) -> timedelta | None:
        """For how long the tracker wants to be left alone, if this answer says so; noted for every
        later call of this process. Searches have an allowance of their own.
        """
        now = self.clock.now()
        wait = wait_of(answer.status, answer.headers, answer.body, now)
        spent = answer.headers.get("x-ratelimit-remaining") == "0"
        pause = wait or (until_reset(answer.headers, now) if spent else None)
        if pause is not None:
            kinds = [kind] if spent else [_CORE, _SEARCH]
            until = self.clock.monotonic() + pause.total_seconds()
            self._rests_until |= dict.fromkeys(kinds, until)
        return wait


class _Absent(TrackerUnavailable):
    """There is nothing under this address, or not for this token."""


async def _body(response: httpx.Response) -> bytes:
    parts, size = [], 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > _MAX_ANSWER_BYTES:
            raise TrackerUnavailable
        parts.append(part)
    return b"".join(parts)


def _number(told: Any) -> int:
    number = told.get("number") if isinstance(told, dict) else None
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 2**31:
        raise TrackerUnavailable
    return number


def _listed(told: Any) -> list[dict[str, Any]]:
    if not isinstance(told, list) or not all(isinstance(one, dict) for one in told):
        raise TrackerUnavailable
    return told


def github(settings: GitHubSettings, clock: Clock) -> GitHubIssueTracker:
    """The tracker over a connection pool of its own; close its ``client``. The environment's
    proxies and ``.netrc`` are not looked at: nothing else may change where the token goes.
    """
    client = httpx.AsyncClient(
        timeout=httpx.Timeout(settings.timeout_seconds, connect=_CONNECT_SECONDS),
        follow_redirects=False,
        trust_env=False,
        limits=httpx.Limits(max_connections=10, max_keepalive_connections=4),
        headers={"User-Agent": "helpdesk-agent"},
    )
    return GitHubIssueTracker(settings, clock, client)
