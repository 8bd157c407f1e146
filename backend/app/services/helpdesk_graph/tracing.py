"""Traces of the agent: one root per way in (start, resume, confirm, abort), with a child for each
tool and each piece of work that a model may do. Roots of one session are joined by ``session_id``.

Of what goes in and comes out a span tells the shape, never the text: lengths, numbers, closed
words. A span is handed over whole when it is over, and whatever goes wrong with it harms nobody.
"""

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any, ParamSpec, Protocol, TypeVar, cast
from uuid import UUID, uuid4

from backend.app.core.errors import AppError
from backend.app.core.logging import described, get_logger
from backend.app.domain.principals import Principal, user_id_hash
from backend.app.domain.sessions import STATE_VERSION

P = ParamSpec("P")
R = TypeVar("R")
_DEPTH = 3


@dataclass(slots=True)
class Span:
    """Something that was done, from its beginning to its end."""

    name: str
    run_type: str
    tracer: "Tracer"
    parent: "Span | None" = None
    inputs: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    error: str | None = None
    tools: int = 0
    id: UUID = field(default_factory=uuid4)
    started_at: datetime = field(init=False)
    ended_at: datetime | None = None

    def __post_init__(self) -> None:
        self.started_at = self.tracer.now()

    @property
    def root(self) -> "Span":
        """The way in that this belongs to."""
        return self if self.parent is None else self.parent.root

    @property
    def order(self) -> str:
        """Where it stands in its trace: each ancestor's time and id, and its own."""
        own = f"{self.started_at:%Y%m%dT%H%M%S%fZ}{self.id}"
        return own if self.parent is None else f"{self.parent.order}.{own}"


class Tracer(Protocol):
    """Where spans go; takes them at once and sends them when it can."""

    def now(self) -> datetime:
        """The time, for where spans begin and end."""

    def send(self, span: Span) -> None:
        """Take a span that is over."""


_current: ContextVar[Span | None] = ContextVar("span_of_the_agent", default=None)


