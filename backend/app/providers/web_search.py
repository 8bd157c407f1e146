"""Web search. In this version there is none but a canned one, for the demo's one question."""

import re
from collections.abc import Sequence

_WORD = re.compile(r"\w+")
_QUESTION = {"oracle", "financials", "403", "budget", "reports"}
_PAGES = (
    {
        "title": "403 Forbidden on a report: the role lacks a data grant (canned demo result)",
        "url": "https://example.invalid/403-on-reports",
        "snippet": "A 403 on some reports only usually means that the report's folder is not"
        " granted to the person's role. Ask the owner of the folder to check its permissions.",
    },
)


class CannedWebSearch:
    """Answers the demo's question with a made-up page, and everything else with nothing."""

    async def search(self, query: str) -> Sequence[dict[str, str]]:
        """The pages for a query."""
        said = set(_WORD.findall(query.lower()))
        return _PAGES if said >= _QUESTION else ()
