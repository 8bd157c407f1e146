"""Sending spans to LangSmith: batched in a thread of the library's own, bounded, anonymised.

The library would also trace by itself whatever LangGraph and the models do, with all texts; that is
switched off for the whole process, whatever its environment says.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import langsmith
from langsmith import Client
from urllib3.util import Retry

from backend.app.core.clock import Clock
from backend.app.core.logging import get_logger, silence
from backend.app.core.trace_settings import TraceSettings, forget_old_names
from backend.app.domain.redaction import redact

#: Spans that wait to be sent; beyond it they are dropped, so that a dead endpoint costs no memory.
_WAITING = 2000
_CONNECT_MS, _ANSWER_MS = 1000, 3000
_LAST_SECONDS = 2.0
#: A name, an id, a figure: no sentence has this form.
_CLOSED = re.compile(r"[\w.:-]{1,80}")
#: What the endpoint would tell of itself, so that it need not be asked.
_INFO = {
    "version": "0.0.0",
    "batch_ingest_config": {
        "use_multipart_endpoint": True,
        "size_limit": 100,
        "size_limit_bytes": 20_971_520,
        "scale_up_nthreads_limit": 1,
        "scale_up_qsize_trigger": 1000,
        "scale_down_nempty_trigger": 4,
    },
}


def keep_libraries_from_tracing() -> None:
    """Switch off the tracing that LangGraph and LangChain do by themselves when a variable in the
    environment says so: it would send the raw state.
    """
    langsmith.configure(enabled=False)
    forget_old_names()


def anonymised(value: Any) -> Any:
    """The last guard before anything leaves: a string that is no closed word becomes its length,
    and of closed words what looks like a secret or a person is taken out.
    """
    if isinstance(value, Mapping):
        return {str(key): anonymised(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [anonymised(each) for each in value]
    if isinstance(value, str):
        return redact(value).text if _CLOSED.fullmatch(value) else f"length {len(value)}"
    return value if value is None or isinstance(value, bool | int | float) else str(type(value))


class LangSmithTracer:
    """Takes spans without waiting for anybody; what cannot be sent is lost."""

    def __init__(self, settings: TraceSettings, clock: Clock) -> None:
        silence("langsmith")
        self.now = clock.now
        key = settings.api_key.get_secret_value() if settings.api_key else None
        self._project = settings.project
        self._dropped = 0
        self._client = Client(
            settings.endpoint,
            api_key=key,
            anonymizer=anonymised,
            omit_traced_runtime_info=True,  # it holds variables of the environment
            info=_INFO,
            timeout_ms=(_CONNECT_MS, _ANSWER_MS),
            retry_config=Retry(total=0),
        )

    def send(self, span: Any) -> None:
        """Queue a span that is over."""
        queue = self._client.tracing_queue
        if queue is None or queue.qsize() >= _WAITING:
            self._dropped += 1
            if self._dropped == 1:
                get_logger("tracing").warning("traces_dropped")
            return
        self._client.create_run(
            span.name,
            span.inputs,
            span.run_type,
            project_name=self._project,
            id=span.id,
            trace_id=span.root.id,
            parent_run_id=span.parent.id if span.parent is not None else None,
            dotted_order=span.order,
            start_time=span.started_at,
            end_time=span.ended_at,
            outputs=span.outputs,
            error=span.error,
            extra={"metadata": span.metadata},
        )

    async def close(self) -> None:
        """Send what waits, for a moment; then give up."""
        await asyncio.to_thread(self._client.close, _LAST_SECONDS)
