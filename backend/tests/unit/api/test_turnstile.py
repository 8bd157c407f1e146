"""So many requests are worked on at once, and the others get their turn."""

import asyncio
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from backend.app.api.turnstile import Turnstile, waiting


class Work:
    """An application whose answers begin, and end, when a test says so."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_end = asyncio.Event()

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        self.begun.append(scope["path"])
        await self.may_answer.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await self.may_end.wait()


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


async def _drop(_message: Message) -> None:
    return None


def _ask(app: Turnstile, path: str) -> "asyncio.Future[Any]":
    return asyncio.ensure_future(app({"type": "http", "path": path}, _nothing, _drop))


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_next_one_is_let_in_when_an_answer_begins() -> None:
    work = Work()
    app = Turnstile(work, at_once=1)
    first, second = _ask(app, "/api/a"), _ask(app, "/api/b")
    await _settle()
    assert work.begun == ["/api/a"]

    work.may_answer.set()
    await _settle()
    assert work.begun == ["/api/a", "/api/b"]  # the first one's stream goes on meanwhile
    work.may_end.set()
    await asyncio.gather(first, second)


async def test_who_goes_away_keeps_no_place() -> None:
    work = Work()
    app = Turnstile(work, at_once=1)
    first, waiting = _ask(app, "/api/a"), _ask(app, "/api/b")
    await _settle()
    waiting.cancel()
    first.cancel()
    await asyncio.gather(first, waiting, return_exceptions=True)

    third = _ask(app, "/api/c")
    await _settle()
    assert work.begun == ["/api/a", "/api/c"]
    third.cancel()
    await asyncio.gather(third, return_exceptions=True)


async def test_probes_and_the_page_pass() -> None:
    work = Work()
    app = Turnstile(work, at_once=1)
    asked = [_ask(app, path) for path in ("/api/a", "/api/health/live", "/assets/x.js")]
    await _settle()

    assert work.begun == ["/api/a", "/api/health/live", "/assets/x.js"]
    for one in asked:
        one.cancel()
    await asyncio.gather(*asked, return_exceptions=True)


async def test_who_waits_for_a_body_or_a_run_holds_no_place() -> None:
    begun: list[str] = []
    body, run = asyncio.Event(), asyncio.Event()

    async def work(scope: Scope, receive: Receive, send: Send) -> None:
        begun.append(scope["path"])
        if scope["path"] == "/api/slow-body":
            await receive()
        elif scope["path"] == "/api/run":
            async with waiting(scope):
                await run.wait()
        begun.append(f"{scope['path']} answered")
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def slow() -> Message:
        await body.wait()
        return {"type": "http.request", "body": b""}

    app = Turnstile(work, at_once=1)
    asked = [
        asyncio.ensure_future(app({"type": "http", "path": path}, slow, _drop))
        for path in ("/api/slow-body", "/api/run", "/api/other")
    ]
    await _settle()
    assert begun == ["/api/slow-body", "/api/run", "/api/other", "/api/other answered"]

    body.set()
    run.set()
    await asyncio.gather(*asked)
    assert sorted(begun[4:]) == ["/api/run answered", "/api/slow-body answered"]
