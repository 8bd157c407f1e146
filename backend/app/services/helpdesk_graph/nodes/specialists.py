"""The nodes with one skill each: asking, proposing, grading, writing.

Effects on the world are not here: a confirmed draft becomes a ticket in the transaction that
accepts the confirm.
"""

from backend.app.domain.budgets import Wish
from backend.app.domain.sessions import Classification
from backend.app.services.helpdesk import drafting
from backend.app.services.helpdesk.classifying import classify
from backend.app.services.helpdesk.filing import as_filed
from backend.app.services.helpdesk.replies import PROPOSAL_CHOICES
from backend.app.services.helpdesk_graph.matter import (
    additions,
    classification_of,
    draft_of,
    matter_of,
)
from backend.app.services.helpdesk_graph.nodes.knowing import (
    next_proposal,
    next_question_of,
    said,
)
from backend.app.services.helpdesk_graph.nodes.steps import Update, tell_done
from backend.app.services.helpdesk_graph.state import AwaitingUserPayload, HelpdeskState
from backend.app.services.helpdesk_graph.tracing import trace_agent_tool

_write_draft = trace_agent_tool("draft_ticket", run_type="llm")(drafting.write_draft)
_classify = trace_agent_tool("classify", run_type="llm")(classify)


async def clarifier(state: HelpdeskState) -> Update:
    """Ask for what is most worth knowing. The supervisor is only let here when there is such."""
    question = next_question_of(state)
    assert question is not None  # `Spent.has_question` says so, and nothing changed since
    tell_done(state)
    return {
        "questions_asked": [*state.get("questions_asked", []), question.text],
        "question_keys": [*state.get("question_keys", []), question.key],
        "awaiting_user": AwaitingUserPayload(
            text=question.text,
            choices=list(question.choices),
            key=question.key,
            number=len(state.get("questions_asked", [])) + 1,
        ),
    }


async def propose_solution(state: HelpdeskState) -> Update:
    """Offer the best article that was not offered yet."""
    proposal = next_proposal(state)
    assert proposal is not None  # `Spent.has_proposal` says so, and nothing changed since
    tell_done(state)
    return {
        "proposed_solutions": [*state.get("proposed_solutions", []), proposal["title"]],
        "awaiting_user": AwaitingUserPayload(
            text=proposal["title"], choices=list(PROPOSAL_CHOICES), key=None, number=None
        ),
    }


async def classifier(state: HelpdeskState) -> Update:
    """Grade the matter."""
    graded = _classify(said(state), state.get("facts", {}))
    tell_done(state)
    return {
        "classification": {
            "severity": graded.severity.value,
            "impact": graded.impact.value,
            "category": graded.category.value,
        }
    }


async def writer(state: HelpdeskState) -> Update:
    """Write the ticket's draft from all that is known, and how it would be filed."""
    graded: Classification = (
        classification_of(state)
        if "classification" in state and not additions(state)
        else _classify(said(state), state.get("facts", {}))
    )
    case = state["case"]
    preview = as_filed(
        _write_draft(matter_of(state, graded)),
        session_id=case["session_id"],
        chat_session_hash=case["chat_hash"],
    )
    tell_done(state)
    return {
        "draft": draft_of(preview.draft),
        "body_preview": [preview.body],
        "draft_digest": preview.digest,
        "wish": Wish.GO_ON.value,
    }
