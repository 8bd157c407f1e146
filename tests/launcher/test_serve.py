"""``scripts/serve`` on a stub checkout: what it refuses, and what it hands to the server."""

import ast
import json
import os
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]

SERVER = """
import json, sys
print(json.dumps({"arguments": sys.argv[1:], "python": sys.executable, "path": sys.path}))
"""


@pytest.fixture(scope="module")
def checkout() -> Iterator[Path]:
    """The launcher, locks that name no package, and a server that only tells what it was given."""
    root = Path(tempfile.mkdtemp(prefix="hd-serve-"))
    root.chmod(0o755)
    (root / "scripts").mkdir()
    for name in ("serve", "provision.py"):
        shutil.copy(REPOSITORY / "scripts" / name, root / "scripts" / name)
    (root / "scripts/server.py").write_text(SERVER)
    for name in ("requirements.lock", "requirements-live.lock", "requirements-dev.lock"):
        (root / name).touch()
    yield root
    shutil.rmtree(root)


def serve(
    root: Path, *arguments: str, folder: Path = Path("/")
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [root / "scripts/serve", *arguments],
        cwd=folder,
        env={**os.environ, "PATH": f"/nowhere{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def given(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


@pytest.mark.parametrize("arguments", [["--prot", "1"], ["--po", "1"], ["--port", "x"], ["more"]])
def test_what_the_server_would_not_understand_is_refused_first(
    checkout: Path, arguments: list[str]
) -> None:
    before = sorted(checkout.iterdir())
    done = serve(checkout, *arguments)

    assert done.returncode == 2
    assert "usage: scripts/serve" in done.stderr
    assert sorted(checkout.iterdir()) == before


def test_the_server_gets_the_arguments_as_they_were(checkout: Path) -> None:
    arguments = ["--port", "0", "--host", "::1", "--data", "here", "--demo", "--no-ui"]
    arguments += ["--insecure-http", "--sample-kb"]

    told = given(serve(checkout, *arguments))

    assert told["arguments"] == arguments
    assert told["python"] == str(checkout / ".venv/bin/python")


def test_without_a_folder_the_data_are_beside_the_program(checkout: Path) -> None:
    told = given(serve(checkout, "--no-ui"))

    assert told["arguments"] == ["--no-ui", "--data", str(checkout / ".helpdesk")]


def test_no_module_is_taken_from_where_one_stands(checkout: Path, tmp_path: Path) -> None:
    told = given(serve(checkout, "--no-ui", folder=tmp_path))

    assert told["path"][0] == str(checkout)
    assert str(tmp_path) not in told["path"]
    assert "" not in told["path"]


def test_without_a_page_the_server_is_told(checkout: Path) -> None:
    (checkout / "frontend-vue").mkdir(exist_ok=True)
    done = serve(checkout)

    assert "Going on without the web page" in done.stdout
    assert "--no-ui" in given(done)["arguments"]


@pytest.mark.skipif(os.geteuid() != 0, reason="concerns a program that runs as root")
def test_root_keeps_the_data_where_the_database_can_go(checkout: Path) -> None:
    checkout.chmod(0o700)
    done = serve(checkout, "--no-ui")
    checkout.chmod(0o755)

    [_, option, folder] = given(done)["arguments"]
    assert option == "--data"
    assert Path(folder).parent == Path("/var/lib/helpdesk-agent")
    # Not always the first line: the first start of all also tells what it makes.
    assert [line for line in done.stdout.splitlines() if folder in line]


def test_a_second_start_takes_no_time(checkout: Path) -> None:
    serve(checkout, "--no-ui")
    begin = time.perf_counter()
    serve(checkout, "--no-ui")

    assert time.perf_counter() - begin < 1  # measured 0.1 s, and the machine may be busy


@pytest.mark.parametrize("name", ["serve", "test"])
def test_an_old_python_can_read_the_launcher_as_far_as_its_sentence(name: str) -> None:
    launcher = REPOSITORY / "scripts" / name
    tree = ast.parse(launcher.read_text(), feature_version=(3, 5))
    newer = (ast.JoinedStr, ast.NamedExpr, ast.AnnAssign, ast.Match)

    assert [node.lineno for node in ast.walk(tree) if isinstance(node, newer)] == []
    assert stat.S_IMODE(launcher.stat().st_mode) & 0o111 == 0o111
