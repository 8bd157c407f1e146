"""The doctor, through the command line: beside a server, without one, and without a database."""

import json
import signal
import socket
from pathlib import Path
from typing import Any

import psycopg

from tests.launcher.test_server import Server, admin, data  # noqa: F401 -- data: a fixture

SECRET = "zq9-not-to-be-shown"


def look(data: Path, **environment: str) -> tuple[int, dict[str, dict[str, Any]]]:  # noqa: F811
    """The exit code, and what is found by part; the worst where a part has several."""
    done = admin(data, "doctor", "--json", **environment)
    assert "Traceback" not in done.stderr, done.stderr
    assert SECRET not in done.stdout + done.stderr
    whole = json.loads(done.stdout)
    assert whole["ok"] is (done.returncode == 0)
    order = ["ok", "not_checked", "warn", "fail"]
    found = sorted(whole["findings"], key=lambda one: order.index(one["mark"]))
    return done.returncode, {one["part"]: one for one in found}


def marks(found: dict[str, dict[str, Any]], *parts: str) -> list[str]:
    return [found[part]["mark"] for part in parts]


DATABASE = ("database", "schema", "checkpoint_tables", "clock", "connections", "fact_readers")


def test_a_helpdesk_is_well_while_it_runs_and_while_it_does_not(data: Path) -> None:  # noqa: F811
    server = Server(data)
    code, running = look(data)
    said = admin(data, "doctor").stdout
    server.end()
    code_stopped, stopped = look(data)

    assert code == code_stopped == 0
    for found in (running, stopped):
        assert marks(found, *DATABASE, "embedded_server", "log_folder") == ["ok"] * 8
    assert running["server"]["mark"] == "ok"
    assert stopped["server"]["mark"] == "not_checked"
    assert "started for this look" in stopped["embedded_server"]["told"]
    assert " 0 fail" in said


def test_a_server_that_was_killed_is_told(data: Path) -> None:  # noqa: F811
    server = Server(data)
    server.end(signal.SIGKILL)
    code, found = look(data)
    Server(data).end()  # takes the database over that was left running, and ends it

    assert code == 0
    assert marks(found, "server", "database") == ["warn", "ok"]


def test_a_folder_without_a_helpdesk_is_not_well(data: Path) -> None:  # noqa: F811
    code, found = look(data)

    assert code == 1
    assert marks(found, "embedded_server", "database") == ["fail", "not_checked"]
    assert not data.exists()  # looking makes nothing


def test_a_database_that_is_away_is_told_without_its_password(data: Path) -> None:  # noqa: F811
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        url = f"postgresql://ada:{SECRET}@127.0.0.1:{port}/helpdesk"
        code, found = look(data, DATABASE_URL=url)

    assert code == 1
    assert found["database"]["mark"] == "fail"
    assert marks(found, "schema", "jobs", "clock") == ["not_checked"] * 3
    assert found["settings"]["mark"] == "ok"  # the rest is looked at all the same


def test_what_is_wrong_with_the_database_is_told(data: Path) -> None:  # noqa: F811
    server = Server(data)
    dsn = json.loads((data / "server.json").read_text())["database_url"]
    with psycopg.connect(dsn.replace("postgresql+asyncpg", "postgresql")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'another'")
        connection.execute("DELETE FROM checkpoint_migrations WHERE v = 0")
        connection.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, status)"
            " VALUES ('x', 'x', 'failed')"
        )
        connection.execute(  # without one, the job would count as ended long ago
            "INSERT INTO procrastinate_events (job_id, type)"
            " SELECT id, 'failed' FROM procrastinate_jobs WHERE task_name = 'x'"
        )
        connection.execute(
            "INSERT INTO runs (thread_id, kind, owner, epoch, attempt, lease_until, allowance)"
            " VALUES (gen_random_uuid(), 'helpdesk', gen_random_uuid(), 1, 9,"
            " now() - interval '1 hour', '1 minute')"
        )
        connection.commit()
        code, found = look(data, HELPDESK_RUN_MAX_CLOCK_SKEW_SECONDS="0.05")
    server.end()

    assert code == 1
    assert marks(found, "schema", "checkpoint_tables") == ["fail", "fail"]
    assert found["jobs"]["mark"] == "warn"
    assert "another" in found["schema"]["told"]


def test_settings_that_are_wrong_are_named_without_their_values(data: Path) -> None:  # noqa: F811
    code, found = look(data, HELPDESK_PORT=SECRET, HELPDESK_METRIC_TOKEN=SECRET)

    assert code == 1
    assert "HELPDESK_PORT" in found["settings"]["told"]
    assert "meant: HELPDESK_METRICS_TOKEN?" in found["setting_names"]["told"]


def test_an_unsafe_start_is_foretold(data: Path) -> None:  # noqa: F811
    code, found = look(data, HELPDESK_HOST="0.0.0.0")

    assert code == 1
    assert "HELPDESK_HOST" in found["settings"]["told"]


def test_a_log_folder_that_is_a_file_is_told(data: Path) -> None:  # noqa: F811
    logs = data.parent / "logs"
    logs.write_text("")
    code, found = look(data, HELPDESK_LOG_DIR=str(logs))

    assert code == 1
    assert found["log_folder"]["mark"] == "fail"
