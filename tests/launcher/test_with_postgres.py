"""``scripts/with_postgres.py``: the exit code comes through and nothing is left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]

ASK = """
import asyncio, os, sys
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

async def ask():
    engine = create_async_engine(os.environ["TEST_DATABASE_URL"])
    async with engine.connect() as connection:
        print(await connection.scalar(text("SHOW data_directory")))
    await engine.dispose()

asyncio.run(ask())
sys.exit(3)
"""

Run = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def run() -> Iterator[Run]:
    started: list[subprocess.Popen[str]] = []

    def start(*command: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, REPOSITORY / "scripts/with_postgres.py", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with process:
            process.kill()


def servers_in(folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if f"-D {folder}/" in command:
            found.append(command)
    return found


def test_the_command_finds_the_server_and_its_exit_code_is_ours(run: Run) -> None:
    process = run("--", sys.executable, "-c", ASK)
    said, _ = process.communicate(timeout=60)

    assert process.returncode == 3
    assert not Path(said.strip()).parent.exists()
    assert servers_in(Path(said.strip()).parent) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("reach", ["launcher", "terminal"])
def test_nothing_is_left_when_it_is_stopped(run: Run, number: signal.Signals, reach: str) -> None:
    process = run("--", "sh", "-c", "echo $TEST_DATABASE_URL; exec sleep 60")
    assert process.stdout is not None
    url = process.stdout.readline()
    folder = Path(url.split("host=")[1].split("&")[0].replace("%2F", "/"))
    assert len(servers_in(folder)) == 1

    (os.killpg if reach == "terminal" else os.kill)(process.pid, number)

    assert process.wait(timeout=30) == 128 + number
    assert not folder.exists()
    assert servers_in(folder) == []


def test_a_command_may_finish_its_work_after_ctrl_c(run: Run) -> None:
    script = "trap 'sleep 0.5; echo done; exit 0' INT; echo up; while :; do sleep 0.1; done"
    process = run("--", "sh", "-c", script)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    begin = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=30)

    assert said == "done\n"
    assert time.monotonic() - begin < 10


def test_the_signal_that_ended_a_command_is_told_as_shells_do(run: Run) -> None:
    process = run("--", "sh", "-c", "kill -9 $$")

    assert process.wait(timeout=60) == 128 + signal.SIGKILL


def test_an_unknown_command_is_named(run: Run) -> None:
    process = run("--", "no-such-command")
    _, said = process.communicate(timeout=60)

    assert process.returncode == 127
    assert said.startswith("no-such-command: ")


@pytest.mark.parametrize("arguments", [[], ["--"], ["--help"]])
def test_without_a_command_it_tells_how_it_is_used(run: Run, arguments: list[str]) -> None:
    process = run(*arguments)
    _, said = process.communicate(timeout=60)

    assert process.returncode == 2
    assert said.startswith("usage: ")