def shape(value: Any, depth: int = _DEPTH) -> Any:
    """What may be told of a value: closed words, numbers, lengths; never a text."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, str | bytes):
        return {"length": len(value)}
    if isinstance(value, list | tuple | set | frozenset):
        return {"items": len(value)}
    if depth and is_dataclass(value):
        return {one.name: shape(getattr(value, one.name), depth - 1) for one in fields(value)}
    if depth and isinstance(value, Mapping):
        return {"keys": len(value)}  # a key may be what somebody wrote
    return {"type": type(value).__name__}


def _best_effort(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception as error:  # noqa: BLE001 -- one of the named places
        # The best-effort wrapper: no fault of tracing may reach the agent.
        get_logger("tracing").warning("trace_failed", **described(error))


def _ended(span: Span, outputs: Mapping[str, Any], error: BaseException | None = None) -> None:
    def send() -> None:
        span.ended_at = span.tracer.now()
        span.outputs = dict(outputs)
        if error is not None:
            # A message may be a person's text.
            is_ours = isinstance(error, AppError)
            span.error = type(error).code() if is_ours else type(error).__name__  # type: ignore[attr-defined]
        span.tracer.send(span)

    _best_effort(send)


def trace_agent_run(
    action: str,
) -> Callable[[Callable[P, Awaitable[R]]], Callable[P, Awaitable[R]]]:
    """Trace a way in as the root run ``helpdesk_agent.<action>``; for methods of whatever has a
    ``tracer``, which is None when nothing is traced. The root ends when the run that was begun
    does, not when the caller has its answer.
    """

    def decorate(entry: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        @functools.wraps(entry)
        async def traced(*args: P.args, **kwargs: P.kwargs) -> R:
            tracer = getattr(args[0], "tracer", None)
            if tracer is None:
                return await entry(*args, **kwargs)
            root = Span(f"helpdesk_agent.{action}", "chain", tracer)
            root.metadata = {"action": action, "state_version": STATE_VERSION}
            _best_effort(lambda: _tell_who(root, args))
            token = _current.set(root)
            try:
                given = await entry(*args, **kwargs)
            except BaseException as error:
                _ended(root, {}, error)
                raise
            finally:
                _current.reset(token)
            ending = getattr(given, "ending", None)
            if isinstance(ending, asyncio.Future):
                ending.add_done_callback(lambda done: _end_root(root, given, _error_of(done)))
            else:
                _end_root(root, given, None)
            return given

        return traced

    return decorate


def _tell_who(root: Span, args: tuple[Any, ...]) -> None:
    for one in args:
        if isinstance(one, Principal):
            root.metadata["user_id_hash"] = user_id_hash(one.user_id)
        elif isinstance(one, UUID):
            root.metadata["session_id"] = str(one)
        elif (session_id := getattr(one, "session_id", None)) is not None:
            root.metadata["session_id"] = str(session_id)


def _error_of(done: "asyncio.Future[Any]") -> BaseException | None:
    return asyncio.CancelledError() if done.cancelled() else done.exception()


def _end_root(root: Span, given: Any, error: BaseException | None) -> None:
    """End a root with what became of it: of ``given`` the turn and the steps that were shown."""

    def tell() -> None:
        shown = getattr(given, "shown", None)
        turn = getattr(shown, "turn", None) or (given if hasattr(given, "kind") else None)
        root.metadata |= {
            "session_id": str(given.session_id),
            "outcome": str(turn.kind) if turn is not None else "repeated",
            "tool_count": root.tools,
            "turn_count": len(getattr(shown, "steps", ())),
        }

    _best_effort(tell)
    told = {name: root.metadata.get(name) for name in ("outcome", "tool_count", "turn_count")}
    _ended(root, told, error)


def _all_but_parts(called: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in called.items() if key not in {"self", "work"}}


def trace_agent_tool(
    name: str | Callable[[Mapping[str, Any]], str],
    *,
    run_type: str = "tool",
    told: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _all_but_parts,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Trace a call below the way in that it belongs to; without one, nothing is traced.

    Args:
        name: the span's, or what gives it from the call's arguments by their names.
        run_type: ``tool`` or ``llm``.
        told: of the arguments, those whose shapes are told.
    """

    def decorate(call: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(call)

        def begin(args: Any, kwargs: Any) -> Span | None:
            parent = _current.get()
            if parent is None:
                return None
            span = Span(call.__name__, run_type, parent.tracer, parent)

            def tell() -> None:
                bound = signature.bind(*args, **kwargs).arguments
                span.name = name if isinstance(name, str) else name(bound)
                span.inputs = {key: shape(value) for key, value in told(bound).items()}
                span.metadata = {
                    key: value
                    for key, value in parent.root.metadata.items()
                    if key in {"session_id", "user_id_hash", "state_version"}
                }

            _best_effort(tell)
            if run_type == "tool":
                parent.root.tools += 1
            return span

        if inspect.iscoroutinefunction(call):

            @functools.wraps(call)
            async def traced_async(*args: P.args, **kwargs: P.kwargs) -> Any:
                span = begin(args, kwargs)
                if span is None:
                    return await call(*args, **kwargs)
                with _current_is(span):
                    try:
                        result = await call(*args, **kwargs)
                    except BaseException as error:
                        _ended(span, {}, error)
                        raise
                _ended(span, {"result": shape(result)})
                return result

            return cast(Callable[P, R], traced_async)

        @functools.wraps(call)
        def traced(*args: P.args, **kwargs: P.kwargs) -> R:
            span = begin(args, kwargs)
            if span is None:
                return call(*args, **kwargs)
            try:
                result = call(*args, **kwargs)
            except BaseException as error:
                _ended(span, {}, error)
                raise
            _ended(span, {"result": shape(result)})
            return result

        return traced

    return decorate


class _current_is:  # noqa: N801 -- reads as what it says
    """Makes a span the one under which calls are traced."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def __enter__(self) -> None:
        self._token = _current.set(self._span)

    def __exit__(self, *_: object) -> None:
        with suppress(ValueError):  # left in another context
            _current.reset(self._token)
