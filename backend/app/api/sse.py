"""From an event to a frame of a server-sent stream."""

import asyncio
from collections.abc import AsyncIterator

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from pydantic import BaseModel
from starlette.responses import StreamingResponse

_PING_SECONDS = 15.0
_HEADERS = {"Cache-Control": "no-cache, no-store", "X-Accel-Buffering": "no"}

#: An event's name and its data.
Event = tuple[str, BaseModel]


async def _frames(events: AsyncIterator[Event]) -> AsyncIterator[bytes]:
    number = 0
    upcoming = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait({upcoming}, timeout=_PING_SECONDS)
            if not done:
                yield KEEPALIVE_COMMENT
                continue
            event = upcoming.result()
            if event is None:
                return
            number += 1
            yield format_sse_event(
                data_str=event[1].model_dump_json(), event=event[0], id=str(number)
            )
            upcoming = asyncio.ensure_future(anext(events, None))
    finally:
        upcoming.cancel()


def stream(events: AsyncIterator[Event]) -> StreamingResponse:
    """A stream of ``events``, numbered from 1, kept alive by a comment when nothing happens."""
    return StreamingResponse(_frames(events), media_type="text/event-stream", headers=_HEADERS)
