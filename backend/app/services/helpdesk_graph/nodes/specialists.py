"""The nodes with one skill each: asking, proposing, grading, writing.

Effects on the world are not here: a confirmed draft becomes a ticket in the transaction that
accepts the confirm.
"""

from collections.abc import Awaitable, Callable

from backend.app.core.errors import Unavailable
from backend.app.domain.budgets import Wish
from backend.app.domain.placeholders import Placeholders
from backend.app.domain.sessions import Classification, TicketDraft
from backend.app.services.helpdesk import drafting
from backend.app.services.helpdesk.classifying import classify
from backend.app.services.helpdesk.filing import as_filed
from backend.app.services.helpdesk.leaving import Leaving
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
    graded = classify(said(state), state.get("facts", {}))
    tell_done(state)
    return {
        "classification": {
            "severity": graded.severity.value,
            "impact": graded.impact.value,
            "category": graded.category.value,
        }
    }


def make_writer_node(leaving: Leaving) -> Callable[[HelpdeskState], Awaitable[Update]]:
    """The node that writes drafts, without what must not leave the house."""

    async def writer(state: HelpdeskState) -> Update:
        """Write the ticket's draft from all that is known, and how it would be filed."""
        graded: Classification = (
            classification_of(state)
            if "classification" in state and not additions(state)
            else classify(said(state), state.get("facts", {}))
        )
        case, known = state["case"], Placeholders.of_session(state.get("placeholders", {}))
        preview = as_filed(
            await _without_names(leaving, drafting.write_draft(matter_of(state, graded)), known),
            session_id=case["session_id"],
            chat_session_hash=case["chat_hash"],
            max_characters=leaving.body_characters,
        )
        tell_done(state)
        return {
            "draft": draft_of(preview.draft),
            "body_preview": [preview.body],
            "draft_digest": preview.digest,
            "placeholders": known.kept(),
            "wish": Wish.GO_ON.value,
        }

    return writer


async def _without_names(leaving: Leaving, draft: TicketDraft, known: Placeholders) -> TicketDraft:
    try:
        return await leaving.draft(draft, known)
    except Unavailable:
        # Shown to its own person it may be; the confirm looks for names again before it files.
        return draft
