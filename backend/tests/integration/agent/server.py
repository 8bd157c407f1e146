"""Real processes that serve the real application; `replica.py` is the other side.

One process, the nursery, imports everything once and forks a replica for every line it reads. A
replica meets points (before and after each commit and each checkpoint write, at each decision, in
the web search, before an answer), counts them by the request that led there, says each one, and at
one of them may kill, stop or hang itself: exactly there, whatever the machine is busy with.
"""

import asyncio
import json
import os
import signal
import socket
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import uvicorn
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from sqlalchemy import event
from sqlalchemy.orm import Session
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.app.bootstrap import AgentParts
from backend.app.core.clock import SystemClock
from backend.app.core.github_settings import GitHubSettings
from backend.app.core.job_settings import JobSettings
from backend.app.core.settings import AgentSettings, ChatSettings, RunSettings, Settings
from backend.app.domain.budgets import Allowed
from backend.app.domain.tracker import Attempt, IssueTracker, NewIssue, TrackedIssue
from backend.app.domain.web import WebPage
from backend.app.main import create_app
from backend.app.providers.web_search import CannedWebSearch
from backend.app.services.helpdesk_graph.rules import Decision, RuleBasedDecider, Situation
from backend.app.services.runs.checkpoint import Checkpoints
from backend.app.services.runs.saver import (
    FencedSaver,
)
from backend.tests.support.plugin import settings_for
from scripts.serving import LeavingServer

AGENT = "/api/helpdesk/agent/"
#: Seconds; long enough that a busy machine does not lose a claim that nobody took.
LEASE, HEARTBEAT, SWEEP = 2.0, 0.2, 0.2
GRACE_SECONDS = 4
#: What a replica ends with that did not come to serve.
REFUSED_TO_START = 3

_request: ContextVar[str] = ContextVar("request", default="")
#: The replica that this process is.
_name: ContextVar[str] = ContextVar("name")


@dataclass(frozen=True)
class Fault:
    """What happens to a replica: ``act`` (kill, stop or hang) at the ``at``-th point that it meets
    for requests of one kind, or at every one that has this name; a hang lasts until it is ended.
    """

    act: str
    request: str
    at: int | str


@dataclass(frozen=True)
class Spec:
    """How a replica is to be; ``clock``: by how many seconds it is off, ``later``: from SIGUSR1
    on.
    """

    name: str
    url: str
    logs: str
    fault: Fault | None = None
    clock: float = 0.0
    later: float = 0.0
    runs: dict[str, float] = field(default_factory=dict)
    agent: dict[str, Any] = field(default_factory=dict)
    github: dict[str, Any] = field(default_factory=dict)


def say_of(replica: str, *words: object) -> None:
    """One line, in one piece even beside those of other processes."""
    os.write(1, (" ".join(str(word) for word in (replica, *words)) + "\n").encode())


def say(*words: object) -> None:
    """One line of the replica that this process is."""
    say_of(_name.get(), *words)


class Points:
    """Where in the work on a request this process is."""

    def __init__(self, fault: Fault | None) -> None:
        self._fault = fault
        self._met: Counter[str] = Counter()

    def meet(self, name: str) -> None:
        """Be at a point; the fault may happen here."""
        request = _request.get()
        if not request:
            return  # a sweep, a heartbeat, another's run
        self._met[request] += 1
        say("met", request, name)
        fault = self._fault
        if fault is None or fault.request != request or fault.at != self._met[request]:
            return
        if fault.act == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault.act == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)  # the nursery says so, as soon as it stands

    async def meet_or_hang(self, name: str) -> None:
        """The same, at a point where work may hang."""
        self.meet(name)
        fault = self._fault
        if fault and (fault.act, fault.request, fault.at) == ("hang", _request.get(), name):
            say("hangs")
            await asyncio.Event().wait()


class PointedSaver(FencedSaver):
    """The real saver; it meets a point on both sides of each write."""

    points: Points

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        self.points.meet("checkpoint.before")
        stored = await super().aput(config, checkpoint, metadata, new_versions)
        self.points.meet("checkpoint.after")
        return stored

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self.points.meet("writes.before")
        await super().aput_writes(config, writes, task_id, task_path)
        self.points.meet("writes.after")


class PointedDecider(RuleBasedDecider):
    def __init__(self, points: Points) -> None:
        self._points = points

    async def decide(self, situation: Situation, allowed: Allowed) -> Decision:
        await self._points.meet_or_hang("decide")
        return await super().decide(situation, allowed)


class PointedWebSearch(CannedWebSearch):
    def __init__(self, points: Points) -> None:
        self._points = points

    async def search(self, query: str) -> Sequence[WebPage]:
        await self._points.meet_or_hang("web")
        return await super().search(query)


