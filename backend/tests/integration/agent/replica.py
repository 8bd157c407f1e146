"""The tests' side of the processes in `server.py`: they are started, killed, stopped and woken."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from backend.tests.integration.agent.server import Fault, Spec

_PATIENCE = 60.0


class Nursery:
    """The process that forks replicas, and what all of them have said: under their names, for the
    system gives the process id of one that has ended to another.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._said: dict[str, list[list[str]]] = {}
        self._changed = asyncio.Condition()

    async def listen(self) -> None:
        """Take in lines until there are no more."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            name, *words = line.decode().split()
            async with self._changed:
                self._said.setdefault(name, []).append(words)
                self._changed.notify_all()

    def said(self, name: str, word: str) -> list[list[str]]:
        """What a replica has said, or the nursery of it, under this word."""
        return [words[1:] for words in self._said.get(name, []) if words[0] == word]

    async def until(self, look: Callable[[], Any]) -> Any:
        """What ``look`` finds, as soon as it finds something."""
        async with asyncio.timeout(_PATIENCE), self._changed:
            await self._changed.wait_for(look)
            return look()

    async def fork(self, spec: Spec) -> int:
        """A new replica's process id."""
        assert self._process.stdin is not None
        self._process.stdin.write((json.dumps(asdict(spec)) + "\n").encode())
        ((pid,),) = await self.until(lambda: self.said(spec.name, "forked"))
        return int(pid)


@asynccontextmanager
async def nursery() -> AsyncIterator[Nursery]:
    """A nursery; with it end all replicas that are left."""
    made = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "backend.tests.integration.agent.server"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    one = Nursery(made)
    listening = asyncio.ensure_future(one.listen())
    try:
        yield one
    finally:
        assert made.stdin is not None
        made.stdin.close()
        await made.wait()
        await listening


@dataclass
class Replica:
    """One process that serves the application."""

    nursery: Nursery
    spec: Spec
    pid: int
    base_url: str = ""
    _clients: dict[str, httpx.AsyncClient] = field(default_factory=dict)

    def client(self, token: str) -> httpx.AsyncClient:
        """A person's connection to this replica."""
        if token not in self._clients:
            self._clients[token] = httpx.AsyncClient(
                base_url=self.base_url,
                headers={"Authorization": f"Bearer {token}"},
                timeout=40,
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=5),
            )
        return self._clients[token]

    def _signal(self, number: int) -> None:
        if self.status is None:
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """Let it stand still."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on from there."""
        self._signal(signal.SIGCONT)

    def terminate(self) -> None:
        """Ask it to end."""
        self._signal(signal.SIGTERM)

    def shift_clock(self) -> None:
        """Set its clock to what the spec says of later."""
        self._signal(signal.SIGUSR1)

    def said(self, word: str) -> list[list[str]]:
        """What it has said, or the nursery of it, under this word."""
        return self.nursery.said(self.spec.name, word)

    @property
    def status(self) -> int | None:
        """What it has ended with, if it has; below zero: the signal that ended it."""
        return next((int(status) for (status,) in self.said("ended")), None)

    async def ended(self) -> int:
        """What it ends with."""
        ((status,),) = await self.until("ended")
        return int(status)

    async def until(self, word: str) -> list[list[str]]:
        """Wait until it has said a word."""
        found: list[list[str]] = await self.nursery.until(lambda: self.said(word))
        return found

    async def stopped(self) -> None:
        """Wait until it stands still, or has: before that, waking it would be too early."""
        await self.until("stopped")

    def met(self, request: str) -> list[str]:
        """The points it has met for requests of this kind."""
        return [name for kind, name in self.said("met") if kind == request]

    @property
    def errors(self) -> str:
        """What it has written to standard error."""
        path = Path(self.spec.logs) / f"{self.spec.name}.err"
        return path.read_text() if path.exists() else ""

    async def leave(self) -> None:
        """End it, whatever it is doing, and wait until it is gone."""
        self.kill()
        await self.ended()
        for client in self._clients.values():
            await client.aclose()


class Replicas:
    """Starts replicas over one database; ends those that are left."""

    def __init__(self, nursery: Nursery, url: str, logs: Path) -> None:
        self._nursery = nursery
        self._like = Spec("", url, str(logs))
        self._made: list[Replica] = []

    async def start(
        self, *, fault: Fault | None = None, serves: bool = True, **spec: Any
    ) -> Replica:
        """A replica that serves; else one that is expected not to come to that."""
        name = uuid4().hex  # all tests share a nursery
        one = replace(self._like, name=name, fault=fault, **spec)
        replica = Replica(self._nursery, one, await self._nursery.fork(one))
        self._made.append(replica)
        if serves:

            def ready() -> list[list[str]] | bool:
                assert replica.status is None, replica.errors
                return replica.said("ready")

            port = (await self._nursery.until(ready))[0][0]
            replica.base_url = f"http://127.0.0.1:{port}"
        return replica

    async def both(self, **spec: Any) -> tuple[Replica, Replica]:
        """Two that are alike."""
        one, two = await asyncio.gather(self.start(**spec), self.start(**spec))
        return one, two

    async def leave(self) -> None:
        """End all of them."""
        for replica in self._made:
            await replica.leave()
