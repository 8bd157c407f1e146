"""A confirmed ticket and GitHub: whatever fails, one issue, and what is said of it is so."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.app.services.helpdesk.flags import Flag
from backend.tests.support.agent import (
    Application,
    abort,
    confirm,
    count,
    drafted,
    facts,
    rows,
    session_of,
    yes_to,
)
from backend.tests.support.github import FakeGitHub, Fault, fake_github
from backend.tests.support.people import Person
from backend.tests.support.tracked import (
    PATIENCE,
    as_id,
    duplicates,
    filing_of,
    gone_on_with,
    state_of,
    time_passes,
    tracked,
)

LATE = PATIENCE * 2
_LIMITED = {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "99999999999"}
_ELSEWHERE = {"Location": "https://example.invalid/"}
_SLOWED = "You have exceeded a secondary rate limit."


@dataclass(frozen=True)
class Row:
    """What a fault at the first write is said to be, and what comes of it."""

    fault: Fault | None
    said: str
    ends: str = "filed"
    sends: int = 1

    @property
    def issues(self) -> int:
        return int(self.ends == "filed")

    @property
    def seconds(self) -> float:
        """How long a call may take."""
        is_late = self.fault is not None and (self.fault.late == LATE or self.fault.slow)
        return PATIENCE if is_late else 15.0


def _no(status: int) -> Row:
    return Row(Fault(status), "refused", "refused")


def _doubt(status: int) -> tuple[Row, Row]:
    """An answer that says neither: before, and after the issue was stored."""
    return Row(Fault(status), "unknown", sends=2), Row(Fault(status, stores=True), "unknown")


def _later(status: int, says: str = "No.", **headers: str) -> tuple[Row, Row]:
    """A limit: nothing was written; and it was all the same."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    before = Row(Fault(status, headers=named, says=says), "pending", sends=2)
    return before, Row(Fault(status, stores=True, headers=named, says=says), "pending")


TABLE: dict[str, Row] = {
    "answers": Row(None, "filed"),
    "late after storing": Row(Fault(stores=True, late=LATE), "unknown"),
    "drops after storing": Row(Fault(stores=True, drops=True), "unknown"),
    "drops late after storing": Row(Fault(stores=True, drops=True, late=0.1), "unknown"),
    "drops before storing": Row(Fault(drops=True), "unknown", sends=2),
    "hangs before storing": Row(Fault(drops=True, late=LATE), "unknown", sends=2),
    "one byte at a time": Row(Fault(stores=True, slow=True), "unknown"),
    "bad JSON": Row(Fault(201, stores=True, raw=b"{"), "unknown"),
    "wrong schema": Row(Fault(201, stores=True, raw=b'{"number": "1"}'), "unknown"),
    "bad UTF-8": Row(Fault(201, stores=True, raw=b'{"number": "\xff"}'), "unknown"),
    "ten thousand deep": Row(Fault(201, stores=True, raw=b"[" * 100_000), "unknown"),
    "ten MiB": Row(Fault(201, stores=True, raw=b" " * 10_485_760), "unknown"),
    "200 for 201": Row(Fault(200, stores=True, raw=b"{}"), "unknown"),
    "redirect elsewhere": Row(Fault(307, headers=_ELSEWHERE), "refused", "refused"),
    **{str(status): _no(status) for status in (400, 401, 403, 404, 405, 410, 415, 422, 451)},
    "422 although stored": Row(Fault(422, stores=True), "filed"),
    **{
        f"{status} {when}": row
        for status in (408, 409, 500, 502, 503, 504)
        for when, row in zip(("before", "after storing"), _doubt(status), strict=True)
    },
    **{
        f"{name} {when}": row
        for name, made in {
            "429 with Retry-After": _later(429, Retry_After="30"),
            "429 bare": _later(429),
            "429 with reset": _later(429, **_LIMITED),
            "403 primary limit": _later(403, **_LIMITED),
            "403 secondary limit": _later(403, _SLOWED),
            "403 with Retry-After": _later(403, Retry_After="1"),
        }.items()
        for when, row in zip(("before", "after storing"), made, strict=True)
    },
}
_totals: Counter[str] = Counter({"second issues": 0})


@pytest.fixture(scope="module", autouse=True)
def _told() -> Iterator[None]:
    """At the end: what the table came to."""
    yield
    print(f"\n{dict(_totals)}")


