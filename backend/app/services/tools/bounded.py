"""The one wrapper around a tool: a tool itself is its call and its parsing.

It looks at switch and budget once more, answers a repeated query from the session's memory, takes
secrets out of what leaves the house, holds the call to its time and tries again where that may
help. A tool never raises for what may be foreseen: its result says how it went.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from backend.app.core.errors import AppError, ErrorKind
from backend.app.db.uow import refuse_inside_unit_of_work
from backend.app.domain.redaction import redact
from backend.app.domain.sessions import StepStatus

#: Before the first and the second repetition.
BACKOFF_SECONDS = (0.2, 0.6)
#: What a result may hold, as JSON. Checkpoints, prompts and pages carry it.
MAX_RESULT_BYTES = 32_000
#: Why nothing was called: the session's budget for the tool is used up, or nothing of the query is
#: left once secrets are taken out.
OVER_BUDGET, NOTHING_TO_SEND = "over_budget", "nothing_to_send"
#: Every ``cause`` that a result may have: how it went, and of a failure or refusal what kind.
CAUSES = frozenset(
    {one.value for one in StepStatus if one is not StepStatus.RUNNING}
    | {one.value for one in ErrorKind}
    | {OVER_BUDGET, NOTHING_TO_SEND}
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a use may take in all, in seconds, and how often a call is repeated that met a
    connection error or a server's own fault. What was refused is never asked again.
    """

    seconds: float
    retries: int = 0


BOUNDS: Mapping[str, Bounds] = {
    "retry_kb": Bounds(12.0),
    "web_search": Bounds(10.0, retries=1),
    "search_existing_issues": Bounds(8.0, retries=1),
}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back, as JSON values; ``status`` is never ``running``.

    ``cause`` is one of ``CAUSES``. ``is_cut``: there was more than a result may hold.
    """

    status: StepStatus
    items: list[Any] = field(default_factory=list)
    cause: str = ""
    is_cached: bool = False
    is_cut: bool = False

    def __post_init__(self) -> None:
        if not self.cause:
            object.__setattr__(self, "cause", self.status.value)


class PartlyFailed(AppError):
    """Of several places that were searched, one gave no answer."""

    def __init__(
        self, items: Sequence[Any], why: ErrorKind, *, retry_after: timedelta | None = None
    ) -> None:
        super().__init__(retry_after=retry_after)
        #: What the others found.
        self.items = list(items)
        self.why = why


@dataclass(slots=True)
class ToolMemory:
    """What the uses of tools in one run share: results by tool and normalised query, and how often
    each tool was used. A tool's uses come one after the other, so that neither budget nor memory
    is passed by two at once.
    """

    results: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)

    def recall(self, tool: str, known: Mapping[str, list[Any]], used: int) -> None:
        """Take in what the session knew before this run."""
        self.results[tool] = {**known, **self.results.get(tool, {})}
        self.used[tool] = max(used, self.used.get(tool, 0))

    def turn(self, tool: str) -> asyncio.Lock:
        """What a use of the tool holds while it lasts."""
        return self._turns.setdefault(tool, asyncio.Lock())


@dataclass(frozen=True, slots=True)
class Asked:
    """One use of a tool: what for, whether it is switched on, how often the session may use it, and
    how many seconds the session has left.
    """

    tool: str
    query: str
    is_on: bool
    limit: int
    time_left: Callable[[], float]


Call = Callable[[str], Awaitable[Sequence[Any]]]
Pause = Callable[[float], Awaitable[None]]
#: What of a text may leave the house; an error of ours holds all of it back.
Leaves = Callable[[str], Awaitable[str]]
_MARK = re.compile(r"\[redacted: [^\]\n]{1,40}\]")


async def without_secrets(text: str) -> str:
    """``text`` as any tool may be asked with it."""
    return redact(text).text


def normalised(query: str) -> str:
    """A query as the memory knows it: case and spaces do not count."""
    return " ".join(query.casefold().split())


async def use(
    asked: Asked,
    call: Call,
    memory: ToolMemory,
    *,
    leaves: Leaves = without_secrets,
    pause: Pause = asyncio.sleep,
) -> ToolResult:
    """Use a tool within its bounds; of its query goes out what ``leaves`` lets go.

    Raises:
        TransactionHeldAcrossWait: a unit of work is open.
        Exception: any other fault of ours, which no result hides.
    """
    refuse_inside_unit_of_work(f"The tool {asked.tool}")
    try:
        query = await leaves(asked.query)
    except AppError as error:  # it could not be told what may leave, so nothing does
        memory.used[asked.tool] = memory.used.get(asked.tool, 0) + 1
        return ToolResult(StepStatus.FAILED, cause=error.kind.value)
    async with memory.turn(asked.tool):
        if not asked.is_on:
            memory.used[asked.tool] = memory.used.get(asked.tool, 0) + 1
            return ToolResult(StepStatus.SWITCHED_OFF)
        known = memory.results.setdefault(asked.tool, {})
        if (items := known.get(normalised(query))) is not None:
            return ToolResult(_found(items), items, is_cached=True)
        if memory.used.get(asked.tool, 0) >= asked.limit:
            return ToolResult(StepStatus.BLOCKED, cause=OVER_BUDGET)
        memory.used[asked.tool] = memory.used.get(asked.tool, 0) + 1
        if not _says_something(query, asked.query):
            return ToolResult(StepStatus.BLOCKED, cause=NOTHING_TO_SEND)
        result = await _within(asked, call, query, pause)
        if result.status in {StepStatus.OK, StepStatus.EMPTY}:
            known[normalised(query)] = result.items
        return result


def _found(items: Sequence[Any]) -> StepStatus:
    return StepStatus.OK if items else StepStatus.EMPTY


def _says_something(query: str, before: str) -> bool:
    """Whether anything is left beside the marks of what was taken out."""
    return query == before or any(map(str.isalnum, _MARK.sub("", query)))


async def _within(asked: Asked, call: Call, query: str, pause: Pause) -> ToolResult:
    bounds = BOUNDS[asked.tool]
    seconds = min(bounds.seconds, asked.time_left())
    if seconds <= 0:
        return ToolResult(StepStatus.TIMED_OUT)
    try:
        async with asyncio.timeout(seconds):
            return _fitting(await _repeated(call, query, bounds.retries, pause))
    except TimeoutError:
        return ToolResult(StepStatus.TIMED_OUT)
    except PartlyFailed as error:
        found = _fitting(error.items)
        return replace(found, status=StepStatus.FAILED, cause=error.why.value)
    except AppError as error:
        return ToolResult(StepStatus.FAILED, cause=error.kind.value)


async def _repeated(call: Call, query: str, retries: int, pause: Pause) -> Sequence[Any]:
    """The call's answer; one that met an outage is repeated after a while."""
    for seconds in BACKOFF_SECONDS[:retries]:
        try:
            return await call(query)
        except AppError as error:
            is_outage = error.kind is ErrorKind.UNAVAILABLE and error.retry_after is None
            if isinstance(error, PartlyFailed) or not is_outage:
                raise  # it was refused, wants to be left alone, or was repeated where it failed
        await pause(seconds)
    return await call(query)


def _fitting(items: Sequence[Any]) -> ToolResult:
    """As many items as a result may hold, the best ones first."""
    kept: list[Any] = []
    room = MAX_RESULT_BYTES
    for item in items:
        room -= len(json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if room < 0:
            return ToolResult(_found(kept), kept, is_cut=True)
        kept.append(item)
    return ToolResult(_found(kept), kept)
