"""Make what the launchers need: the Python packages, Node, the built web page, a browser for tests.

Only the standard library, since it runs before anything is installed. Every part leaves a stamp,
written last, that names what it was made from: a part whose stamp fits is not looked at again, one
that was interrupted has no stamp and is made anew.
"""

import fcntl
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

REPOSITORY = Path(__file__).resolve().parent.parent

Tier = Literal["run", "live", "dev"]

#: Each holds all of those before it.
_LOCK_FILES: dict[Tier, str] = {
    "run": "requirements.lock",
    "live": "requirements-live.lock",
    "dev": "requirements-dev.lock",
}
#: Settings that need the packages of ``live``, and the values with which they do not.
_LIVE_SETTINGS = {"HELPDESK_MODEL_PROVIDER": {"", "rules"}}
_NODE_LOCK_FILE = "requirements-node.lock"
_TOLD_LINES = 40
_NOT_SOURCE = {"node_modules", "dist", "coverage", "test-results", ".vite", ".cache"}
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class ProvisionFailedError(Exception):
    """Something the launchers need could not be made; the message is for the person who called."""


@dataclass(frozen=True)
class Node:
    """A Node that is new enough, with its npm.

    Attributes:
        folder: where ``node`` and ``npm`` are.
        version: as Node says it, without the v.
    """

    folder: Path
    version: str

    def environment(self) -> dict[str, str]:
        """Ours, with this Node first: packages' own scripts look for it on the path."""
        ours = dict(os.environ)
        return {**ours, "PATH": f"{self.folder}{os.pathsep}{ours.get('PATH', '')}"}


def default_data(root: Path = REPOSITORY) -> Path:
    """Where the data are kept unless somebody says otherwise.

    In the checkout; but when root keeps that where the database's own account cannot go, outside.
    """
    if os.geteuid() != 0 or all(place.stat().st_mode & 0o001 for place in (root, *root.parents)):
        return root / ".helpdesk"
    return Path("/var/lib/helpdesk-agent", hashlib.sha256(str(root).encode()).hexdigest()[:8])


def tier_for(variables: Mapping[str, str]) -> Tier:
    """Which packages a server needs under these environment variables."""
    is_live = any(
        variables.get(name, "").strip().lower() not in values
        for name, values in _LIVE_SETTINGS.items()
    )
    return "live" if is_live else "run"


def ensure_python(root: Path = REPOSITORY, tier: Tier = "run") -> Path:
    """The interpreter of ``.venv`` with the locked packages in it.

    Each tier holds everything of those before it, so a launcher is content with what another made.

    Raises:
        ProvisionFailedError: no virtual environment could be made, or a package did not install.
    """
    locks: dict[str, str] = {name: _digest(root / file) for name, file in _LOCK_FILES.items()}
    wanted: dict[str, str] = {tier: locks[tier]}
    tiers = list[Tier](_LOCK_FILES)
    # A lock contains those before it, so having installed it we have them all.
    given: dict[str, str] = {name: locks[name] for name in tiers[: tiers.index(tier) + 1]}
    return _ensure_venv(root, root / ".venv", root / _LOCK_FILES[tier], wanted, given)


def ensure_node(root: Path = REPOSITORY) -> Node:
    """The machine's Node with its npm, or one of our own from a wheel, in ``.node-venv``.

    Raises:
        ProvisionFailedError: there is none, and none could be installed.
    """
    found = _system_node()
    if found is not None:
        return found
    lock = root / _NODE_LOCK_FILE
    stamp = {"node": _digest(lock)}
    python = _ensure_venv(root, root / ".node-venv", lock, stamp, stamp)
    version = _node_version(python.parent / "node")
    if version is None:
        raise ProvisionFailedError(
            "Node from the wheel does not run on this machine. Install Node 20.19 or newer with "
            "its npm, or start with --no-ui."
        )
    return Node(python.parent, version)


