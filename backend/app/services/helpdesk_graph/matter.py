"""From the graph's state to the values that the building blocks take, and back."""

from collections.abc import Mapping
from typing import Any

from backend.app.domain.sessions import (
    Category,
    Classification,
    ConversationTurn,
    Impact,
    Severity,
    TicketDraft,
)
from backend.app.services.helpdesk.drafting import Matter
from backend.app.services.helpdesk.replies import PROPOSAL_CHOICES
from backend.app.services.helpdesk_graph.state import HelpdeskState

#: Stands for the question where something was added to a draft.
ADDED = "Added to the draft"


def classification_of(state: HelpdeskState) -> Classification:
    """How the matter was graded."""
    stored = state["classification"]
    return Classification(
        Severity(stored["severity"]), Impact(stored["impact"]), Category(stored["category"])
    )


def additions(state: HelpdeskState) -> list[str]:
    """What the person added while a draft waited; to a draft it is part of the report."""
    return [one["reply"] for one in state.get("exchanges", []) if one["question"] == ADDED]


def matter_of(state: HelpdeskState, graded: Classification) -> Matter:
    """All that is known of the matter."""
    case = state["case"]
    return Matter(
        question=case["original_question"],
        conversation=(
            *(ConversationTurn(turn["role"], turn["content"]) for turn in case["conversation"]),
            *(ConversationTurn("user", added) for added in additions(state)),
        ),
        facts=state.get("facts", {}),
        answers=tuple(
            (one["question"], one["reply"])
            for one in state.get("exchanges", [])
            if one["question"] != ADDED and one["reply"] not in PROPOSAL_CHOICES
        ),
        rejected=tuple(state.get("rejected_solutions", [])),
        searched=tuple(state.get("searched", [])),
        pages=tuple((one["title"], one["url"]) for one in state.get("web_search_results", [])),
        classification=graded,
    )


def draft_of(draft: TicketDraft) -> dict[str, str]:
    """A draft as JSON values."""
    return {
        "title": draft.title,
        "description": draft.description,
        "severity": draft.severity.value,
        "impact": draft.impact.value,
        "category": draft.category.value,
    }


def draft_from(stored: Mapping[str, Any]) -> TicketDraft:
    """The draft that `draft_of` stored."""
    return TicketDraft(
        title=stored["title"],
        description=stored["description"],
        severity=Severity(stored["severity"]),
        impact=Impact(stored["impact"]),
        category=Category(stored["category"]),
    )
