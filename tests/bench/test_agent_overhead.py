"""What the agent's promises cost, without a model: journeys from start over question and draft to a
confirm, on the product and on the same graph over LangGraph's stock saver behind bare FastAPI.

Both run in this run, on one database server, each as a process of its own; the client's own work is
in neither figure. Run with ``-s``. CPU, rows and commits are steady on a busy machine, milliseconds
are not. The figures that are aimed at are printed beside those that were reached, and only those
that do not depend on the machine are asserted.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from backend.app.bootstrap import build
from backend.app.db.engine import migrate
from backend.tests.support.people import People, Person
from backend.tests.support.plugin import on_server, settings_for

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

QUESTION = "Oracle Financials 403 error on budget reports"
_ROOT = Path(__file__).resolve().parents[2]
_PEOPLE = 64
_TICKS = os.sysconf("SC_CLK_TCK")
_CHECKPOINTS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
_OURS = ("agent_sessions", "runs", "run_events", "tickets", "filings", "facts")

Journey = Callable[[int], Awaitable[None]]


@dataclass(frozen=True)
class Figures:
    """Of one server at one concurrency."""

    per_second: float
    cpu_ms: float
    commits: float
    p50_ms: float
    p95_ms: float
    slowest_ms: float


def cpu_seconds(pid: int) -> float:
    """What a process has used of the processor so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