def ensure_node_modules(folder: Path, node: Node) -> None:
    """Install what ``package-lock.json`` of this folder names.

    Raises:
        ProvisionFailedError: npm failed.
    """
    stamp = folder / "node_modules" / ".provisioned"
    wanted = _digest(folder / "package.json", folder / "package-lock.json") + _node_major(node)
    if _read(stamp) == wanted:
        return
    with _alone(folder) as lock:
        if _read(stamp) == wanted:
            return
        stamp.unlink(missing_ok=True)
        _run(
            f"Installing the packages of {folder.name}",
            [str(node.folder / "npm"), "ci", "--no-audit", "--no-fund"],
            advice="Is the package registry reachable from here? Then run this again.",
            folder=folder,
            environment=node.environment(),
            lock=lock,
        )
        stamp.write_text(wanted)


def page_is_built(root: Path = REPOSITORY) -> bool:
    """Whether there is a web page at all, be it an old one."""
    return (_page(root) / "dist" / "index.html").is_file()


def page_is_current(root: Path = REPOSITORY) -> bool:
    """Whether the web page was built from the present sources, whichever Node did it."""
    return page_is_built(root) and _read(_page(root) / "dist" / ".stamp") == sources_digest(root)


def ensure_page(root: Path = REPOSITORY) -> None:
    """Build the web page unless it is current.

    Raises:
        ProvisionFailedError: no Node, npm failed, or the build did.
    """
    if page_is_current(root):
        return
    folder = _page(root)
    node = ensure_node(root)
    ensure_node_modules(folder, node)
    with _alone(folder) as lock:
        if page_is_current(root):
            return
        # From before the build: what is edited meanwhile must not count as built.
        digest = sources_digest(root)
        (folder / "dist" / ".stamp").unlink(missing_ok=True)
        _run(
            "Building the web page",
            [str(node.folder / "npm"), "run", "--silent", "build"],
            advice="The sources in frontend-vue do not build; --no-ui starts without the page.",
            folder=folder,
            environment=node.environment(),
            lock=lock,
        )
        if not page_is_built(root):
            raise ProvisionFailedError("The build of frontend-vue left no dist/index.html.")
        (folder / "dist" / ".stamp").write_text(digest)


def sources_digest(root: Path = REPOSITORY) -> str:
    """What the web page is built from: each file of ``frontend-vue`` no tool has made."""
    digest = hashlib.sha256()
    for path in _sources(_page(root)):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def has_browser() -> bool:
    """Whether the browser tests find a Chromium without our help."""
    named = os.environ.get("CHROMIUM_PATH")
    return bool(named and Path(named).is_file()) or any(map(shutil.which, _BROWSERS))


def ensure_browser(root: Path = REPOSITORY) -> None:
    """Install the npm Chromium beside the browser tests, unless the machine has one.

    Raises:
        ProvisionFailedError: no Node, or npm failed.
    """
    if not has_browser():
        ensure_node_modules(root / "tests" / "e2e" / "browser", ensure_node(root))


def _ensure_venv(
    root: Path, venv: Path, lock_file: Path, wanted: Mapping[str, str], given: Mapping[str, str]
) -> Path:
    """Install one lock file into one virtual environment.

    Args:
        root: the repository, of which one launcher at a time may change anything.
        venv: the environment's folder.
        lock_file: what to install.
        wanted: stamps that say there is nothing to do.
        given: stamps to leave.
    """
    python = venv / "bin" / "python"
    if _is_provisioned(venv, wanted):
        return python
    with _alone(root) as lock:
        if _is_provisioned(venv, wanted):  # the other launcher has just done it
            return python
        stamp = venv / "provisioned.json"
        if not _is_ready(venv) and not _can_take_over(venv):
            _make_venv(venv, lock)
        stamp.write_text(json.dumps({**_interpreter(venv), "state": "installing"}))
        _run(
            f"Installing the packages of {lock_file.name}",
            [
                str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
                "--require-hashes", "--no-deps", "--requirement", str(lock_file),
            ],
            advice="Is the package index reachable from here? Then run this again.",
            folder=root,
            lock=lock,
        )  # fmt: skip
        stamp.write_text(json.dumps({**_interpreter(venv), "state": "ready", **given}))
    return python


def _interpreter(venv: Path) -> dict[str, str]:
    """What an environment must have been made for: programs in it hold the path and the Python."""
    return {"path": str(venv), "python": platform.python_version(), "machine": platform.machine()}


