"""A real helpdesk for the whole run, started as people start it and stopped by a signal."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

REPOSITORY = Path(__file__).parents[3]

_SETTINGS = {
    # Not the mode that the page would fall back to, so that a test sees whether it asks.
    "HELPDESK_CHAT_DEFAULT_MODE": "ask",
    # The tests are one busy person at one address; limits have tests of their own.
    "HELPDESK_CHAT_MESSAGES_PER_MINUTE": "10000",
    "HELPDESK_AUTH_SIGN_IN_ATTEMPTS": "1000",
    "HELPDESK_AGENT_MAX_SESSIONS_PER_USER_PER_DAY": "1000",
}
_START_SECONDS = 120
_STOP_SECONDS = 30


@dataclass(frozen=True)
class Person:
    """A demo account."""

    username: str
    display_name: str
    password: str
    token: str


@dataclass(frozen=True)
class Helpdesk:
    """A running helpdesk.

    Attributes:
        address: its origin, as printed.
        data: its data folder.
        people: the demo people by user name.
    """

    address: str
    data: Path
    people: dict[str, Person]

    def admin(self, *arguments: str) -> str:
        """Run the command for administrators beside the server, as its manual says."""
        command = [sys.executable, "-m", "scripts.helpdesk_admin", "--data", str(self.data)]
        done = subprocess.run(
            [*command, *arguments],
            cwd=REPOSITORY,
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def client(self, token: str | None = None) -> httpx.AsyncClient:
        """A program that calls the API."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.AsyncClient(base_url=self.address, headers=headers)

    async def forget_conversations_of(self, person: Person) -> None:
        """Tests share the accounts: each begins with an empty list."""
        async with self.client(person.token) as client:
            found = await client.get("/api/chat/sessions", params={"limit": 100})
            for session in found.raise_for_status().json()["items"]:
                await client.delete(f"/api/chat/sessions/{session['id']}")


@contextmanager
def running_helpdesk() -> Iterator[Helpdesk]:
    """Start a helpdesk with demo people on a free port; stop it, and see that nothing is left."""
    with tempfile.TemporaryDirectory(prefix="helpdesk-e2e-") as folder:
        data = Path(folder)
        data.chmod(0o755)  # run by root, the embedded database has an account of its own
        command = [sys.executable, "-m", "scripts.server", "--demo"]
        with (data / "stderr.txt").open("w") as errors:
            process = subprocess.Popen(
                [*command, "--data", folder, "--port", "0"],
                cwd=REPOSITORY,
                env={**_environment(), **_SETTINGS},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        try:
            address = _printed_address(process)
            assert address, f"The server did not start: {(data / 'stderr.txt').read_text()}"
            accounts = json.loads((data / "demo.json").read_text())["accounts"]
            fields = Person.__dataclass_fields__
            people = [Person(**{name: one[name] for name in fields}) for one in accounts]
            yield Helpdesk(address, data, {person.username: person for person in people})
        finally:
            left = _stop(process, data)
        assert process.returncode in (0, 130), (data / "stderr.txt").read_text()
        assert not left, f"still running after the server has ended: {left}"


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY)}


def _printed_address(process: "subprocess.Popen[str]") -> str | None:
    """The address, once printed; the output is read on, so that the server can always write."""
    assert process.stdout
    output = process.stdout
    found: list[str] = []
    told = threading.Event()

    def read() -> None:
        with output:
            for line in output:
                if match := re.search(r"running at (http\S+)", line):
                    found.append(match[1])
                    told.set()
        told.set()

    threading.Thread(target=read, daemon=True).start()
    assert told.wait(_START_SECONDS), "the server says nothing"
    return found[0] if found else None


def _stop(process: "subprocess.Popen[str]", data: Path) -> list[str]:
    """Stop the server; the command lines of processes of its that go on."""
    family = _family(process.pid, str(data))
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return [f"{pid} {command}" for pid, command in family.items() if _runs(pid)]


def _family(server: int, data: str) -> dict[int, str]:
    """What the server started, and what names its data folder: the database runs by itself."""
    parents, commands = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        try:
            parents[pid] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            commands[pid] = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue  # it has ended meanwhile
    found = {server} | {pid for pid, command in commands.items() if data in command}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return {pid: commands[pid] for pid in found if pid in commands}


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
