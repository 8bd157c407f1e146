"""One helpdesk from start to stop, and the admin command beside it: real processes."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.app.db import embedded

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


class Server:
    """A server process, and what it said."""

    _started = 0

    def __init__(self, data: Path, *options: str, **environment: str) -> None:
        Server._started += 1
        self._log = data.parent / f"server-{Server._started}.log"
        began = time.monotonic()
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "scripts.server", "--port", "0", "--no-ui"),
                    *("--data", str(data), *options),
                ],
                cwd="/",
                env={**ENVIRONMENT, **environment},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        while "Stop it with" not in self.said and self.process.poll() is None:
            assert time.monotonic() - began < 60, self.said
            time.sleep(0.02)
        self.seconds = time.monotonic() - began

    @property
    def said(self) -> str:
        return self._log.read_text()

    @property
    def address(self) -> str:
        return self.said.partition("running at ")[2].split()[0]

    def get(self, path: str, **headers: str) -> httpx.Response:
        return httpx.get(f"{self.address}{path}", headers=headers)

    def post(self, path: str, body: dict[str, Any], **headers: str) -> httpx.Response:
        return httpx.post(f"{self.address}{path}", json=body, headers=headers, timeout=30)

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)


@pytest.fixture
def data() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="helpdesk-server-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder) / "data"
        assert _processes_below(folder) == []


def _processes_below(folder: str) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if folder in command:
            found.append(command)
    return found


def admin(data: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scripts.helpdesk_admin", "--data", str(data), *arguments],
        cwd="/",
        env={**ENVIRONMENT, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def demo(data: Path) -> list[dict[str, Any]]:
    return list(json.loads((data / "demo.json").read_text())["accounts"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_server_stops_everything_it_started(data: Path, number: int) -> None:
    server = Server(data)
    healthy = server.get("/api/health").json()["status"]
    code = server.end(number)

    assert healthy == "ok"
    assert code == 0
    assert not (data / "server.json").exists()
    assert "Traceback" not in server.said


def test_who_calls_while_a_server_leaves_is_told_to_come_again(data: Path) -> None:
    server = Server(data, "--demo")
    signed_in = {"Authorization": f"Bearer {demo(data)[0]['token']}"}
    body = {"conversation": [{"role": "user", "content": "The budget reports answer 403"}]}
    with httpx.Client(base_url=server.address, headers=signed_in, timeout=30) as kept:
        assert kept.get("/api/auth/me").status_code == 200
        server.process.send_signal(signal.SIGTERM)
        answers = [
            kept.post("/api/helpdesk/agent/start", json=body),
            server.post("/api/helpdesk/agent/start", body, **signed_in),
        ]
    assert server.process.wait(30) == 0

    for answer in answers:
        assert (answer.status_code, answer.json()["error"]) == (503, "agent_switched_off")
        assert answer.headers["Retry-After"] == "30"
    assert "Traceback" not in server.said


def test_a_second_start_is_quick_and_keeps_what_was_there(data: Path) -> None:
    first = Server(data, "--demo")
    people = demo(data)
    first.end()
    second = Server(data, "--demo")
    me = second.get("/api/auth/me", Authorization=f"Bearer {people[0]['token']}")
    second.end()

    assert [person["role"] for person in people] == ["requester", "requester", "operator", "admin"]
    assert demo(data) == people
    assert me.json()["user"]["username"] == people[0]["username"]
    assert second.seconds < 5
    assert (data / "demo.json").stat().st_mode & 0o777 == 0o600
    assert all(person["password"] in first.said for person in people)


def test_a_killed_server_is_taken_over(data: Path) -> None:
    first = Server(data, "--demo")
    first.end(signal.SIGKILL)
    second = Server(data, "--demo")
    token = demo(data)[0]["token"]
    answer = second.get("/api/auth/me", Authorization=f"Bearer {token}")
    second.end()

    assert answer.status_code == 200


def test_a_second_server_on_the_same_data_is_refused(data: Path) -> None:
    first = Server(data)
    second = Server(data)
    first_still = first.get("/api/health").status_code
    first.end()

    assert second.process.wait(10) == 1
    assert "Cannot start" in second.said
    assert "Traceback" not in second.said
    assert first_still == 200


@pytest.mark.parametrize(
    ("options", "environment", "said"),
    [
        (("--host", "0.0.0.0"), {}, "HELPDESK_HOST"),
        ((), {"HELPDESK_PUBLIC_URL": "nonsense"}, "HELPDESK_PUBLIC_URL"),
        ((), {"DATABASE_URL": "postgresql://u:hunter2@127.0.0.1:1/x"}, "cannot be reached"),
        ((), {"DATABASE_URL": "mysql://u:hunter2@db/x"}, "postgresql://"),
        ((), {"DATABASE_URL": "postgresql://u:hunter2@db/x?channel_binding=require"},
         "channel_binding"),
        ((), {"DATABASE_URL": "postgresql://u:p@hunter2@db/x"}, "percent-encoded"),
        ((), {"DATABASE_URL": "postgresql://u:x@db/x?sslmode=hunter2"}, "sslmode"),
        (("--port", "70000"), {}, "HELPDESK_PORT"),
        (("--demo",), {"HELPDESK_ENVIRONMENT": "production", "DATABASE_URL": "postgresql://x/y"},
         "--demo is refused"),
    ],
)  # fmt: skip
def test_what_cannot_be_served_is_said_in_a_sentence(
    data: Path, options: tuple[str, ...], environment: dict[str, str], said: str
) -> None:
    server = Server(data, *options, **environment)

    assert server.process.wait(30) == 1
    assert said in server.said
    assert server.said.startswith("Cannot start:")
    assert "Traceback" not in server.said
    assert "hunter2" not in server.said


def test_a_taken_port_is_said(data: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server = Server(data, "--port", str(taken.getsockname()[1]))

        assert server.process.wait(30) == 1
        assert "Choose another with --port" in server.said
    assert not (data / "postgres").exists()


def test_the_first_start_makes_an_administrator_and_tells_the_password_once(data: Path) -> None:
    first = Server(data)
    password = first.said.partition("shown only now:")[2].split()[0]
    body = {"username": "admin", "password": password}
    signed_in = httpx.post(f"{first.address}/api/auth/login", json=body)
    first.end()
    second = Server(data)
    second.end()

    assert signed_in.json()["must_change_password"] is True
    assert signed_in.json()["user"]["role"] == "admin"
    assert password not in second.said
    assert "First start" not in second.said


def test_demo_people_never_take_over_somebodys_own_account(data: Path) -> None:
    first = Server(data)
    added = admin(data, "users", "add", "maya", "--role", "operator")
    first.end()
    second = Server(data, "--demo")

    assert added.returncode == 0
    assert second.process.wait(30) == 1
    assert "somebody's own" in second.said


def test_the_admin_command_works_beside_the_server_and_without_it(
    data: Path, tmp_path: Path
) -> None:
    (tmp_path / "wifi.md").write_text("# Guest network\n\nThe password hangs in the hall.")
    server = Server(data, "--demo")
    imported = admin(data, "knowledge", "import", "--dir", str(tmp_path), "--collection", "own")
    token = demo(data)[0]["token"]
    with httpx.Client(
        base_url=server.address, headers={"Authorization": f"Bearer {token}"}
    ) as client:
        session = client.post("/api/chat/sessions").json()["id"]
        asked = {"text": "what is the guest network password in the hall"}
        answer = client.post(f"/api/chat/sessions/{session}/messages", json=asked).json()["answer"]
    server.end()
    again = admin(data, "knowledge", "import", "--dir", str(tmp_path), "--collection", "own")
    listed = admin(data, "users", "list")

    assert "own: 1 added" in imported.stdout
    assert answer["kb_resolved"] is True
    assert answer["sources"][0]["collection"] == "own"
    assert answer["sources"][0]["sample"] is False
    assert "1 unchanged" in again.stdout
    assert [line.split("\t")[0] for line in listed.stdout.splitlines()] == [
        "ada",
        "ben",
        "maya",
        "olga",
    ]


def test_removed_samples_stay_removed_until_asked_for(data: Path) -> None:
    Server(data).end()
    removed = admin(data, "knowledge", "remove", "--collection", "sample")
    Server(data).end()
    gone = admin(data, "knowledge", "remove", "--collection", "sample")
    Server(data, "--sample-kb").end()
    back = admin(data, "knowledge", "remove", "--collection", "sample")

    assert "articles removed" in removed.stdout
    assert gone.returncode == 1
    assert "articles removed" in back.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("knowledge", "import", "--dir", "/nonexistent"), "not a folder"),
        (("knowledge", "import", "--jsonl", "/nonexistent"), "not a file"),
        (("users", "disable", "ada"), "last active administrator"),
        (("users", "set-role", "ada", "operator"), "last active administrator"),
        (("users", "disable", "nobody"), "no account"),
        (("users", "add", "ben"), "already an account"),
        (("users", "add", "Not a name!"), "user name"),
    ],
)
def test_the_admin_command_refuses_in_a_sentence(
    running: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = admin(running, *arguments)

    assert done.returncode == 1
    assert done.stderr.startswith("Refused: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def running() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="helpdesk-server-") as folder:
        Path(folder).chmod(0o755)
        server = Server(Path(folder) / "data", "--demo")
        yield Path(folder) / "data"
        server.end()


def test_without_any_helpdesk_the_admin_command_says_so(tmp_path: Path) -> None:
    done = admin(tmp_path, "users", "list")

    assert done.returncode == 1
    assert "There is no helpdesk in" in done.stderr


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://u:hunter2@127.0.0.1:1/x", "cannot be reached"),
        ("postgresql://u:hunter2@127.0.0.1:1/x?sslmode=verify-full", "cannot be reached"),
        ("postgresql://u:hunter2@127.0.0.1:1/x?passfile=y", "passfile"),
    ],
)
def test_the_admin_command_says_that_a_database_cannot_be_had(
    tmp_path: Path, url: str, said: str
) -> None:
    done = admin(tmp_path, "users", "list", DATABASE_URL=url, HOME=str(tmp_path))

    assert done.returncode == 1
    assert done.stderr.startswith("Refused: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "hunter2" not in done.stderr


def test_a_database_url_of_libpqs_family_is_understood(data: Path) -> None:
    """An embedded server stands in for the database that somebody else runs."""
    with embedded.start(data.parent / "other", throwaway=True) as other:
        url = f"{other.dsn}&sslmode=prefer&application_name=our%20desk"
        server = Server(data, DATABASE_URL=url)
        healthy = server.get("/api/health").json()["status"]
        listed = admin(data, "users", "list", DATABASE_URL=url)
        code = server.end()

    assert healthy == "ok"
    assert listed.stdout.startswith("admin\t")
    assert code == 0


def test_a_data_folder_that_cannot_be_written_is_said(data: Path) -> None:
    data.write_text("a file is in the way")
    with embedded.start(data.parent / "other", throwaway=True) as other:
        server = Server(data, DATABASE_URL=other.dsn)

        assert server.process.wait(30) == 1
    assert server.said.startswith(f"Cannot start: The data folder {data} cannot be used")
    assert "Traceback" not in server.said


def test_sslmode_require_sends_nothing_in_the_clear(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as plain:
        plain.settimeout(30)
        url = f"postgresql://u:hunter2@127.0.0.1:{plain.getsockname()[1]}/x?sslmode=require"
        with subprocess.Popen(
            [sys.executable, "-m", "scripts.helpdesk_admin", "users", "list"],
            cwd="/", env={**ENVIRONMENT, "DATABASE_URL": url},
            stderr=subprocess.PIPE, text=True,
        ) as command:  # fmt: skip
            client, _ = plain.accept()
            with client:
                asked = client.recv(1000)
                client.sendall(b"N")  # a server without TLS
                more = client.recv(1000)
            _, said = command.communicate()

    assert asked == bytes.fromhex("0000000804d2162f")
    assert more == b""
    assert said.startswith("Refused: The database cannot be reached")
    assert "Traceback" not in said


def test_a_server_ends_when_its_database_has_ended(data: Path) -> None:
    server = Server(data)
    postgres = int((data / "postgres/cluster/postmaster.pid").read_text().split()[0])
    os.kill(postgres, signal.SIGKILL)
    began = time.monotonic()
    code = server.process.wait(30)
    seconds = time.monotonic() - began

    assert code == 1
    assert seconds < 3
    assert "Stopped: the embedded database ended by itself." in server.said
    assert "Traceback" not in server.said
    assert not (data / "server.json").exists()
    again = Server(data)
    assert again.get("/api/health").json()["status"] == "ok"
    again.end()


def test_a_start_reminds_of_an_administrator_who_never_signed_in(data: Path) -> None:
    Server(data).end()
    second = Server(data)
    admin(data, "users", "add", "maya")
    second.end()
    third = Server(data)
    third.end()

    assert f'admin still has a one-time password: ./scripts/admin --data "{data}"' in second.said
    assert "one-time" not in third.said


def test_a_server_leaves_the_note_of_another(data: Path) -> None:
    server = Server(data)
    note = {**json.loads((data / "server.json").read_text()), "pid": 1}
    (data / "server.json").write_text(json.dumps(note))
    server.end()

    assert json.loads((data / "server.json").read_text()) == note


def test_too_long_a_head_is_refused(running: Path) -> None:
    with _connection(running) as client:
        client.sendall(b"GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n")
        sent = 0
        try:
            while sent < 10_000_000:
                sent += client.send(b"X-Filler: " + b"x" * 5000 + b"\r\n")
        except OSError:
            pass  # closed by the server

    assert sent < 10_000_000


@pytest.mark.parametrize(
    ("begin", "limit"),
    [
        (b"GET /api/health/live HTTP/1.1\r\n", 20),
        (
            b"GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
            b"GET /api/health/live HTTP/1.1\r\n",
            20,
        ),
    ],
)
def test_a_head_that_trickles_is_cut_off(running: Path, begin: bytes, limit: float) -> None:
    with _connection(running) as client:
        client.sendall(begin)
        client.settimeout(1)
        began = time.monotonic()
        closed = False
        while not closed and time.monotonic() - began < limit + 10:
            try:
                client.sendall(b"X-A: b\r\n")
                closed = client.recv(10_000) == b""
            except TimeoutError:
                continue
            except OSError:
                closed = True
        seconds = time.monotonic() - began

    assert closed
    assert limit - 1 < seconds < limit + 5


def _connection(data: Path) -> socket.socket:
    address = httpx.URL(json.loads((data / "server.json").read_text())["address"])
    return socket.create_connection((address.host, address.port or 80))
