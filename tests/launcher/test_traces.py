"""What leaves a real server for LangSmith: the spans that are asked for, and no word of anybody."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.tests.support.langsmith import Sink, sink
from tests.launcher.test_server import Server, data, demo  # noqa: F401 -- data: a fixture

Serve = Callable[..., Server]
QUESTION = (
    "Oracle Financials 403 error on budget reports. I am Wilhelmina Featherstone,"
    " wilhelmina@featherstone.example, my password is hunter2-xyz and the host is gandalf-7."
)
SAID = ("Wilhelmina", "Featherstone", "featherstone.example", "hunter2", "gandalf", "Oracle")


def environment(url: str) -> dict[str, str]:
    """Both families of names: the libraries read either by themselves."""
    return {
        f"{family}_{name}": value
        for family in ("LANGCHAIN", "LANGSMITH")
        for name, value in {
            "TRACING_V2": "true",
            "TRACING": "true",
            "ENDPOINT": url,
            "API_KEY": "lsv2-not-to-be-shown",
            "PROJECT": "helpdesk",
        }.items()
    }


class Journey:
    """One person's way through, over HTTP."""

    def __init__(self, server: Server, data: Path) -> None:  # noqa: F811
        self.server = server
        self.resumed = 0
        self.shown: list[str] = []
        self.headers = {"Authorization": f"Bearer {demo(data)[0]['token']}"}

    def post(self, what: str, **body: Any) -> dict[str, Any]:
        answer = self.server.post(f"/api/helpdesk/agent/{what}", body, **self.headers)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        turn = told.get("turn", told)
        self.resumed += what == "resume"
        # What a pause holds: it is in the graph's state and in its interrupts.
        self.shown += [turn["message"], *(turn.get("choices") or [])]
        self.shown += [turn["draft"]["title"]] if turn.get("draft") else []
        return told

    def start(self) -> dict[str, Any]:
        return self.post("start", conversation=[{"role": "user", "content": QUESTION}])

    def draft(self) -> dict[str, Any]:
        turn = self.start()
        while turn["kind"] == "question":
            named = {name: turn[name] for name in ("session_id", "pending_question_id")}
            turn = self.post("resume", **named, reply="My team; call Wilhelmina on gandalf-7")
        return turn

    def file(self) -> dict[str, Any]:
        turn = self.draft()
        names = ("session_id", "pending_question_id", "draft", "draft_digest")
        return self.post("confirm", **{name: turn[name] for name in names})


@pytest.fixture
def serve(data: Path) -> Iterator[Serve]:  # noqa: F811
    """Starts a server; one that a test did not end is ended."""
    started: list[Server] = []

    def start(**environment: str) -> Server:
        started.append(Server(data, "--demo", **environment))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.end()


@pytest.fixture
def endpoint() -> Iterator[Sink]:
    with sink() as made:
        yield made


def test_a_journey_leaves_its_spans_and_no_word(data: Path, serve: Serve, endpoint: Sink) -> None:  # noqa: F811
    server = serve(**environment(endpoint.url))
    journey = Journey(server, data)
    filed = journey.file()
    other = journey.start()
    journey.post("abort", session_id=other["session_id"])
    assert server.end() == 0

    expected = {"start": 2, "resume": journey.resumed, "confirm": 1, "abort": 1}
    roots = {name: endpoint.named(f"helpdesk_agent.{name}") for name in expected}
    assert {name: len(found) for name, found in roots.items()} == expected
    assert journey.resumed
    every = list(endpoint.spans.values())
    known = {"helpdesk_agent.start", "helpdesk_agent.resume", "helpdesk_agent.confirm"}
    known |= {"helpdesk_agent.abort", "search_existing_issues", "web_search", "retry_kb"}
    known |= {"file_ticket", "draft_ticket", "classify"}
    assert {span["name"] for span in every} <= known  # LangGraph's own would have others
    assert {"search_existing_issues", "web_search", "draft_ticket", "file_ticket"} <= {
        span["name"] for span in every
    }
    assert all(span.get("end_time") for span in every)

    of = {span["extra"]["metadata"].get("session_id") for span in every}
    assert {filed["session_id"], other["session_id"]} <= of
    [confirm] = roots["confirm"]
    told = confirm["extra"]["metadata"]
    assert (told["outcome"], told["tool_count"]) == ("filed", 1)
    assert len(told["user_id_hash"]) == 16
    assert told["state_version"]
    assert all(one["extra"]["metadata"]["turn_count"] > 0 for one in roots["resume"])
    children = [span for span in every if span.get("parent_run_id")]
    assert {span["trace_id"] for span in children} <= {
        root["id"] for found in roots.values() for root in found
    }

    assert len(journey.shown) > 5
    for word in (*SAID, *journey.shown):
        assert word.lower() not in endpoint.text.lower(), word
    assert "lsv2-not" not in endpoint.text
    assert {path for _, path in endpoint.requests} == {"/runs/multipart"}
    assert "trace_failed" not in server.said


def test_without_the_setting_nothing_is_sent(data: Path, serve: Serve, endpoint: Sink) -> None:  # noqa: F811
    quiet = environment(endpoint.url) | {"LANGCHAIN_TRACING_V2": "false"}
    server = serve(**quiet)
    Journey(server, data).file()
    assert server.end() == 0

    assert endpoint.requests == []


def test_an_endpoint_that_never_answers_harms_nobody(data: Path, serve: Serve) -> None:  # noqa: F811
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # takes connections, reads nothing
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        server = serve(**environment(url))
        turn = Journey(server, data).file()
        code = server.end()

    assert turn["kind"] == "filed"
    assert code == 0
    assert "Traceback" not in server.said
