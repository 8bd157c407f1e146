"""Holds what came of a scenario against what it expects."""

from collections.abc import Callable, Mapping
from typing import Any

from backend.tests.eval.scenario import Expect, Never, Tool, Words
from backend.tests.eval.stage import Played

#: Facts name the search of tickets by its action.
_TOOLS = {"search_duplicates": Tool.SEARCH_EXISTING_ISSUES.value}


#: What is expected of a draft: without one, none of it can be looked at.
_OF_DRAFTS = {
    *("draft_title_contains", "draft_body_contains", "draft_body_lacks"),
    *("severity", "impact", "category"),
}


def _drafts(played: Played) -> list[dict[str, Any]]:
    return [turn for turn in played.journey.turns if turn.get("draft")]


def _last_draft(played: Played) -> dict[str, Any]:
    return _drafts(played)[-1]


def _questions(played: Played) -> list[str]:
    asked: dict[str, str] = {}
    for turn in played.journey.turns:
        if turn["kind"] == "question" and turn.get("question_number"):
            asked.setdefault(turn["pending_question_id"], turn["message"])
    return list(asked.values())


def _proposals(played: Played) -> int:
    turns = played.journey.turns
    return len({turn["pending_question_id"] for turn in turns if turn.get("proposal")})


def _candidates(played: Played) -> tuple[int, ...]:
    shown = [turn for turn in played.journey.turns if turn.get("pending_question_id")]
    return tuple(one["number"] for one in (shown[-1].get("candidates") or []) if shown)


def _tool_calls(played: Played) -> list[Mapping[str, Any]]:
    return [one["data"] for one in played.facts if one["kind"] == "agent.tool_call"]


def _tools_of(calls: list[Mapping[str, Any]]) -> tuple[Tool, ...]:
    return tuple(Tool(_TOOLS.get(one["tool"], one["tool"])) for one in calls)


def _filed(played: Played) -> list[Any]:
    return [one for one in played.tickets if one["agent_session_id"] is not None]


def _linked(played: Played) -> int | None:
    turn = played.journey.turn
    return turn["ticket_number"] if turn["kind"] == "linked" else None


#: What is compared for equality, by the key of the expectation.
EQUAL: dict[str, Callable[[Played], Any]] = {
    "final_kind": lambda played: played.journey.turn["kind"],
    "outcome": lambda played: played.view.outcome,
    "reason": lambda played: played.view.reason,
    "questions_asked": lambda played: len(_questions(played)),
    "proposals_made": _proposals,
    "tools_invoked": lambda played: _tools_of(_tool_calls(played)),
    "tool_results": lambda played: tuple(one["outcome"] for one in _tool_calls(played)),
    "steps": lambda played: tuple(one.action for one in played.view.steps),
    "decisions_refused": lambda played: sum(one.is_refused for one in played.deciding.noted),
    "duplicate_candidates_count": lambda played: len(_candidates(played)),
    "candidates": _candidates,
    "severity": lambda played: _last_draft(played)["draft"]["severity"],
    "impact": lambda played: _last_draft(played)["draft"]["impact"],
    "category": lambda played: _last_draft(played)["draft"]["category"],
    "tickets_filed": lambda played: len(_filed(played)),
    "linked_to": _linked,
    "refused": lambda played: tuple(played.journey.refused),
}  # fmt: skip
#: What must contain words.
HOLDS: dict[str, Callable[[Played], str]] = {
    "draft_title_contains": lambda played: _last_draft(played)["draft"]["title"],
    "draft_body_contains": lambda played: _last_draft(played)["body_preview"],
    "message_contains": lambda played: played.journey.turn["message"],
    "ticket_title_contains": lambda played: "\n".join(one["title"] for one in _filed(played)),
    "ticket_body_contains": lambda played: "\n".join(one["body"] for one in _filed(played)),
}


def _each(words: Words) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else words


def _unequal(expect: Expect, played: Played) -> list[str]:
    found = []
    for key in sorted(expect.model_fields_set & EQUAL.keys() | {"refused"}):
        wanted, actual = getattr(expect, key), EQUAL[key](played)
        if wanted != actual:
            found.append(f"{key}: expected {_plain(wanted)}, and it was {_plain(actual)}")
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return getattr(value, "value", value)


def _missing(expect: Expect, played: Played) -> list[str]:
    return [
        f"{key}: {words!r} is not in {HOLDS[key](played)!r}"
        for key in sorted(expect.model_fields_set & HOLDS.keys())
        for words in _each(getattr(expect, key))
        if words not in HOLDS[key](played)
    ]


def _asked(expect: Expect, played: Played) -> list[str]:
    if expect.asked is None:
        return []
    questions = _questions(played)
    pairs = list(zip(expect.asked, questions, strict=False))
    is_as_wanted = len(expect.asked) == len(questions) and all(
        wanted in question for wanted, question in pairs
    )
    return [] if is_as_wanted else [f"asked: expected {expect.asked}, and it was {questions}"]


#: What must not contain words.
LACKS: dict[str, Callable[[Played], str]] = {
    "draft_body_lacks": lambda played: _last_draft(played)["body_preview"],
    "ticket_body_lacks": lambda played: "\n".join(one["body"] for one in _filed(played)),
}


def _too_much(expect: Expect, played: Played) -> list[str]:
    found = [
        f"{key}: {words!r} is there"
        for key in sorted(expect.model_fields_set & LACKS.keys())
        for words in _each(getattr(expect, key))
        if words in LACKS[key](played)
    ]
    return found + [
        f"never: {one if isinstance(one, str) else one.model_dump(exclude_none=True)}"
        for one in expect.never
        if _is_there(one, played)
    ]


def _is_there(never: str | Never, played: Played) -> bool:
    if isinstance(never, str):
        return bool(_filed(played)) if never == "ticket" else bool(played.followers)
    if never.action is not None:
        return never.action in EQUAL["steps"](played)
    if never.tool is not None:
        return any(tool is never.tool for tool, _ in played.props.calls)
    if never.kind is not None:
        return any(turn["kind"] == never.kind for turn in played.journey.turns)
    assert never.text is not None
    own = "\n".join(f"{one['title']}\n{one['body']}" for one in _filed(played))
    return never.text in f"{played.journey.shown_text}\n{own}"


def differences(expect: Expect, played: Played) -> list[str]:
    """Where it came out otherwise than expected; empty when it came out right."""
    if expect.model_fields_set & _OF_DRAFTS and not _drafts(played):
        return [f"final_kind: no draft was shown, and it was {EQUAL['final_kind'](played)}"]
    return [
        *_unequal(expect, played),
        *_asked(expect, played),
        *_missing(expect, played),
        *_too_much(expect, played),
    ]
