"""The demo's web search: a canned one, for its one question."""

import re
from collections.abc import Sequence

from backend.app.domain.web import WebPage

_WORD = re.compile(r"\w+")
_QUESTION = {"oracle", "financials", "403", "budget", "reports"}
_PAGES = (
    WebPage(
        title="403 Forbidden on a report: the role lacks a data grant (canned demo result)",
        url="https://example.invalid/403-on-reports",
        snippet="A 403 on some reports only usually means that the report's folder is not"
        " granted to the person's role. Ask the owner of the folder to check its permissions.",
    ),
)


class CannedWebSearch:
    """Answers the demo's question with a made-up page, and is not there for any other."""

    def covers(self, question: str) -> bool:
        """Whether this is the demo's question."""
        return set(_WORD.findall(question.lower())) >= _QUESTION

    async def search(self, query: str) -> Sequence[WebPage]:
        """The pages for a query."""
        return _PAGES if self.covers(query) else ()