def _stamp_of(venv: Path) -> dict[str, str]:
    try:
        stamp = json.loads((venv / "provisioned.json").read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _is_provisioned(venv: Path, wanted: Mapping[str, str]) -> bool:
    return _is_ready(venv) and wanted.items() <= _stamp_of(venv).items()


def _is_ready(venv: Path) -> bool:
    """Whether packages can be added to this environment; not when an install was cut short."""
    wanted = {**_interpreter(venv), "state": "ready"}
    return wanted.items() <= _stamp_of(venv).items() and (venv / "bin" / "python").exists()


def _can_take_over(venv: Path) -> bool:
    """Whether somebody made this environment by hand, with this Python and with pip."""
    if (venv / "provisioned.json").exists() or not (venv / "bin" / "pip").exists():
        return False
    made_with = f"version = {platform.python_version()}"
    return made_with in (_read(venv / "pyvenv.cfg") or "").splitlines()


def _make_venv(venv: Path, lock: int) -> None:
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        raise ProvisionFailedError(
            "This Python cannot make virtual environments. On Debian and Ubuntu install the "
            f"package python3.{sys.version_info.minor}-venv (apt install "
            f"python3.{sys.version_info.minor}-venv), then run this again."
        )
    if venv.exists():
        if not (venv / "provisioned.json").exists():
            raise ProvisionFailedError(
                f"{venv} was not made by this program. Move it away, then run this again."
            )
        shutil.rmtree(venv)
    venv.mkdir()
    (venv / "provisioned.json").write_text("{}")  # ours to remove, from the first moment
    _run(
        f"Making {venv.name}",
        [sys.executable, "-m", "venv", str(venv)],
        advice="On Debian and Ubuntu the package python3-venv may be missing.",
        folder=venv.parent,
        lock=lock,
    )


def _system_node() -> Node | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    version = _node_version(Path(node))
    # Both from one folder, or npm would run with another Node than the one we asked.
    if version is None or not _is_new_enough(version) or Path(npm).parent != Path(node).parent:
        return None
    return Node(Path(node).parent, version)


def _node_version(node: Path) -> str | None:
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.stdout.strip().removeprefix("v")


def _is_new_enough(version: str) -> bool:
    """20.19 or newer; the first releases of 22 lack what Vite asks for, and 21 never had it."""
    major, minor = (int(part) for part in version.split(".")[:2])
    return (major == 20 and minor >= 19) or (major == 22 and minor >= 12) or major > 22


def _node_major(node: Node) -> str:
    return f" node {node.version.partition('.')[0]}"


def _page(root: Path) -> Path:
    return root / "frontend-vue"


def _sources(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - _NOT_SOURCE)
        for name in sorted(files):
            yield Path(place, name)


def _digest(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in files:
        try:
            digest.update(file.read_bytes())
        except FileNotFoundError as error:
            raise ProvisionFailedError(f"{file} is missing; is this a whole checkout?") from error
    return digest.hexdigest()


def _read(file: Path) -> str | None:
    try:
        return file.read_text()
    except OSError:
        return None


@contextmanager
def _alone(folder: Path) -> Iterator[int]:
    """Be the only launcher that changes this folder; gives the lock, for a child to hold as well.

    A child that outlives a killed launcher keeps the lock, so that nobody works beside it.
    """
    lock = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"Waiting for another launcher that works in {folder} …", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock
    finally:
        os.close(lock)


def _run(
    phase: str,
    command: Sequence[str],
    *,
    advice: str,
    folder: Path,
    lock: int,
    environment: Mapping[str, str] | None = None,
) -> None:
    print(f"{phase} …", end="", flush=True)
    begin = time.monotonic()
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        pass_fds=(lock,),
        check=False,
    )
    print(f" {time.monotonic() - begin:.1f} s{' failed' if done.returncode else ''}", flush=True)
    if done.returncode:
        told = "\n".join(done.stdout.splitlines()[-_TOLD_LINES:])
        raise ProvisionFailedError(f"{told}\n{phase} failed. {advice}")
