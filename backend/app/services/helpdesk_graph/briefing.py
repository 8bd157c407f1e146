"""What a model is shown of a session: ours in the open, everything from outside redacted and
fenced. Pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.app.core.text import clean, shorten
from backend.app.domain.budgets import Allowed
from backend.app.domain.language_models import ModelRole
from backend.app.domain.redaction import redact
from backend.app.domain.sessions import NextAction
from backend.app.domain.untrusted import Fenced, Origin, fence_conversation, fence_result
from backend.app.services.helpdesk_graph.state import HelpdeskState

_MAX_RESULT_CHARACTERS = 600
_MAX_TITLE_CHARACTERS = 160
_LOOKED: dict[str, str] = {
    NextAction.RETRY_KB.value: "kb_retry_results",
    NextAction.WEB_SEARCH.value: "web_search_results",
    NextAction.SEARCH_DUPLICATES.value: "duplicate_candidates",
}


@dataclass(frozen=True, slots=True)
class Brief:
    """The material of one call. ``forged`` counts what looked like markers in tools' results;
    ``shows_results`` says whether there were any.
    """

    text: str
    shows_results: bool = False
    forged: int = 0

    def steers(self, role: ModelRole) -> bool:
        """Whether text from outside may be why an answer is not of its form. Of the supervisor: it
        alone decides what happens next.
        """
        return self.shows_results and role is ModelRole.SUPERVISOR


@dataclass(frozen=True, slots=True)
class Briefing:
    """Writes briefs: ``limit`` characters of every block, markers under one ``nonce``."""

    limit: int
    nonce: str

    def deciding(self, state: HelpdeskState, allowed: Allowed) -> Brief:
        """For the supervisor: what was said, found and done, and what may be done."""
        results = self._results(state, whole=False)
        actions = [f"- {action.value}: {why}" for action, why in allowed.reasons.items()]
        done = ", ".join(state.get("actions_taken", [])) or "none"
        said = [self._conversation(state), f"Steps taken: {done}.", *_empty(state)]
        return _brief(said, results, ["Allowed actions:", *actions])

    def asking(self, state: HelpdeskState, keys: Sequence[str]) -> Brief:
        """For the clarifier: what is known, and the keys that are open."""
        ours = [f"Open keys: {', '.join(keys)}."]
        return _brief([self._conversation(state)], self._results(state, whole=False), ours)

    def grading(self, state: HelpdeskState) -> Brief:
        """For the classifier: what was said."""
        return _brief([self._conversation(state)], [], [])

    def proposing(self, state: HelpdeskState, articles: Sequence[Mapping[str, Any]]) -> Brief:
        """For the proposer: articles that were not offered yet, whole as far as a block goes."""
        fenced = [
            self._fence(f"Article {number}: {one['title']}\n\n{one['text']}", Origin.KB)
            for number, one in enumerate(articles, 1)
        ]
        return _brief([self._conversation(state)], fenced, [])

    def writing(self, state: HelpdeskState) -> Brief:
        """For the writer: everything, the newest last."""
        return _brief([self._conversation(state)], self._results(state, whole=False), [])

    def _conversation(self, state: HelpdeskState) -> str:
        return fence_conversation(redact(clean(told_in(state))).text, limit=self.limit).text

    def _fence(self, text: str, origin: Origin) -> Fenced:
        safe = redact(clean(text)).text
        return fence_result(safe, origin, nonce=self.nonce, limit=self.limit)

    def _results(self, state: HelpdeskState, *, whole: bool) -> list[Fenced]:
        limit = self.limit if whole else _MAX_RESULT_CHARACTERS
        found: dict[Origin, list[str]] = {}
        for one in state.get("kb_retry_results", []):
            text = _cut(one["text"], limit)
            found.setdefault(Origin.KB, []).append(f"Article: {_title(one)}\n{text}")
        for page in state.get("web_search_results", []):
            text = _cut(page.get("snippet", ""), limit)
            told = f"Page: {_title(page)}\n{page.get('url', '')}\n{text}"
            found.setdefault(Origin.WEB, []).append(told)
        for ticket in state.get("duplicate_candidates", []):
            origin = Origin.GITHUB if ticket["source"] == Origin.GITHUB else Origin.DESK
            found.setdefault(origin, []).append(_candidate(ticket))
        return [self._fence("\n\n".join(texts), origin) for origin, texts in found.items()]


def told_in(state: HelpdeskState) -> str:
    """Everything that was said of the matter, and what is known of it, in order."""
    lines = [f"{turn['role']}: {turn['content']}" for turn in state["case"]["conversation"]]
    for one in state.get("exchanges", []):
        lines += [f"assistant: {one['question']}", f"user: {one['reply']}"]
    known = [f"{key} = {value}" for key, value in state.get("facts", {}).items()]
    rejected = [f"did not help: {title}" for title in state.get("rejected_solutions", [])]
    question = f"The problem: {shorten(state['case']['original_question'], 1000)}"
    return "\n".join([*lines, *known, *rejected, question])


def _empty(state: HelpdeskState) -> list[str]:
    taken = state.get("actions_taken", [])
    return [
        f"{action} found nothing."
        for action, key in _LOOKED.items()
        if action in taken and not state.get(key)
    ]


def _title(found: Mapping[str, Any]) -> str:
    return shorten(str(found.get("title", "")), _MAX_TITLE_CHARACTERS)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} […]"


def _candidate(ticket: Mapping[str, Any]) -> str:
    words = ", ".join(ticket.get("evidence", []))
    return (
        f"Ticket #{ticket['number']}: {_title(ticket)}\nstatus {ticket['status']},"
        f" odds {ticket['odds']:.2f}; in common: {words}"
    )


def _brief(said: list[str], results: list[Fenced], ours: list[str]) -> Brief:
    parts = [*said, *(one.text for one in results), "\n".join(ours)]
    return Brief("\n\n".join(parts), bool(results), sum(one.forged for one in results))
