"""A Tavily on loopback: a server that the real client talks to, with a ledger and switches."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

PAGES = [
    {
        "title": "VPN client loses its route after sleep",
        "url": "https://example.org/vpn/route?after=sleep#fix",
        "content": "Restart the adapter, then connect again. The route is added anew.",
        "score": 0.9,
    },
    {
        "title": "Split tunnels explained",
        "url": "https://example.net/split",
        "content": "Only some addresses go through the tunnel.",
        "score": 0.5,
    },
]


@dataclass(frozen=True)
class Answer:
    """What is sent back: a status with a body; ``never``: nothing, however long one waits."""

    status: int = 200
    body: bytes = b""
    headers: tuple[str, ...] = ("Content-Type: application/json",)
    never: bool = False
    hangs_up: bool = False


def of(results: Any, status: int = 200) -> Answer:
    """An answer with these results."""
    body = json.dumps({"query": "q", "results": results, "response_time": 0.1})
    return Answer(status, body.encode())


def refusal(status: int) -> Answer:
    """An answer as the service refuses."""
    return Answer(status, json.dumps({"detail": {"error": "no"}}).encode())


@dataclass
class FakeTavily:
    """``answers`` are given one after the other, the last one for ever; ``asked`` is the ledger."""

    url: str = ""
    answers: list[Answer] = field(default_factory=lambda: [of(PAGES)])
    asked: list[dict[str, Any]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    connections: int = 0

    @property
    def queries(self) -> list[str]:
        """What was searched for."""
        return [one["query"] for one in self.asked]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: request after request."""
        self.connections += 1
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(
            int(line.split(":")[1])
            for line in head.lower().splitlines()
            if line.startswith("content-length")
        )
        self.heads.append(head)
        self.asked.append(json.loads(await reader.readexactly(length)))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer.hangs_up:
            return False
        if answer.never:
            await reader.read()  # until the other side goes away
            return False
        lines = [f"HTTP/1.1 {answer.status} X", f"Content-Length: {len(answer.body)}"]
        writer.write("\r\n".join([*lines, *answer.headers, "", ""]).encode() + answer.body)
        await writer.drain()
        return True


@asynccontextmanager
async def fake_tavily(*answers: Answer) -> AsyncIterator[FakeTavily]:
    """The server, as long as the block lasts."""
    fake = FakeTavily()
    if answers:
        fake.answers = list(answers)
    async with listening(fake.serve) as url:
        fake.url = url
        yield fake


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]


@asynccontextmanager
async def listening(serve: Serve) -> AsyncIterator[str]:
    """Any server on a free port of loopback; its address."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
