"""What a state says of the matter: what was said, what could be asked or proposed next."""

from collections.abc import Mapping
from typing import Any

from backend.app.services.helpdesk.clarifying import ClarifyingQuestion, next_question
from backend.app.services.helpdesk.drafting import LABELS
from backend.app.services.helpdesk.facts import facts_from
from backend.app.services.helpdesk.querying import search_query
from backend.app.services.helpdesk_graph.state import HelpdeskState


def open_proposals(state: HelpdeskState) -> list[Mapping[str, Any]]:
    """The articles that were found, not proposed yet, and not among what did not help before; the
    best first.
    """
    tried = {*state.get("proposed_solutions", []), *state.get("rejected_solutions", [])}
    return [one for one in state.get("kb_retry_results", []) if one["title"] not in tried]


def next_proposal(state: HelpdeskState) -> Mapping[str, Any] | None:
    """The best of the articles that may still be proposed."""
    return next(iter(open_proposals(state)), None)


def open_keys(state: HelpdeskState) -> list[str]:
    """What could be asked about: neither known nor asked before. Never empty while the rules have
    a question left.
    """
    known = {**facts_from(said(state)), **state.get("facts", {})}
    return [key for key in LABELS if key not in known and key not in state.get("question_keys", [])]


def next_question_of(state: HelpdeskState) -> ClarifyingQuestion | None:
    """The question that is most worth asking now, or None."""
    return next_question(said(state), state.get("facts", {}), state.get("question_keys", []))


def said(state: HelpdeskState) -> str:
    """Everything the person has said of the matter."""
    theirs = [turn["content"] for turn in state["case"]["conversation"] if turn["role"] == "user"]
    return "\n".join([*theirs, *state.get("user_replies", [])])


def query_of(state: HelpdeskState) -> str:
    """What to search for: what the supervisor wants, else what is known by now."""
    return next(iter(state.get("chosen_query", [])), "") or known_query(state)


def known_query(state: HelpdeskState) -> str:
    """What to search for with what is known by now."""
    return search_query(
        state["case"]["original_question"], state.get("facts", {}), state.get("user_replies", [])
    )
