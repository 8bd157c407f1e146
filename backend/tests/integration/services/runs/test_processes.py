"""Two real processes on one database, and what kills and stops do to them."""

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from backend.app.bootstrap import Container
from backend.app.domain.runs import GraphKind, RunEvent, ThreadId

STEP = 0.15


class Process:
    """A worker process and what it has said."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said: list[str] = []
        self._changed = asyncio.Condition()

    async def listen(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            async with self._changed:
                self.said.append(line.decode().strip())
                self._changed.notify_all()

    def send(self, *words: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((" ".join(str(word) for word in words) + "\n").encode())

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    async def until(self, matches: Callable[[str], bool]) -> str:
        async with asyncio.timeout(60), self._changed:
            await self._changed.wait_for(lambda: any(matches(line) for line in self.said))
            return next(line for line in self.said if matches(line))


@asynccontextmanager
async def process(url: str, clock: float = 0) -> AsyncIterator[Process]:
    """A worker; ``clock``: by how many seconds its clock is off."""
    module = "backend.tests.integration.services.runs.worker"
    made = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, url, str(STEP), str(clock)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    worker = Process(made)
    async with asyncio.TaskGroup() as group:
        listening = group.create_task(worker.listen())
        try:
            await worker.until(lambda line: line == "ready")
            yield worker
        finally:
            if made.returncode is None:
                made.send_signal(signal.SIGCONT)
                made.kill()
            await made.wait()
            await listening


async def new_thread(container: Container) -> ThreadId:
    thread_id = ThreadId(uuid4())
    async with container.uow() as work:
        await work.runs.add(thread_id, GraphKind.TEST, allowance=timedelta(seconds=60))
    return thread_id


async def _released(container: Container, thread_id: ThreadId) -> None:
    """Until nobody drives the thread; a worker says that it settles just before it commits."""
    async with asyncio.timeout(20):
        while True:
            async with container.uow() as work:
                status = await work.runs.status(thread_id)
            if status is not None and not status.is_running:
                return
            await asyncio.sleep(0.02)


async def _committed(container: Container, thread_id: ThreadId) -> list[RunEvent]:
    """The thread's events, once nobody drives it."""
    await _released(container, thread_id)
    async with container.uow() as work:
        return list(await work.run_events.events(thread_id, after=0, limit=10))


def _mentions(thread_id: ThreadId) -> Callable[[str], bool]:
    return lambda line: str(thread_id) in line


def settled(thread_id: ThreadId, ending: str) -> Callable[[str], bool]:
    return lambda line: line.startswith(f"settled {thread_id} {ending}")


async def test_simultaneous_starts_in_two_processes_run_once(
    container: Container, database_url: str
) -> None:
    async with process(database_url) as one, process(database_url) as two:
        for _ in range(5):
            thread_id = await new_thread(container)
            for worker in (one, two):
                worker.send("start", thread_id)
            both = [worker.until(_mentions(thread_id)) for worker in (one, two)]
            told = await asyncio.gather(*both)  # one is busy, the other settles

            assert sorted(line.split()[0] for line in told) == ["busy", "settled"]
        counts = Counter(line.split()[0] for line in one.said + two.said)

    assert counts["work"] == 5
    assert counts["settled"] == 5
    assert counts["busy"] == 5


@pytest.mark.parametrize("step", ["work", "effect"])
@pytest.mark.parametrize("attempt", range(3))
async def test_a_killed_process_loses_no_thread(
    container: Container, database_url: str, step: str, attempt: int
) -> None:
    thread_id = await new_thread(container)
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(process(database_url))
        two = await stack.enter_async_context(process(database_url))
        one.send("start", thread_id)
        if step == "effect":
            line = await one.until(settled(thread_id, "Paused"))
            await _released(container, thread_id)
            one.send("resume", thread_id, line.split()[3], "yes")
        await one.until(lambda line: line.startswith(step))
        await asyncio.sleep(STEP * attempt / 3)  # at another point of the step each time
        one.signal(signal.SIGKILL)
        await two.until(settled(thread_id, "Paused" if step == "work" else "Finished"))
        both = [line for line in one.said + two.said if f"settled {thread_id}" in line]

    endings = Counter(line.split()[2] for line in both)
    assert endings["Paused"] == 1
    assert endings["Finished"] == (1 if step == "effect" else 0)


async def test_a_stopped_process_wakes_up_fenced(container: Container, database_url: str) -> None:
    async with process(database_url) as one, process(database_url) as two:
        for _ in range(3):
            thread_id = await new_thread(container)
            one.said.clear()
            one.send("start", thread_id)
            await one.until(lambda line: line == "work")
            one.signal(signal.SIGSTOP)
            await two.until(settled(thread_id, "Paused"))
            one.signal(signal.SIGCONT)
            again = await new_thread(container)
            one.send("start", again)
            await one.until(settled(again, "Paused"))
            events = await _committed(container, thread_id)

            assert not [line for line in one.said if f"settled {thread_id}" in line]
            assert [event.kind for event in events] == ["end"]


async def test_a_process_whose_clock_is_a_little_behind_waits_for_it(
    container: Container, database_url: str
) -> None:
    async with process(database_url) as one, process(database_url, clock=-1.7) as two:
        thread_id = await new_thread(container)
        one.send("start", thread_id)
        question = (await one.until(settled(thread_id, "Paused"))).split()[3]
        await _released(container, thread_id)
        two.send("resume", thread_id, question, "yes")
        await two.until(settled(thread_id, ""))
        await _released(container, thread_id)
        one.send("resume", thread_id, question, "again")  # the end must be seen here as well
        await one.until(lambda line: line.startswith(f"settled {thread_id} F"))
        effects = [line for line in one.said + two.said if line.startswith("effect")]

    assert effects == ["effect yes"]
    assert f"settled {thread_id} Finished - worked yes done" in two.said
    assert f"settled {thread_id} Failed -" in one.said


async def test_a_process_whose_clock_is_far_behind_leaves_the_thread_to_another(
    container: Container, database_url: str
) -> None:
    async with process(database_url) as one, process(database_url, clock=-60) as two:
        thread_id = await new_thread(container)
        one.send("start", thread_id)
        question = (await one.until(settled(thread_id, "Paused"))).split()[3]
        await _released(container, thread_id)
        one.said.clear()
        two.send("resume", thread_id, question, "yes")
        await two.until(lambda line: line == f"left {thread_id}")
        await one.until(settled(thread_id, "Paused"))  # the question is open as before
        await _released(container, thread_id)
        one.send("resume", thread_id, question, "yes")
        await one.until(settled(thread_id, "Finished"))

    assert "effect yes" in one.said
    assert not [line for line in two.said if line.startswith("effect")]