@pytest.mark.parametrize("name", TABLE)
async def test_whatever_a_write_comes_to_there_is_one_issue(
    container: Container, settings: Settings, requester: Person, fake: FakeGitHub, name: str
) -> None:
    row = TABLE[name]
    async with tracked(settings, fake, github={"timeout_seconds": row.seconds}) as app:
        person = await app.client(requester)
        draft = await drafted(person, in_chat=True)
        if row.fault:
            fake.fail("create", row.fault)
        turn = (await confirm(person, draft)).json()
        assert (turn["kind"], turn["issue_state"]) == ("filed", row.said)
        await _ends_so(container, settings, person, fake, draft, row)


async def _ends_so(
    container: Container,
    settings: Settings,
    person: httpx.AsyncClient,
    fake: FakeGitHub,
    draft: dict[str, Any],
    row: Row,
) -> None:
    if row.said in {"pending", "unknown"}:
        # Another process goes on, and knows nothing of what this one was told.
        async with tracked(settings, fake) as other:
            await gone_on_with(other.container, draft["session_id"])
    assert await state_of(container, draft["session_id"]) == row.ends
    assert len(fake.named("create")) == row.sends
    assert len(fake.issues) == row.issues
    assert duplicates(fake) == 0
    await _shown_everywhere(container, person, draft, row.ends, fake)
    _totals["rows"] += 1
    _totals["sends"] += len(fake.named("create"))
    _totals["issues"] += len(fake.issues)
    _totals["second issues"] += duplicates(fake)


async def _shown_everywhere(
    container: Container,
    person: httpx.AsyncClient,
    draft: dict[str, Any],
    state: str,
    fake: FakeGitHub,
) -> None:
    """Session, ticket, chat and a repeated confirm say the same of the issue."""
    number = 1 if state == "filed" else None
    again = (await confirm(person, draft)).json()
    stored = (await session_of(person, draft))["turn"]
    ticket = (await person.get(f"/api/tickets/{again['ticket_id']}")).json()
    listed = (await person.get("/api/tickets")).json()["items"][0]
    for one in (again, stored, ticket, listed):
        assert (one["issue_state"], one["issue_number"]) == (state, number), one
        address = one["issue_url"]
        assert address == (f"{fake.url}/acme/helpdesk/issues/1" if number else None)
    chat = (await person.get(f"/api/chat/sessions/{draft['chat_session_id']}/messages")).json()
    line = chat["items"][-1]
    assert line["content"] == stored["message"]
    assert ("issue #1" in line["content"]) == (number is not None)
    told = [one["data"] for one in await facts(container, "agent.issue_filed")]
    assert [one["issue_number"] for one in told] == ([1] if number else [])
    assert await count(container, "tickets") == 1
    if number:
        body = (fake.issues[0]["title"], fake.issues[0]["body"])
        assert body == (ticket["title"], draft["body_preview"])


async def test_what_could_not_be_connected_to_is_sent_when_it_can(
    container: Container, settings: Settings, requester: Person
) -> None:
    async with fake_github() as gone:
        pass
    async with tracked(settings, gone) as away:
        person = await away.client(requester)
        draft = await drafted(person)
        turn = (await confirm(person, draft)).json()
        assert turn["issue_state"] == "pending"
        assert await gone_on_with(away.container, draft["session_id"], rounds=2) == "unknown"
    async with fake_github() as fake, tracked(settings, fake) as back:
        assert await gone_on_with(back.container, draft["session_id"]) == "filed"
    assert (len(fake.issues), len(fake.named("create"))) == (1, 1)


async def test_twenty_confirms_at_once_write_one_issue(
    app: Application, person: httpx.AsyncClient, fake: FakeGitHub
) -> None:
    fake.always["create"] = Fault(stores=True, late=0.2)
    draft = await drafted(person)
    answers = await asyncio.gather(*(confirm(person, draft) for _ in range(20)))

    assert {one.status_code for one in answers} <= {200, 409}
    assert (len(fake.named("create")), len(fake.issues)) == (1, 1)
    assert (await session_of(person, draft))["turn"]["issue_number"] == 1


