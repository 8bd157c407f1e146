"""How a run ends: each in exactly one of these ways."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.errors import GraphBubbleUp
from langgraph.types import Interrupt

from backend.app.core.errors import Internal
from backend.app.domain.runs import AbortReason


@dataclass(frozen=True, slots=True)
class Paused:
    """The run waits for a person; ``interrupts`` are the open questions with their ids."""

    interrupts: tuple[Interrupt, ...]
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finished:
    """The graph came to its end."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stopped:
    """The run was ended from outside, or ran out of active time."""

    reason: AbortReason


@dataclass(frozen=True, slots=True)
class Failed:
    """The run met an error that nobody foresaw."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Handed:
    """Another process goes on with the run: it was drained, its claim is lost, or this process's
    clock is behind.
    """


Ending = Paused | Finished | Stopped | Failed | Handed


class LaterCheckpointUnseen(Internal):
    """What this run did last cannot be seen: a clock was set back while it went on."""


class RunStopped(GraphBubbleUp):
    """The run is to end now, as stopped; a node raises it, or a driver's ``watch``.

    Of LangGraph's own kind, so that no retry policy tries the node again, no error handler takes it
    for a failure and nothing of it is saved with the thread.
    """

    def __init__(self, reason: AbortReason) -> None:
        self.reason = reason
        super().__init__(reason.value)


def stop_within(error: BaseException) -> RunStopped | None:
    """The stop that ``error`` is or holds: a node's own task group wraps what its tasks raise."""
    if isinstance(error, RunStopped):
        return error
    held = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return next(filter(None, map(stop_within, held)), None)