@dataclass
class PointedTracker:
    """The real client; it meets a point on both sides of a write, and of a look."""

    made: IssueTracker
    points: Points

    async def create(self, issue: NewIssue, *, begin_by: float) -> Attempt:
        self.points.meet("create.before")
        attempt = await self.made.create(issue, begin_by=begin_by)
        self.points.meet("create.after")
        return attempt

    async def find(self, marker: str, *, since: datetime) -> TrackedIssue | None:
        self.points.meet("find.before")
        found = await self.made.find(marker, since=since)
        self.points.meet("find.after")
        return found

    async def search(self, question: str) -> Sequence[TrackedIssue]:
        return await self.made.search(question)

    async def get(self, number: int) -> TrackedIssue | None:
        return await self.made.get(number)


def _parts(points: Points) -> AgentParts:
    def pointed(made: Checkpoints) -> Checkpoints:
        assert isinstance(made.saver, FencedSaver)
        saver = PointedSaver(made.saver.conn, at_once=8)  # type: ignore[arg-type]  # a pool, here
        saver.points = points
        return Checkpoints(saver, made.backend)

    return AgentParts(
        decider=PointedDecider(points),
        web=PointedWebSearch(points),
        kept=pointed,
        tracked=lambda made: PointedTracker(made, points),
    )


def _marked(app: ASGIApp, points: Points) -> ASGIApp:
    """The application; whatever a request to the agent leads to knows which kind it was."""

    async def called(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and scope["method"] == "POST" and path.startswith(AGENT):
            _request.set(path.removeprefix(AGENT))

        async def answering(message: Message) -> None:
            if message["type"] == "http.response.start":
                points.meet("answer.before")
            await send(message)

        await app(scope, receive, answering)

    return called


class SetClock(SystemClock):
    """A clock that can be put forward and back."""

    shift = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.shift)


def _clock(seconds: float) -> SetClock:
    clock, true = SetClock(), time.time_ns
    clock.shift = seconds
    # LangGraph's ids take their time from here, as they would from the machine's own clock.
    time.time_ns = lambda: true() + int(clock.shift * 1_000_000_000)
    return clock


def _settings(spec: Spec) -> Settings:
    runs = {"lease_seconds": LEASE, "heartbeat_seconds": HEARTBEAT, "sweep_seconds": SWEEP}
    # A machine that stands still for a lease costs another takeover, and no session.
    runs |= {"takeovers": 5, "abort_wait_seconds": 0.5}
    made = settings_for(spec.url, Path(spec.logs))
    return made.model_copy(
        update={
            "observability": made.observability.model_copy(update={"fact_poll_seconds": 1.0}),
            "jobs": JobSettings(run_in_process=False),
            "github": GitHubSettings.model_validate(spec.github),
            "chat": ChatSettings(messages_per_minute=10_000),
            "runs": RunSettings.model_validate({**runs, **spec.runs}),
            "agent": AgentSettings.model_validate(
                {"max_sessions_per_user_per_day": 100_000, **spec.agent}
            ),
        }
    )


class _Server(LeavingServer):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            say("ready", sockets[0].getsockname()[1])


async def _serve(spec: Spec) -> int:
    points, clock = Points(spec.fault), _clock(spec.clock)
    event.listen(Session, "before_commit", lambda _: points.meet("commit.before"))
    event.listen(Session, "after_commit", lambda _: points.meet("commit.after"))
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, setattr, clock, "shift", spec.later)
    app = create_app(_settings(spec), clock=clock, agent_with=_parts(points))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            _marked(app, points),
            log_level="error",
            access_log=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        server = _Server(config, app.leave)
        await server.serve(sockets=[listener])
    return 0 if server.started else REFUSED_TO_START


def _end(*_: object) -> None:
    raise SystemExit(0)  # uvicorn raises the signal anew after its own shutdown


def _replica(spec: Spec) -> int:
    _name.set(spec.name)
    errors = os.open(Path(spec.logs) / f"{spec.name}.err", os.O_WRONLY | os.O_CREAT)
    os.dup2(errors, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, _end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    try:
        return asyncio.run(_serve(spec))
    except SystemExit as ended:
        return int(ended.code or 0)
    except BaseException:  # noqa: BLE001 -- nobody else could tell why it ended
        traceback.print_exc()
        return 1


def _made(line: str) -> Spec:
    told = json.loads(line)
    fault = told.pop("fault")
    return Spec(**told, fault=Fault(**fault) if fault else None)


def nurse() -> None:
    """Fork replicas until standard input ends; none outlives this process."""
    living: dict[int, str] = {}

    def reap(*_: object) -> None:
        while living:
            pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            if not pid:
                return
            if os.WIFSTOPPED(status):
                say_of(living[pid], "stopped")
                continue
            say_of(living.pop(pid), "ended", os.waitstatus_to_exitcode(status))

    signal.signal(signal.SIGCHLD, reap)
    while line := sys.stdin.readline():
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        spec = _made(line)
        pid = os.fork()
        if pid == 0:
            os._exit(_replica(spec))
        living[pid] = spec.name
        say_of(spec.name, "forked", pid)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for pid in list(living):
        os.kill(pid, signal.SIGKILL)
    while living:
        signal.pause()


if __name__ == "__main__":
    nurse()
