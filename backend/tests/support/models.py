"""A language model's provider on loopback, for the real client libraries to talk to.

It writes down what it was asked and what that cost, and does as a script says: answers, answers
badly, fails, hangs, or hangs up.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from backend.app.core.model_settings import ModelProvider, ModelSettings
from backend.tests.support.model_wire import (
    Asked,
    BadRequest,
    read_anthropic,
    read_bedrock,
    read_openai,
    write,
)

_NO_ANSWER_SECONDS = 30.0
_CODES = {
    400: "ValidationException",
    401: "UnrecognizedClientException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}


@dataclass(frozen=True)
class Reply:
    """What comes back. ``said``: a mapping as the form wants it, or whatever text; ``does``:
    answer, hang (until the server closes), drop (hang up) or garbage (a body that nobody can read).
    """

    said: Any = ""
    stop: str = "end"
    status: int = 200
    does: str = "answer"
    after: float = 0.0


Script = Callable[[Asked], Reply]


def says(**fields: Any) -> Reply:
    """An answer of the form."""
    return Reply(fields)


@dataclass
class FakeModel:
    """The server. ``asked`` and ``tokens`` are its ledger; ``script`` may change at any time."""

    family: str
    script: Script
    refused: frozenset[str] = frozenset()
    asked: list[Asked] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)
    hanging: int = 0
    closing: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    address: str = ""

    def settings(self, **others: Any) -> ModelSettings:
        """Settings under which this is the provider."""
        keys = (
            {"aws_access_key_id": "x", "aws_secret_access_key": "y", "region": "us-east-1"}
            if self.family == "bedrock"
            else {"api_key": "k"}
        )
        name = {"bedrock": "anthropic.claude-3-5-sonnet-20240620-v1:0"}.get(self.family, "test")
        path = "/v1" if self.family == "openai" else ""
        return ModelSettings.model_validate(
            {
                "provider": ModelProvider(self.family),
                "default": name,
                "base_url": self.address + path,
                "timeout_seconds": 5.0,
                "connect_timeout_seconds": 2.0,
                **keys,
                **others,
            }
        )

    def of(self, form: str) -> list[Asked]:
        """What was asked for this form, in order."""
        return [one for one in self.asked if one.form.startswith(form)]

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[Reply, dict[str, Any]]:
        """Take a request down, and what comes back for it."""
        asked = self._read(path, body)
        with self.lock:
            self.asked.append(asked)
        reply = Reply(status=400) if asked.method in self.refused else self.script(asked)
        with self.lock:
            self.replies.append(reply)
        if reply.status != 200 or reply.does != "answer":
            return reply, _error(self.family, reply.status)
        cost = (len(asked.system) + len(asked.user)) // 4, len(json.dumps(reply.said)) // 4 + 1
        with self.lock:
            self.tokens[asked.form] = self.tokens.get(asked.form, 0) + sum(cost)
        return reply, write(self.family, asked, reply.said, stop=reply.stop, tokens=cost)

    def _read(self, path: str, body: Mapping[str, Any]) -> Asked:
        if self.family == "bedrock":
            return read_bedrock(body, unquote(path.split("/")[2]))
        return read_openai(body) if self.family == "openai" else read_anthropic(body)


def _error(family: str, status: int) -> dict[str, Any]:
    told = {"message": "as scripted"}
    return told if family == "bedrock" else {"type": "error", "error": {"type": "e", **told}}


def _handler(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                reply, answer = model.answer(self.path, body)
            except BadRequest as bad:
                model.bad.append(str(bad))
                reply, answer = Reply(status=400), _error(model.family, 400)
            if reply.after:
                model.closing.wait(reply.after)
            if reply.does == "hang":
                with model.lock:
                    model.hanging += 1
                model.closing.wait(_NO_ANSWER_SECONDS)
            if reply.does in {"hang", "drop"}:
                self.close_connection = True
                return
            content = b"\xff{" if reply.does == "garbage" else json.dumps(answer).encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            if reply.status != 200 and model.family == "bedrock":
                self.send_header("x-amzn-ErrorType", _CODES[reply.status])
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: the ledger says it."""

    return Handler


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what another thread brings about; not for ever."""
    async with asyncio.timeout(20):
        while True:
            if condition():
                return
            await asyncio.sleep(0.01)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that gave up is what some tests are about."""


@contextmanager
def fake_model(
    family: str, script: Script, refused: frozenset[str] = frozenset()
) -> Iterator[FakeModel]:
    """A provider of the family, as long as the block lasts. ``refused``: ways of asking for a
    structured answer that it does not know.
    """
    model = FakeModel(family, script, refused)
    server = _Server(("127.0.0.1", 0), _handler(model))
    model.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield model
    finally:
        model.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
