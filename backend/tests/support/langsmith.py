"""A LangSmith endpoint on loopback: takes what a real client sends, and tells what it was."""

import email.parser
import email.policy
import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_INFO = {"version": "0.10.0", "batch_ingest_config": {"use_multipart_endpoint": True}}


@dataclass
class Sink:
    """What arrived."""

    url: str = ""
    requests: list[tuple[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    spans: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Everything that was sent, as text."""
        return b"\n".join(self.bodies).decode("utf-8", "replace")

    def named(self, name: str) -> list[dict[str, Any]]:
        """The spans with this name."""
        return [span for span in self.spans.values() if span.get("name") == name]

    def take(self, content_type: str, body: bytes) -> None:
        """Read a multipart request: ``post.<id>`` is a span, ``post.<id>.<field>`` a part of it."""
        self.bodies.append(body)
        parser = email.parser.BytesParser(policy=email.policy.HTTP)
        whole = parser.parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
        for part in whole.iter_parts():
            name = str(part.get_param("name", header="content-disposition"))
            _, span, *rest = name.split(".")
            value = json.loads(part.get_payload(decode=True))  # type: ignore[arg-type]
            found = self.spans.setdefault(span, {})
            found.update({rest[0]: value} if rest else value)


@contextmanager
def sink() -> Iterator[Sink]:
    """An endpoint, while the block lasts."""
    told = Sink()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            return

        def do_GET(self) -> None:
            told.requests.append(("GET", self.path))
            self._answer(200, json.dumps(_INFO).encode())

        def do_POST(self) -> None:
            body = self._body()
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            told.requests.append(("POST", self.path))
            told.take(self.headers["content-type"], body)
            self._answer(202, b"{}")

        def _body(self) -> bytes:
            if self.headers.get("transfer-encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("content-length", 0)))
            body = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
