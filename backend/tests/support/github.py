"""A GitHub on loopback: one repository's issues, a ledger of every write, and every way to fail.

A server of its own that the real client talks to. It checks each request and each answer of its
own against the schema, so that it is no easier to please than the original.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from backend.tests.support.github_schema import check_answer, check_request

REPO = "acme/helpdesk"
TOKEN = "ghp_a-token-for-tests"
_DOCS = "https://docs.github.com/rest"


@dataclass(frozen=True)
class Fault:
    """What becomes of one call. ``stores``: a write is done all the same, before anything else.

    ``drops``: the connection is cut instead of an answer; ``late``: seconds before the answer;
    ``raw``: the answer's body instead of GitHub's; ``slow``: a byte of it at a time.
    """

    status: int | None = None
    stores: bool = False
    late: float = 0.0
    drops: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    slow: bool = False
    says: str = "No."


@dataclass(frozen=True)
class Call:
    """One call as it arrived."""

    name: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


def _when(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class FakeGitHub:
    """What is stored, what was asked, and what goes wrong next."""

    port: int = 0
    issues: list[dict[str, Any]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    #: By the call's name (create, list, search, get): what becomes of the next ones.
    faults: dict[str, deque[Fault]] = field(default_factory=dict)
    #: What becomes of every call of that name.
    always: dict[str, Fault] = field(default_factory=dict)
    #: The search does not know that many of the newest issues yet.
    search_lag: int = 0
    #: The listing gives at most so many on one page, whatever is asked for.
    page: int = 100
    #: A write has arrived.
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    #: Told of every call with its answer: name, status, body.
    observe: Callable[[Call, int, Any], None] = lambda *_: None

    @property
    def url(self) -> str:
        """The API's address."""
        return f"http://127.0.0.1:{self.port}"

    def fail(self, name: str, *faults: Fault) -> None:
        """Let the next calls of this name come to that."""
        self.faults.setdefault(name, deque()).extend(faults)

    def named(self, name: str) -> list[Call]:
        """The calls of this name."""
        return [one for one in self.calls if one.name == name]

    def add(self, title: str, body: str = "", **instead: Any) -> dict[str, Any]:
        """Store an issue, as anybody might."""
        number, now = len(self.issues) + 1, datetime.now(UTC)
        at = f"{self.url}/repos/{REPO}"
        user = "https://api.github.com/users/helpdesk-bot"
        places = ("followers", "following", "gists", "starred", "subscriptions", "organizations")
        more = (*places, "repos", "events", "received_events")
        issue = {
            "id": 1000 + number,
            "node_id": f"I_{number}",
            "url": f"{at}/issues/{number}",
            "repository_url": at,
            "labels_url": f"{at}/issues/{number}/labels{{/name}}",
            "comments_url": f"{at}/issues/{number}/comments",
            "events_url": f"{at}/issues/{number}/events",
            "html_url": f"https://github.com/{REPO}/issues/{number}",
            "number": number,
            "title": title,
            "body": body,
            "state": "open",
            "locked": False,
            "user": {
                **{f"{name}_url": f"{user}/{name}" for name in more},
                **{"login": "helpdesk-bot", "id": 7, "node_id": "U_7", "gravatar_id": ""},
                **{"avatar_url": user, "url": user, "html_url": user},
                **{"type": "Bot", "site_admin": False},
            },
            "labels": [],
            "assignee": None,
            "milestone": None,
            "comments": 0,
            "author_association": "NONE",
            "created_at": _when(now),
            "updated_at": _when(now),
            "closed_at": None,
            **instead,
        }
        self.issues.append(issue)
        return issue

    def _answer(self, call: Call) -> tuple[int, dict[str, str], Any]:
        if call.headers.get("authorization") != f"Bearer {TOKEN}":
            return 401, {}, {"message": "Bad credentials", "documentation_url": _DOCS}
        if call.name == "create":
            labels = [{"name": name} for name in call.body.get("labels", [])]
            made = self.add(call.body["title"], call.body.get("body", ""), labels=labels)
            return 201, {}, made
        if call.name == "list":
            return self._page(call)
        if call.name == "search":
            return 200, {}, self._found(call.query["q"])
        if call.name == "repository":
            return 200, {}, {"id": 1, "full_name": REPO, "private": True}
        number = int(call.path.rsplit("/", 1)[1])
        found = [one for one in self.issues if one["number"] == number]
        missing = {"message": "Not Found", "documentation_url": _DOCS}
        return (200, {}, found[0]) if found else (404, {}, missing)

    def _page(self, call: Call) -> tuple[int, dict[str, str], Any]:
        query = call.query
        size, page = min(self.page, int(query["per_page"])), int(query.get("page", 1))
        since = query.get("since", "")
        listed = [one for one in reversed(self.issues) if one["updated_at"] >= since]
        shown = listed[(page - 1) * size : page * size]
        rest = len(listed) > page * size
        link = f'<{self.url}{call.path}?page={page + 1}>; rel="next", <x>; rel="last"'
        return 200, {"Link": link} if rest else {}, shown

    def _found(self, query: str) -> dict[str, Any]:
        words = {word.strip("()").lower() for word in query.split() if ":" not in word} - {"or"}
        known = self.issues[: len(self.issues) - self.search_lag]
        hits = [
            {**one, "score": 1.0}
            for one in known
            if words & set(f"{one['title']} {one['body']}".lower().split())
        ]
        told = {"total_count": len(hits), "incomplete_results": False, "search_type": "lexical"}
        return {**told, "items": hits}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one call and close."""
        try:
            call = await _read(reader)
            self.calls.append(call)
            if call.name == "create":
                self.arrived.set()
            check_request(call.name, call.query, call.body)
            queue = self.faults.get(call.name)
            fault = queue.popleft() if queue else self.always.get(call.name)
            await self._respond(call, fault, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away
        finally:
            writer.close()

    async def _respond(self, call: Call, fault: Fault | None, writer: asyncio.StreamWriter) -> None:
        status, headers, body = 200, dict[str, str](), None
        fault = fault or Fault(stores=True)
        if fault.stores or (fault.status is None and not fault.drops):
            status, headers, body = self._answer(call)
        if fault.status is not None:
            status, body = fault.status, {"message": fault.says, "documentation_url": _DOCS}
        if fault.drops and not fault.late:
            return
        await asyncio.sleep(fault.late)
        if fault.drops:
            return
        if fault.raw is None:
            check_answer(call.name, status, body)
        self.observe(call, status, body)
        sent = json.dumps(body).encode() if fault.raw is None else fault.raw
        lines = [f"HTTP/1.1 {status} Said", "Connection: close", f"Content-Length: {len(sent)}"]
        told = {"Content-Type": "application/json; charset=utf-8", **headers, **fault.headers}
        lines += [f"{name}: {value}" for name, value in told.items()]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        pieces = [sent[at : at + 1] for at in range(len(sent))] if fault.slow else [sent]
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.05 if fault.slow else 0)


async def _read(reader: asyncio.StreamReader) -> Call:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ")
    pairs = [line.split(": ", 1) for line in lines if ": " in line]
    headers = {name.lower(): value for name, value in pairs}
    raw = await reader.readexactly(int(headers.get("content-length", 0)))
    parts = urlsplit(target)
    name = "search" if parts.path == "/search/issues" else "get"
    if parts.path == f"/repos/{REPO}":
        name = "repository"
    if parts.path.endswith("/issues") and name != "search":
        name = "create" if method == "POST" else "list"
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    return Call(name, parts.path, query, headers, json.loads(raw) if raw else None)


@asynccontextmanager
async def fake_github() -> AsyncIterator[FakeGitHub]:
    """A fake that listens on a port of its own."""
    fake = FakeGitHub()
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.port = server.sockets[0].getsockname()[1]
    try:
        yield fake
    finally:
        server.close()


def earlier(**ago: float) -> str:
    """A moment of the past, as GitHub writes it."""
    return _when(datetime.now(UTC) - timedelta(**ago))
