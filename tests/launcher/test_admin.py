"""What an administrator does about agent sessions, beside a running server and without one."""

import json
from pathlib import Path

import psycopg

from backend.app.db import embedded
from tests.launcher.test_server import Server, admin, data, demo  # noqa: F401 -- data: a fixture

QUESTION = "Oracle Financials 403 error on budget reports"
UNKNOWN = "00000000-0000-4000-8000-000000000000"


def _begin(server: Server, token: str) -> str:
    asked = server.post(
        "/api/helpdesk/agent/start",
        {"conversation": [{"role": "user", "content": QUESTION}]},
        Authorization=f"Bearer {token}",
    )
    assert asked.status_code == 200, asked.text
    return str(asked.json()["session_id"])


def test_sessions_can_be_listed_shown_and_ended(data: Path) -> None:  # noqa: F811
    server = Server(data, "--demo")
    token = demo(data)[0]["token"]
    session_id = _begin(server, token)

    listed = admin(data, "list").stdout
    [line] = listed.splitlines()
    hashed = line.rpartition("\t")[2]
    assert line.startswith(session_id)
    assert "awaiting_user" in line
    assert admin(data, "list", "--user-id-hash", hashed).stdout == listed
    shown = json.loads(admin(data, "show", "--session-id", session_id).stdout)
    assert [step["action"] for step in shown["steps"]] == [
        "search_duplicates",
        "web_search",
        "ask_user",
    ]
    assert "aborted" in admin(data, "abort", "--session-id", session_id).stdout
    server.end()

    assert "aborted (user)" in admin(data, "list").stdout  # without a server too
    assert admin(data, "gc").stdout == "0 sessions expired, 0 threads forgotten\n"


def test_what_is_not_there_is_refused_in_a_sentence(data: Path) -> None:  # noqa: F811
    server = Server(data, "--demo")
    refused = [
        admin(data, "show", "--session-id", UNKNOWN),
        admin(data, "abort", "--session-id", UNKNOWN),
        admin(data, "list", "--user-id-hash", "0"),
        admin(data, "users", "disable", "nobody"),
        admin(data, "issues", "--retry", "1"),
    ]
    assert admin(data, "issues").stdout == ""
    server.end()

    assert [done.returncode for done in refused] == [1] * len(refused)
    assert all(done.stderr.startswith("Refused: ") for done in refused)
    assert not [done for done in refused if "Traceback" in done.stderr]


def test_a_switch_acts_on_the_running_server_until_it_is_left_to_the_settings(
    data: Path,  # noqa: F811
) -> None:
    server = Server(data, "--demo")
    token = demo(data)[0]["token"]
    waiting = _begin(server, token)
    said = {"conversation": [{"role": "user", "content": QUESTION}]}
    owner = {"Authorization": f"Bearer {token}"}

    assert admin(data, "switch", "kill_switch", "on").stdout == "kill_switch: on\n"
    refused = server.post("/api/helpdesk/agent/start", said, **owner)
    ended = server.post("/api/helpdesk/agent/abort", {"session_id": waiting}, **owner)
    assert (refused.status_code, refused.json()["error"]) == (503, "kill_switch_on")
    assert refused.headers["retry-after"]
    assert ended.status_code == 200  # an abort is never refused
    assert admin(data, "switch", "kill_switch", "default").stdout == "kill_switch: off\n"
    assert server.post("/api/helpdesk/agent/start", said, **owner).status_code == 200
    server.end()


def _facts(data: Path) -> list[tuple[str, str]]:  # noqa: F811
    """Kind and reason of every fact about the agent, in the order in which they were told."""
    with embedded.start(data / "postgres") as server, psycopg.connect(server.dsn) as connection:
        rows = connection.execute(
            "SELECT kind, coalesce(data ->> 'reason', data ->> 'name', '') FROM facts"
            " WHERE kind LIKE 'agent.%' ORDER BY id"
        ).fetchall()
    return [(kind, told) for kind, told in rows]


def test_without_a_server_the_same_is_done_and_told(data: Path) -> None:  # noqa: F811
    server = Server(data, "--demo")
    token = demo(data)[0]["token"]
    ended_beside = _begin(server, token)
    assert "aborted" in admin(data, "abort", "--session-id", ended_beside).stdout
    ended_alone = _begin(server, token)
    server.end()
    ending = [kind for kind, _ in _facts(data)][-6:]

    said = [
        admin(data, "show", "--session-id", ended_alone),
        admin(data, "abort", "--session-id", ended_alone),
        admin(data, "abort", "--session-id", ended_alone),  # twice is once
        admin(data, "switch", "tool_web_search", "off"),
        admin(data, "gc"),
    ]
    facts = _facts(data)

    assert [done.returncode for done in said] == [0] * len(said)
    assert said[1].stdout == said[2].stdout == f"{ended_alone}: aborted (user)\n"
    ends = [one for one in facts if one[0] in {"agent.outcome", "agent.aborted"}]
    assert ends == [("agent.outcome", "user"), ("agent.aborted", "user")] * 2
    assert facts[-1] == ("agent.switch_set", "tool_web_search")
    assert "agent.awaiting_user" in ending


def test_what_is_shown_holds_no_secret_that_was_written(data: Path) -> None:  # noqa: F811
    server = Server(data, "--demo")
    asked = server.post(
        "/api/helpdesk/agent/start",
        {"conversation": [{"role": "user", "content": f"{QUESTION}, my password is hunter2-xyz!"}]},
        Authorization=f"Bearer {demo(data)[0]['token']}",
    )
    shown = admin(data, "show", "--session-id", asked.json()["session_id"])
    listed = admin(data, "list")
    server.end()

    assert shown.returncode == 0
    assert "hunter2" not in shown.stdout + listed.stdout
    assert "Oracle" not in listed.stdout  # a list says nothing of what was written


def test_a_command_without_a_database_says_so_in_a_sentence(data: Path) -> None:  # noqa: F811
    for verb in (["list"], ["gc"], ["switch"], ["show", "--session-id", UNKNOWN]):
        away = admin(data, *verb, DATABASE_URL="postgresql://ada:pass-zq9@127.0.0.1:9/none")
        assert away.returncode == 1
        assert away.stderr.startswith("Refused: ")
        assert "pass-zq9" not in away.stderr