async def test_many_go_on_with_one_filing_and_one_does(
    app: Application, person: httpx.AsyncClient, settings: Settings, fake: FakeGitHub
) -> None:
    draft = await drafted(person)
    fake.fail("create", Fault(500))
    assert (await confirm(person, draft)).json()["issue_state"] == "unknown"
    async with tracked(settings, fake) as two, tracked(settings, fake) as three:
        await time_passes(two.container)
        everybody = [one.container.issues for one in (app, two, three)] * 5
        await asyncio.gather(*(one.advance(as_id(draft["session_id"])) for one in everybody))
    assert (len(fake.named("create")), len(fake.issues)) == (2, 1)


async def test_one_issue_is_found_on_any_page_among_changing_ones(
    app: Application, person: httpx.AsyncClient, fake: FakeGitHub
) -> None:
    fake.page = 7
    draft = await drafted(person)
    fake.fail("create", Fault(stores=True, drops=True))
    await confirm(person, draft)
    quoted = "\n".join(f"> {line}" for line in draft["body_preview"].split("\n"))
    for n in range(60):
        fake.add(f"Another {n}", quoted if n % 2 else "")
    fake.issues[0]["body"] = fake.issues[0]["body"].replace("\n", "\r\n") + "\r\n\r\nedited"

    assert await gone_on_with(app.container, draft["session_id"]) == "filed"
    assert (await filing_of(app.container, draft["session_id"]))["attempts"] == 1
    assert (await session_of(person, draft))["turn"]["issue_number"] == 1
    assert len({one.query["page"] for one in fake.named("list")}) == 9


async def test_what_was_not_looked_through_is_not_sent_again(
    app: Application, person: httpx.AsyncClient, fake: FakeGitHub
) -> None:
    draft = await drafted(person)
    fake.fail("create", Fault(stores=True, drops=True))
    await confirm(person, draft)
    for fault in (Fault(500), Fault(404), Fault(200, raw=b"{}"), Fault(drops=True)):
        fake.fail("list", fault)
        await time_passes(app.container)
        await app.container.issues.advance(as_id(draft["session_id"]))
        assert await state_of(app.container, draft["session_id"]) == "unknown"
    assert len(fake.named("create")) == 1
    assert await gone_on_with(app.container, draft["session_id"]) == "filed"
    assert (len(fake.named("create")), len(fake.issues)) == (1, 1)


async def test_a_write_that_may_still_appear_is_waited_for(
    app: Application, person: httpx.AsyncClient, fake: FakeGitHub
) -> None:
    draft = await drafted(person)
    fake.fail("create", Fault(drops=True))
    await confirm(person, draft)
    await rows(app.container, "SELECT 1")
    for _ in range(3):
        async with app.container.engine.begin() as connection:
            await connection.exec_driver_sql("UPDATE filings SET due_at = NULL")
        await app.container.issues.advance(as_id(draft["session_id"]))
    assert len(fake.named("create")) == 1
    filing = await filing_of(app.container, draft["session_id"])
    assert (filing["state"], filing["due_at"] is not None) == ("unknown", True)


@pytest.mark.parametrize("flag", [Flag.KILL_SWITCH, Flag.TOOL_FILE_TICKET])
async def test_what_is_reserved_is_not_sent_while_it_is_switched_off(
    container: Container, app: Application, person: httpx.AsyncClient, fake: FakeGitHub, flag: Flag
) -> None:
    draft = await drafted(person)
    fake.fail("create", Fault(429, headers={"Retry-After": "1"}))
    assert (await confirm(person, draft)).json()["issue_state"] == "pending"
    app.container.issues.tracker._rests_until.clear()  # type: ignore[union-attr]  # the second is over
    await container.switchboard.set(flag, is_on=flag is Flag.KILL_SWITCH)
    await gone_on_with(app.container, draft["session_id"], rounds=3)
    assert len(fake.named("create")) == 1
    assert (await session_of(person, draft))["turn"]["issue_state"] == "pending"
    await container.switchboard.set(flag, is_on=None)
    assert await gone_on_with(app.container, draft["session_id"]) == "filed"
    assert len(fake.issues) == 1


async def test_with_the_tool_switched_off_the_ticket_stands_here_alone(
    container: Container, settings: Settings, requester: Person, fake: FakeGitHub
) -> None:
    async with tracked(settings, fake, tool_file_ticket=False) as app:
        person = await app.client(requester)
        turn = (await confirm(person, await drafted(person))).json()
        await app.container.issues.sweep()
    assert (turn["kind"], turn["issue_state"], turn["issue_url"]) == ("filed", "off", None)
    assert fake.named("create") == []
    assert await state_of(container, turn["session_id"]) == "filed"


