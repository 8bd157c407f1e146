"""The wrapper around every tool: switch, budget, memory, redaction, time, repetition, size."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from backend.app.core.errors import Forbidden, Invalid, TooMany, Unavailable, Upstream
from backend.app.domain.sessions import StepStatus
from backend.app.services.helpdesk.github import CONFIRM_SECONDS
from backend.app.services.tools.bounded import (
    BOUNDS,
    CAUSES,
    MAX_RESULT_BYTES,
    Asked,
    Bounds,
    ToolMemory,
    ToolResult,
    use,
)

PAGE = {"title": "t", "url": "https://example.org/", "snippet": "s"}


class _Tool:
    """A tool that answers as it is told to, the last way for ever; ``asked`` is what it was."""

    def __init__(self, *answers: Sequence[Any] | Exception) -> None:
        self.answers = list(answers or [[PAGE]])
        self.asked: list[str] = []

    async def __call__(self, query: str) -> Sequence[Any]:
        self.asked.append(query)
        await asyncio.sleep(0)  # another use may come in between
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class _Pauses:
    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


def _asked(
    query: str = "vpn drops",
    tool: str = "web_search",
    *,
    is_on: bool = True,
    limit: int = 2,
    left: float = 60.0,
) -> Asked:
    return Asked(tool, query, is_on, limit, lambda: left)


async def _use(tool: Any, asked: Asked, memory: ToolMemory | None = None) -> ToolResult:
    return await use(asked, tool, memory or ToolMemory(), pause=_Pauses())


def test_the_bounds_are_those_that_were_asked_for() -> None:
    assert dict(BOUNDS) == {
        "retry_kb": Bounds(12.0, 0),
        "web_search": Bounds(10.0, 1),
        "search_existing_issues": Bounds(8.0, 1),
    }
    assert CONFIRM_SECONDS == 15.0


@pytest.mark.parametrize(
    ("tool", "answer", "calls", "status", "cause"),
    [
        ("web_search", [PAGE], 1, StepStatus.OK, "ok"),
        ("web_search", [], 1, StepStatus.EMPTY, "empty"),
        ("web_search", Unavailable(), 2, StepStatus.FAILED, "unavailable"),
        ("web_search", Forbidden(), 1, StepStatus.FAILED, "forbidden"),
        ("web_search", TooMany(), 1, StepStatus.FAILED, "too_many"),
        ("web_search", Upstream(), 1, StepStatus.FAILED, "upstream"),
        ("web_search", Invalid(), 1, StepStatus.FAILED, "invalid"),
        ("web_search", TimeoutError(), 1, StepStatus.TIMED_OUT, "timed_out"),
        ("search_existing_issues", Unavailable(), 2, StepStatus.FAILED, "unavailable"),
        ("retry_kb", Unavailable(), 1, StepStatus.FAILED, "unavailable"),
    ],
)
async def test_how_a_call_went_is_the_result_and_only_an_outage_is_called_again(
    tool: str, answer: Any, calls: int, status: StepStatus, cause: str
) -> None:
    made = _Tool(answer)
    result = await _use(made, _asked(tool=tool))

    assert (result.status, result.cause, len(made.asked)) == (status, cause, calls)
    assert result.cause in CAUSES


async def test_an_outage_that_passes_is_no_failure_and_is_waited_for_a_little() -> None:
    pauses = _Pauses()
    made = _Tool(Unavailable(), [PAGE])

    result = await use(_asked(), made, ToolMemory(), pause=pauses)

    assert result.items == [PAGE]
    assert pauses.taken == [0.2]


async def test_a_fault_of_ours_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        await _use(_Tool(ZeroDivisionError()), _asked())


async def test_a_call_that_never_ends_is_left_when_the_sessions_time_is_up() -> None:
    async def never(_query: str) -> Sequence[Any]:
        await asyncio.Event().wait()
        return ()

    assert (await _use(never, _asked(left=0.02))).status is StepStatus.TIMED_OUT


async def test_repetitions_do_not_lengthen_a_uses_time() -> None:
    async def forever(_seconds: float) -> None:
        await asyncio.Event().wait()

    made = _Tool(Unavailable())
    result = await use(_asked(left=0.02), made, ToolMemory(), pause=forever)

    assert result.status is StepStatus.TIMED_OUT


async def test_without_time_nothing_is_called() -> None:
    made = _Tool()

    assert (await _use(made, _asked(left=0.0))).status is StepStatus.TIMED_OUT
    assert made.asked == []


async def test_what_is_switched_off_is_not_called() -> None:
    made = _Tool()

    assert (await _use(made, _asked(is_on=False))).status is StepStatus.SWITCHED_OFF
    assert made.asked == []


async def test_a_query_leaves_without_its_secrets() -> None:
    made = _Tool()
    await _use(made, _asked("my password is Tr0ub4dor&3xyz and it fails"))

    assert made.asked == ["my password is [redacted: password] and it fails"]


@pytest.mark.parametrize("secret", ["ghp_" + "a1B2" * 9, "536-90-4399", "4111 1111 1111 1111"])
async def test_a_query_of_nothing_but_a_secret_does_not_leave(secret: str) -> None:
    made = _Tool()
    result = await _use(made, _asked(secret))

    assert (result.status, result.cause) == (StepStatus.BLOCKED, "nothing_to_send")
    assert made.asked == []


async def test_the_same_query_is_called_once_whatever_its_case_and_spaces() -> None:
    made, memory = _Tool(), ToolMemory()
    first = await _use(made, _asked("VPN  drops"), memory)
    again = await _use(made, _asked("vpn drops "), memory)

    assert (first.is_cached, again.is_cached) == (False, True)
    assert again.items == first.items == [PAGE]
    assert made.asked == ["VPN  drops"]
    assert memory.used["web_search"] == 1


async def test_that_nothing_was_found_is_remembered_too_but_no_failure_is() -> None:
    memory = ToolMemory()
    nothing, failing = _Tool([]), _Tool(Forbidden(), [PAGE])
    for _ in range(2):
        await _use(nothing, _asked("a"), memory)
    failed = await _use(failing, _asked("b"), memory)
    assert failed.status is StepStatus.FAILED
    memory.used.clear()
    assert (await _use(failing, _asked("b"), memory)).items == [PAGE]

    assert len(nothing.asked) == 1


async def test_each_tool_remembers_its_own() -> None:
    made, memory = _Tool(), ToolMemory()
    await _use(made, _asked(tool="web_search"), memory)
    await _use(made, _asked(tool="search_existing_issues"), memory)

    assert len(made.asked) == 2


async def test_what_an_earlier_run_knew_and_used_counts() -> None:
    made, memory = _Tool(), ToolMemory()
    memory.recall("web_search", {"vpn drops": [PAGE]}, 2)
    memory.recall("web_search", {}, 1)  # never less

    assert (await _use(made, _asked(), memory)).is_cached
    assert (await _use(made, _asked("another"), memory)).cause == "over_budget"
    assert made.asked == []


async def test_uses_at_the_same_time_stay_within_the_budget() -> None:
    made, memory = _Tool(), ToolMemory()
    asked = [_asked(f"query {number}", limit=2) for number in range(20)]
    results = await asyncio.gather(*(_use(made, one, memory) for one in asked))

    assert len(made.asked) == memory.used["web_search"] == 2
    assert [one.status for one in results].count(StepStatus.BLOCKED) == 18


async def test_the_same_query_at_the_same_time_is_called_once() -> None:
    made, memory = _Tool(), ToolMemory()
    results = await asyncio.gather(*(_use(made, _asked(), memory) for _ in range(20)))

    assert len(made.asked) == 1
    assert [one.is_cached for one in results].count(False) == 1


async def test_a_result_holds_only_so_much_the_best_first() -> None:
    big = [{"title": str(n), "snippet": "ä" * (MAX_RESULT_BYTES // 8)} for n in range(9)]
    result = await _use(_Tool(big), _asked())

    assert [one["title"] for one in result.items] == ["0", "1", "2"]
    assert result.is_cut
    assert (await _use(_Tool([{"s": "x" * MAX_RESULT_BYTES}]), _asked())).status is StepStatus.EMPTY


async def test_who_tells_what_may_leave_is_handed_in_and_holds_everything_back_by_failing() -> None:
    async def nobody_named(text: str) -> str:
        return text.replace("Maya Rossi", "")

    async def cannot_tell(_text: str) -> str:
        raise Unavailable

    made, memory = _Tool(), ToolMemory()
    await use(_asked("vpn of Maya Rossi"), made, memory, leaves=nobody_named)
    nothing = await use(_asked("Maya Rossi"), made, ToolMemory(), leaves=nobody_named)
    held = await use(_asked("vpn"), made, memory, leaves=cannot_tell)

    assert made.asked == ["vpn of "]
    assert (nothing.status, nothing.cause) == (StepStatus.BLOCKED, "nothing_to_send")
    assert (held.status, held.cause) == (StepStatus.FAILED, "unavailable")
    assert memory.used["web_search"] == 2