@contextmanager
def served(kind: str, url: str, logs: Path) -> Iterator[tuple[int, str]]:
    """A server process, ready; its pid and address."""
    port = free_port()
    environment = {
        **os.environ,
        "DATABASE_URL": url,
        "HELPDESK_UI_ENABLED": "false",
        "HELPDESK_LOG_DIR": str(logs),
        "HELPDESK_LOG_LEVEL": "error",
        "HELPDESK_AGENT_MAX_SESSIONS_PER_USER_PER_DAY": "100000",
    }
    command = [sys.executable, "-m", "tests.bench.agent_servers", kind, str(port)]
    process = subprocess.Popen(command, cwd=_ROOT, env=environment)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(address)
        yield process.pid, address
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    """A port that is free just now."""
    with __import__("socket").socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(address: str) -> None:
    """Wait until a server answers anything."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            httpx.get(address, timeout=2)
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server did not start")


@asynccontextmanager
async def database(postgres_url: str, name: str) -> AsyncIterator[str]:
    """A database of its own, migrated."""
    await on_server(postgres_url, f"CREATE DATABASE {name}")
    url = make_url(postgres_url).set(database=name).render_as_string(False)
    try:
        await migrate(url)
        yield url
    finally:
        await on_server(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")


async def commits(url: str) -> int:
    """Transactions committed in this database so far; statistics lag, so they are flushed first."""
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        found = await connection.scalar(
            sa.text("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
        )
    await engine.dispose()
    return int(found or 0)


async def rows(url: str, tables: tuple[str, ...]) -> dict[str, int]:
    """How many rows there are in each table."""
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        found = {
            table: int(
                (await connection.execute(sa.text(f"SELECT count(*) FROM {table}"))).scalar_one()
            )
            for table in tables
        }
    await engine.dispose()
    return found


def product_journey(client: httpx.AsyncClient, people: list[Person]) -> Journey:
    """One journey over the product's API."""

    async def post(person: Person, verb: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {person.token}"}
        answer = await client.post(f"/api/helpdesk/agent/{verb}", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        turn: dict[str, Any] = answer.json()
        return turn

    async def journey(number: int) -> None:
        person = people[number % len(people)]
        said = [{"role": "user", "content": QUESTION}]
        asked = await post(person, "start", {"conversation": said})
        named = {name: asked[name] for name in ("session_id", "pending_question_id")}
        draft = await post(person, "resume", {**named, "choice": "My team"})
        named["pending_question_id"] = draft["pending_question_id"]
        shown = {name: draft[name] for name in ("draft", "draft_digest")}
        filed = await post(person, "confirm", {**named, **shown})
        assert filed["kind"] == "filed"

    return journey


def stock_journey(client: httpx.AsyncClient, people: list[Person]) -> Journey:
    """The same over bare FastAPI."""

    async def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await client.post(path, json=body)
        assert answer.status_code == 200, answer.text
        state: dict[str, Any] = answer.json()
        return state

    async def journey(number: int) -> None:
        user_id = str(people[number % len(people)].user.id)
        begun = await post("/start", {"question": QUESTION, "user_id": user_id})
        named = {"thread_id": begun["thread_id"], "user_id": user_id}
        draft = await post("/answer", {**named, "answer": {"choice": "My team"}})
        assert draft["draft"] is not None
        filed = await post("/answer", {**named, "answer": {"confirmed": "filed"}})
        assert filed["outcome"] == "filed"

    return journey


async def measure(journey: Journey, *, pid: int, url: str, at_once: int, count: int) -> Figures:
    """Run ``count`` journeys, ``at_once`` at a time."""
    seconds: list[float] = []
    numbers = iter(range(count))

    async def person() -> None:
        for number in numbers:
            began = time.perf_counter()
            await journey(number)
            seconds.append(time.perf_counter() - began)

    cpu, done, began = cpu_seconds(pid), await commits(url), time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(person())
    took = time.perf_counter() - began
    used = cpu_seconds(pid) - cpu
    await asyncio.sleep(1.2)  # PostgreSQL tells its statistics once a second
    committed = await commits(url) - done
    ranked = sorted(seconds)
    return Figures(
        per_second=count / took,
        cpu_ms=used / count * 1000,
        commits=committed / count,
        p50_ms=statistics.median(ranked) * 1000,
        p95_ms=ranked[int(0.95 * (count - 1))] * 1000,
        slowest_ms=ranked[-1] * 1000,
    )


async def test_promises_cost_no_more_than_the_stock_saver(
    postgres_url: str, tmp_path: Path
) -> None:
    async with (
        database(postgres_url, f"bench_ours_{os.getpid()}") as ours,
        database(postgres_url, f"bench_stock_{os.getpid()}") as theirs,
    ):
        async with build(settings_for(ours, tmp_path), demo=True) as built:
            people = [await People(built).make(f"p{number}") for number in range(_PEOPLE)]
        others = [replace(one, token="") for one in people]
        limits = httpx.Limits(max_connections=256)
        with (
            served("product", ours, tmp_path) as (our_pid, our_address),
            served("stock", theirs, tmp_path) as (their_pid, their_address),
        ):
            async with (
                httpx.AsyncClient(base_url=our_address, timeout=60, limits=limits) as us,
                httpx.AsyncClient(base_url=their_address, timeout=60, limits=limits) as them,
            ):
                own, stock = product_journey(us, people), stock_journey(them, others)
                await measure(own, pid=our_pid, url=ours, at_once=8, count=32)  # warm both
                await measure(stock, pid=their_pid, url=theirs, at_once=8, count=32)
                before = await rows(ours, _OURS + _CHECKPOINTS), await rows(theirs, _CHECKPOINTS)
                journeys = 0
                found: dict[int, list[tuple[Figures, Figures]]] = {1: [], 16: [], 64: []}
                for _ in range(2):
                    for at_once, pairs in found.items():
                        count = 24 if at_once == 1 else 96
                        journeys += count
                        pairs.append(
                            (
                                await measure(
                                    own, pid=our_pid, url=ours, at_once=at_once, count=count
                                ),
                                await measure(
                                    stock, pid=their_pid, url=theirs, at_once=at_once, count=count
                                ),
                            )
                        )
                after = await rows(ours, _OURS + _CHECKPOINTS), await rows(theirs, _CHECKPOINTS)
                for at_once, pairs in found.items():
                    report(at_once, pairs)
                crowd = await measure(own, pid=our_pid, url=ours, at_once=200, count=200)
    left = {name: (after[0][name] - before[0][name]) / journeys for name in after[0]}
    left_there = {name: (after[1][name] - before[1][name]) / journeys for name in after[1]}
    print(f"rows left per journey: ours {left}; stock {left_there}")
    print(
        f"200 clients: {crowd.per_second:.1f}/s, p50 {crowd.p50_ms:.0f} ms,"
        f" p95 {crowd.p95_ms:.0f} ms, slowest {crowd.slowest_ms:.0f} ms"
    )

    # Nothing here depends on how fast the machine is. That none of 200 was refused: see `measure`.
    assert sum(left[name] for name in _CHECKPOINTS) <= 20
    assert crowd.slowest_ms < 3 * crowd.p50_ms  # nobody is kept waiting while others are served
    cpu = statistics.median(mine.cpu_ms / other.cpu_ms for mine, other in found[16])
    assert cpu < 1.8  # above what is aimed at, see the figures: this is to notice a change


def report(at_once: int, pairs: list[tuple[Figures, Figures]]) -> None:
    """Print medians and ratios of one concurrency."""

    def median(of: Callable[[Figures], float], which: int) -> float:
        return statistics.median(of(pair[which]) for pair in pairs)

    speed = statistics.median(mine.per_second / other.per_second for mine, other in pairs)
    cpu = statistics.median(mine.cpu_ms / other.cpu_ms for mine, other in pairs)
    print(
        f"\n{at_once:>3} at once: journeys/s {median(lambda one: one.per_second, 0):.1f}"
        f" (stock {median(lambda one: one.per_second, 1):.1f}; {speed:.2f} x),"
        f" server CPU {median(lambda one: one.cpu_ms, 0):.1f} ms"
        f" (stock {median(lambda one: one.cpu_ms, 1):.1f}; {cpu:.2f} x),"
        f" commits {median(lambda one: one.commits, 0):.1f}"
        f" (stock {median(lambda one: one.commits, 1):.1f}),"
        f" p50 {median(lambda one: one.p50_ms, 0):.0f} ms,"
        f" p95 {median(lambda one: one.p95_ms, 0):.0f}"
        f" (stock {median(lambda one: one.p50_ms, 1):.0f}, {median(lambda one: one.p95_ms, 1):.0f})"
    )