async def test_a_filed_session_cannot_be_aborted_whatever_the_tracker_does(
    person: httpx.AsyncClient, fake: FakeGitHub
) -> None:
    draft = await drafted(person)
    fake.fail("create", Fault(stores=True, late=0.5))
    confirming = asyncio.ensure_future(confirm(person, draft))
    await fake.arrived.wait()
    ended = await abort(person, draft)
    assert (ended.status_code, ended.json()["turn"]["kind"]) == (200, "filed")
    assert (await confirming).json()["kind"] == "filed"


async def test_a_client_that_goes_away_changes_nothing(
    app: Application, person: httpx.AsyncClient, fake: FakeGitHub
) -> None:
    draft = await drafted(person)
    fake.fail("create", Fault(stores=True, late=PATIENCE / 2))
    leaving = asyncio.ensure_future(person.post("/api/helpdesk/agent/confirm", json=yes_to(draft)))
    await fake.arrived.wait()
    leaving.cancel()
    await app.container.tasks.drain(5)
    assert await state_of(app.container, draft["session_id"]) == "filed"
    assert len(fake.issues) == 1


async def test_a_deleted_chat_keeps_no_issue_from_being_settled(
    app: Application, person: httpx.AsyncClient, fake: FakeGitHub
) -> None:
    draft = await drafted(person, in_chat=True)
    fake.fail("create", Fault(stores=True, drops=True))
    turn = (await confirm(person, draft)).json()
    gone = await person.delete(f"/api/chat/sessions/{draft['chat_session_id']}")
    assert gone.status_code == 204
    assert await gone_on_with(app.container, draft["session_id"]) == "filed"
    ticket = (await person.get(f"/api/tickets/{turn['ticket_id']}")).json()
    assert (ticket["issue_state"], ticket["issue_number"]) == ("filed", 1)
    assert len(fake.issues) == 1


async def test_a_refused_ticket_is_written_when_an_administrator_says_so(
    app: Application, person: httpx.AsyncClient, fake: FakeGitHub
) -> None:
    fake.fail("create", Fault(401))
    draft = await drafted(person)
    turn = (await confirm(person, draft)).json()
    assert turn["issue_state"] == "refused"
    assert await gone_on_with(app.container, draft["session_id"]) == "refused"
    assert await app.container.issues.reopen(turn["ticket_number"])
    assert not await app.container.issues.reopen(turn["ticket_number"])
    assert await gone_on_with(app.container, draft["session_id"]) == "filed"
    assert len(fake.issues) == 1


async def test_what_was_tried_is_counted_and_told_once(
    container: Container, app: Application, person: httpx.AsyncClient, fake: FakeGitHub
) -> None:
    fake.fail("create", Fault(500))
    draft = await drafted(person)
    await confirm(person, draft)
    await gone_on_with(app.container, draft["session_id"])
    tools = [one["data"] for one in await facts(container, "agent.tool_call")]
    tried = [one["outcome"] for one in tools if one["tool"] == "file_ticket"]
    assert tried == ["timed_out", "ok"]
    (filed,) = await facts(container, "agent.issue_filed")
    assert (filed["data"]["attempts"], filed["data"]["was_found"]) == (2, False)
    (yes,) = await facts(container, "agent.user_confirmed")
    assert yes["data"]["draft_digest"] == draft["draft_digest"]
    await container.facts.read_all()
    page, _ = await container.metrics_page()
    assert b'tool_total{outcome="error",reason="timed_out",tool="file_ticket"} 1.0' in page


async def test_the_job_goes_on_with_what_was_left(
    app: Application, person: httpx.AsyncClient, fake: FakeGitHub
) -> None:
    fake.fail("create", Fault(stores=True, drops=True))
    draft = await drafted(person)
    await confirm(person, draft)
    waiting = "SELECT args FROM procrastinate_jobs WHERE task_name = 'file_issue'"
    asked = [one["args"]["session_id"] for one in await rows(app.container, waiting)]
    assert asked == [draft["session_id"]]
    await time_passes(app.container)
    await app.container.issues.sweep()
    async with app.container.jobs.working(), asyncio.timeout(30):
        await app.container.issues.sweep()
        while await state_of(app.container, draft["session_id"]) != "filed":
            async with app.container.engine.begin() as connection:
                await connection.exec_driver_sql(
                    "UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo'"
                )
            await asyncio.sleep(0.1)
    assert len(fake.issues) == 1
