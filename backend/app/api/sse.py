"""From an event to a frame of a server-sent stream."""

import asyncio
from collections.abc import AsyncIterator
from typing import NamedTuple

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from pydantic import BaseModel
from starlette.responses import StreamingResponse

_PING_SECONDS = 15.0
_HEADERS = {"Cache-Control": "no-cache, no-store", "X-Accel-Buffering": "no"}


class Event(NamedTuple):
    """An event's name, its data, and the number under which a reader can come back to it."""

    name: str
    data: BaseModel
    id: int | None = None


async def _frames(events: AsyncIterator[Event]) -> AsyncIterator[bytes]:
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
            yield format_sse_event(
                data_str=event.data.model_dump_json(),
                event=event.name,
                id=None if event.id is None else str(event.id),
            )
            upcoming = asyncio.ensure_future(anext(events, None))
    finally:
        upcoming.cancel()


async def numbered(events: AsyncIterator[Event]) -> AsyncIterator[Event]:
    """The same events, numbered from 1: for streams that cannot be taken up again."""
    number = 0
    async for event in events:
        number += 1
        yield event._replace(id=number)


def stream(events: AsyncIterator[Event]) -> StreamingResponse:
    """A stream of ``events``, kept alive by a comment when nothing happens."""
    return StreamingResponse(_frames(events), media_type="text/event-stream", headers=_HEADERS)
