"""Log lines for operators: key and value, event name first. Never a person's text or a secret."""

import logging
import sys
from pathlib import Path
from typing import Any

import structlog

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def configure(level: str, log_format: str) -> None:
    """Set up structlog once per process.

    Args:
        level: one of ``debug``, ``info``, ``warning``, ``error``.
        log_format: ``json`` for one object a line, ``text`` for a terminal, ``auto`` to choose by
            whether stderr is one.
    """
    as_json = log_format == "json" or (log_format == "auto" and not sys.stderr.isatty())
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info
        if as_json
        else structlog.processors.StackInfoRenderer(),
    ]
    renderer: Any = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer()
    )
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def described(error: BaseException) -> dict[str, str]:
    """What a log line may say of an error: type and place. Its message may be a person's text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "unknown"
    if trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
    return {"error": type(error).__name__, "at": place}


def get_logger(name: str) -> Any:
    """A logger whose lines carry ``component=name``."""
    # Initial values and not bind(): a bound logger would freeze the configuration of the moment it
    # is made.
    return structlog.get_logger(component=name)


def silence(library: str) -> None:
    """Keep a library's own lines out of the log: they may hold what ours never do."""
    logging.getLogger(library).setLevel(logging.CRITICAL + 1)  # noqa: TID251 -- not to log by it
