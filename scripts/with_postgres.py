"""Run a command against a throw-away PostgreSQL: ``with_postgres.py -- command arguments…``.

The command finds the server's address in ``TEST_DATABASE_URL``. Its exit code is passed on, and
nothing is left behind, also after Ctrl-C or SIGTERM.
"""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from backend.app.db import embedded

_PATIENCE_SECONDS = 10.0
_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(arguments: list[str]) -> int:
    """Run the command and give its exit code, as a shell would."""
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    if not arguments or arguments[0].startswith("-"):
        print("usage: with_postgres.py -- command [argument ...]", file=sys.stderr)
        return 2
    for number in _ENDING_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # under nohup it stays as it is
            signal.signal(number, _leave)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="helpdesk-test-") as folder,
            embedded.start(Path(folder), throwaway=True) as server,
        ):
            return _run(arguments, {**os.environ, "TEST_DATABASE_URL": server.url})
    except embedded.EmbeddedPostgresFailed as failure:
        print(failure.detail, file=sys.stderr)
        return 1


def _run(command: list[str], environment: dict[str, str]) -> int:
    try:
        child = subprocess.Popen(command, env=environment)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    try:
        code = child.wait()
    except SystemExit as leaving:
        # A Ctrl-C in the terminal has reached the command as well: it may finish by itself.
        if leaving.code != 128 + signal.SIGINT or not _ends(child, _PATIENCE_SECONDS / 5):
            child.terminate()
        if not _ends(child, _PATIENCE_SECONDS):
            child.kill()
            child.wait()
        raise
    return code if code >= 0 else 128 - code


def _ends(child: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _leave(number: int, _frame: FrameType | None) -> None:
    for other in _ENDING_SIGNALS:
        signal.signal(other, signal.SIG_IGN)  # a second one must not cut the clearing up short
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
