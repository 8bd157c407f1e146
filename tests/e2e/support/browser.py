"""Finding the Chromium that the tests run in."""

import os
import shutil
import subprocess
from pathlib import Path

from scripts.provision import ProvisionFailedError, ensure_browser, ensure_node

BROWSER_FOLDER = Path(__file__).parents[1] / "browser"

_INSTALLED = ("chromium", "chromium-browser", "google-chrome")

ARGUMENTS = [
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    *(["--no-sandbox"] if os.geteuid() == 0 else []),
]


class NoBrowserError(Exception):
    """There is no browser, so nothing can be said about the page."""


def find_chromium() -> str:
    """The path of a Chromium: the one that CHROMIUM_PATH names, the machine's, or the one from npm.

    Raises:
        NoBrowserError: none of them is there; the message says what to do.
    """
    named = os.environ.get("CHROMIUM_PATH")
    if named:
        if not Path(named).is_file():
            raise NoBrowserError(f"CHROMIUM_PATH names {named}, and there is no such file.")
        return named
    for name in _INSTALLED:
        if installed := shutil.which(name):
            return installed
    try:
        ensure_browser()
        node = ensure_node().folder / "node"
    except ProvisionFailedError as error:
        raise NoBrowserError(_advice(str(error))) from error
    located = subprocess.run(
        [node, BROWSER_FOLDER / "locate.mjs"], capture_output=True, text=True, check=False
    )
    if located.returncode:
        raise NoBrowserError(_advice(located.stderr))
    return located.stdout.strip()


def _advice(reason: str) -> str:
    return (
        "The browser tests need a Chromium. Install one (chromium, google-chrome), or set "
        f"CHROMIUM_PATH. The one from npm could not be had:\n{reason}"
    )
