"""What a state says of the matter: what was said, what could be asked or proposed next."""

from collections.abc import Mapping
from typing import Any

from backend.app.services.helpdesk.clarifying import ClarifyingQuestion, next_question
from backend.app.services.helpdesk.querying import search_query
from backend.app.services.helpdesk_graph.state import HelpdeskState


def next_proposal(state: HelpdeskState) -> Mapping[str, Any] | None:
    """The best article that was found, not proposed yet, and not among what did not help before."""
    tried = {*state.get("proposed_solutions", []), *state.get("rejected_solutions", [])}
    return next(
        (one for one in state.get("kb_retry_results", []) if one["title"] not in tried), None
    )


def next_question_of(state: HelpdeskState) -> ClarifyingQuestion | None:
    """The question that is most worth asking now, or None."""
    return next_question(said(state), state.get("facts", {}), state.get("question_keys", []))


def said(state: HelpdeskState) -> str:
    """Everything the person has said of the matter."""
    theirs = [turn["content"] for turn in state["case"]["conversation"] if turn["role"] == "user"]
    return "\n".join([*theirs, *state.get("user_replies", [])])


def query_of(state: HelpdeskState) -> str:
    """What to search for, with what is known by now."""
    return search_query(
        state["case"]["original_question"], state.get("facts", {}), state.get("user_replies", [])
    )
