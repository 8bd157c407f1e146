"""Rules that no linter ships, as short checks over the syntax tree."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "backend" / "app"


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(APP.rglob("*.py")):
        yield path.relative_to(APP).as_posix(), ast.parse(path.read_text())


def _calls(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr


def test_nobody_commits_but_the_unit_of_work() -> None:
    found = {
        name
        for name, tree in _modules()
        if {"commit", "rollback", "begin"} & set(_calls(tree)) and name != "db/uow.py"
    }

    assert found == set()


def test_no_file_is_named_for_what_does_not_fit_elsewhere() -> None:
    shunned = {"utils", "helpers", "common", "misc", "util", "helper"}

    assert not {path.stem for path in APP.rglob("*") if path.stem in shunned}


def test_every_module_says_what_it_is_for() -> None:
    assert not [name for name, tree in _modules() if not ast.get_docstring(tree)]


def test_blanket_excepts_stand_in_the_named_places_only() -> None:
    # The supervisors of tasks, of periodic work, of requests and of runs; models' answers; the
    # wrapper of traces; a checkup of parts whose libraries may raise anything.
    allowed = {
        "core/tasks.py",
        "core/periodic.py",
        "api/middleware.py",
        "services/runs/engine.py",
        "providers/llm/chat.py",  # whatever a model's library raises over whatever was answered
        "services/helpdesk_graph/tracing.py",
        "services/checkup/checks.py",
    }
    found = set()
    for name, tree in _modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and (
                node.type is None
                or (
                    isinstance(node.type, ast.Name)
                    and node.type.id in {"Exception", "BaseException"}
                )
            ):
                found.add(name)

    assert found == allowed


def test_endpoints_hold_no_rule() -> None:
    long = []
    for name, tree in _modules():
        if not name.startswith("api/"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list:
                body = node.body[1:] if ast.get_docstring(node) else node.body
                lines = (body[-1].end_lineno or 0) - body[0].lineno + 1
                if lines > 20:
                    long.append((name, node.name, lines))

    assert long == []


def test_reads_of_what_people_own_take_the_owner() -> None:
    tree = ast.parse((APP / "db" / "repositories" / "chat.py").read_text())
    scoped_by_caller = {
        "messages",
        "answer_to",
        "question_by_key",
        "add_question",
        "add_answer",
        "add_agent_line",
        "change_agent_line",
        "add_notice",
    }
    unscoped = []
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_"):
            names = {argument.arg for argument in [*node.args.args, *node.args.kwonlyargs]}
            is_named_so = node.name.endswith("_unscoped") or node.name in scoped_by_caller
            if "owner" not in names and not is_named_so:
                unscoped.append(node.name)

    assert unscoped == []


def test_files_stay_in_their_rooms() -> None:
    """The tail is what is watched; each exception has its reason."""
    reasoned = {
        "db/embedded.py": "one module in front of a young package; every pit has its remedy here"
    }
    long = {
        path.relative_to(APP).as_posix()
        for path in APP.rglob("*.py")
        if len(path.read_text().splitlines()) > 320
    }

    assert long == set(reasoned)
