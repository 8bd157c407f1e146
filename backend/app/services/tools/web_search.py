"""The search of the web, whoever does it: pages as they may be kept, shown and told to a model."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Protocol

from backend.app.domain.web import WebPage

MAX_PAGES = 5


class WebSearch(Protocol):
    """A search of the web.

    ``search`` raises an `Unavailable` for what may pass, such as no connection or a server's fault,
    and other errors of ours for what will not; it may take as long as it likes.
    """

    def covers(self, question: str) -> bool:
        """Whether it is there for this question at all."""

    async def search(self, query: str) -> Sequence[WebPage]:
        """Pages for a query, the best first."""


async def web_search_documents(web: WebSearch, query: str) -> list[dict[str, str]]:
    """The pages for a query as JSON values (``title``, ``url``, ``snippet``), each address once."""
    found: dict[str, dict[str, str]] = {}
    for one in await web.search(query):
        found.setdefault(one.url, asdict(one))
    return list(found.values())[:MAX_PAGES]
