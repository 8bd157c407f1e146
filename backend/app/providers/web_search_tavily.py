"""Web search by Tavily, through its own client.

That client goes without a key where it has none and then asks the public service; so it is only
ever built with one. What it answers is data of somebody else's: it is held to a size while it
arrives, parsed with suspicion, and no address in it is ever connected to.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

import httpx

from backend.app.core.errors import Forbidden, TooLarge, TooMany, Unavailable, Upstream
from backend.app.domain.web import WebPage, is_public_address, page

#: Longer queries are refused by the service.
MAX_QUERY_CHARACTERS = 400
MAX_ANSWER_BYTES = 1_000_000
_MAX_RESULTS = 5
#: Beyond the tool's own limit, which comes first.
_SECONDS = 30.0


class WebSearchAway(Unavailable):
    """The web search does not answer just now."""


class WebSearchRefused(Forbidden):
    """The web search refuses us; its key may be wrong or used up."""


class WebSearchRateReached(TooMany):
    """The web search takes no more queries for now."""


class WebSearchGarbled(Upstream):
    """The web search answered with something that is no answer."""


class WebSearchAnswerTooLarge(TooLarge):
    """The web search answered with more than is taken."""


class _Client(Protocol):
    async def search(self, query: str, **options: Any) -> Any:
        """What the service answered."""


@asynccontextmanager
async def tavily_search(api_key: str, base_url: str) -> AsyncIterator["TavilyWebSearch"]:
    """The search under a key, with connections of its own; closed on leaving.

    Raises:
        ImportError: the extra ``live`` is not installed.
    """
    if not api_key.strip():
        raise ValueError("Tavily's client is never built without a key")
    from tavily import AsyncTavilyClient, errors  # noqa: PLC0415  # optional: the extra `live`

    refusals = (errors.ForbiddenError, errors.InvalidAPIKeyError, errors.BadRequestError)
    async with httpx.AsyncClient(
        transport=_Capped(),
        base_url=base_url,
        # What is compressed could unfold to any size.
        headers={"Accept-Encoding": "identity"},
        follow_redirects=False,
    ) as connections:
        client = AsyncTavilyClient(api_key=api_key, api_base_url=base_url, client=connections)
        yield TavilyWebSearch(
            client,
            {
                errors.UsageLimitExceededError: WebSearchRateReached,
                errors.TimeoutError: TimeoutError,
                **dict.fromkeys(refusals, WebSearchRefused),
            },
        )


#: What the client raises beside its own errors. It takes an answer's shape on trust.
_SHAPES = (ValueError, TypeError, AttributeError, RecursionError)


class TavilyWebSearch:
    """Asks Tavily; ``meanings``: the client's own errors, as we call them."""

    def __init__(
        self, client: _Client, meanings: Mapping[type[Exception], type[Exception]]
    ) -> None:
        self._client = client
        self._meanings = meanings

    def covers(self, _question: str) -> bool:
        """Any question."""
        return True

    async def search(self, query: str) -> Sequence[WebPage]:
        """Pages for a query.

        Raises:
            WebSearchAway: no connection, or a fault of the service's own.
            WebSearchRefused, WebSearchRateReached: it will not.
            WebSearchGarbled, WebSearchAnswerTooLarge: it answered, but not with a list of pages.
        """
        try:
            answer = await self._client.search(
                _cut(query),
                max_results=_MAX_RESULTS,
                search_depth="basic",
                include_answer=False,
                include_raw_content=False,
                include_images=False,
                timeout=_SECONDS,
            )
        except httpx.HTTPStatusError as error:
            raise (WebSearchAway if error.response.is_server_error else WebSearchRefused) from None
        except httpx.DecodingError:
            raise WebSearchGarbled from None
        except httpx.RequestError:
            raise WebSearchAway from None
        except tuple(self._meanings) as error:
            meant = next(
                ours for theirs, ours in self._meanings.items() if isinstance(error, theirs)
            )
            raise meant from None
        except _SHAPES:
            raise WebSearchGarbled from None
        return _pages(answer)


class _Capped(httpx.AsyncHTTPTransport):
    """Connections that take an answer of a size, and uncompressed."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise WebSearchGarbled
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _CappedStream(response.stream)
        return response


class _CappedStream(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        room = MAX_ANSWER_BYTES
        async for chunk in self._stream:
            room -= len(chunk)
            if room < 0:
                raise WebSearchAnswerTooLarge
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def _cut(query: str) -> str:
    line = " ".join(query.split())
    if len(line) <= MAX_QUERY_CHARACTERS:
        return line
    return line[: line.rfind(" ", MAX_QUERY_CHARACTERS // 2, MAX_QUERY_CHARACTERS) or None]


def _pages(answer: object) -> list[WebPage]:
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise WebSearchGarbled
    found = [
        page(one.get("title"), one.get("url"), one.get("content"))
        for one in results[:_MAX_RESULTS]
        if isinstance(one, dict)
    ]
    return [one for one in found if one is not None and is_public_address(one.url)]
