"""A worker of its own: does the background jobs of a helpdesk until it is stopped."""

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from pydantic import ValidationError

from backend.app.core.errors import AppError
from backend.app.core.logging import configure
from backend.app.core.settings import ObservabilitySettings
from scripts.instance import attached, what_is_wrong
from scripts.provision import default_data


async def _run(data: Path) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with attached(data) as built, built.jobs.working():
        sys.stdout.write(f"Doing background jobs: {', '.join(built.jobs.names)}.\n")
        sys.stdout.flush()
        await stopped.wait()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="worker", description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=default_data(), help="data folder (ignored with DATABASE_URL)"
    )
    arguments = parser.parse_args()
    try:
        logs = ObservabilitySettings()
        configure(logs.log_level, logs.log_format)
        asyncio.run(_run(arguments.data.expanduser().resolve()))
    except AppError as error:
        raise SystemExit(f"Refused: {error.detail}") from error
    except ValidationError as error:
        raise SystemExit(f"Refused: a setting is not valid ({what_is_wrong(error)})") from error


if __name__ == "__main__":
    main()
