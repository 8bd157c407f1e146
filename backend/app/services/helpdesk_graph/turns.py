"""From a thread's state to what the person is shown. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from backend.app.domain.budgets import Wish
from backend.app.domain.runs import AbortReason, RunEvent
from backend.app.domain.sessions import (
    AgentSession,
    AgentSessionId,
    NextAction,
    Outcome,
    StepStatus,
    ToolBudgets,
    TurnKind,
)
from backend.app.domain.tickets import Ticket
from backend.app.schemas.helpdesk import AgentStep, AgentTurn, WebPage
from backend.app.services.helpdesk.classifying import classify
from backend.app.services.helpdesk.drafting import recap
from backend.app.services.helpdesk.filing import LinkedIssue
from backend.app.services.helpdesk.issue_news import filed_text
from backend.app.services.helpdesk_graph.matter import classification_of, matter_of
from backend.app.services.helpdesk_graph.state import HelpdeskState

#: Kinds of a run's events, and the names under which they are streamed.
STEP, TURN = "step", "turn"
#: More than any session tells: each step twice, a turn for each pause.
MAX_EVENTS = 500

PROPOSAL = "This article comes closest. Does it fix the problem?"
DRAFT_READY = (
    "I could not solve this, so here is a draft of a ticket. Nothing is filed until you say so:"
    " review it, change it, add to it, or cancel."
)
DRAFT_ASKED_FOR = (
    "Here is a draft of a ticket. Nothing is filed until you say so: review it, change it, add to"
    " it, or cancel."
)
POSSIBLE_DUPLICATE = "A ticket about the same may exist already; you can link to it instead."
RESOLVED = "Glad that this is solved. Nothing was filed."
LINKED = "Linked to ticket #{number}. You will find it among your tickets; nothing new was filed."
LINKED_ISSUE = "Linked to issue #{number} in the tracker. Nothing new was filed."
ABORTED = {
    AbortReason.USER: "This was cancelled. Nothing was filed.",
    AbortReason.BUDGET_EXHAUSTED: "This took longer than a session may. Nothing was filed.",
    AbortReason.SERVER_RESTART: "The helpdesk was restarted; try again. Nothing was filed.",
    AbortReason.KILL_SWITCH: "The agent was switched off. Nothing was filed.",
    AbortReason.EXPIRED: "Nothing happened here for long, so this was closed. Nothing was filed.",
    AbortReason.ERASED: "This was deleted.",
    AbortReason.ERROR: "Something went wrong on our side. Nothing was filed; try again.",
}


#: What rules did in a model's place, by role and in this order.
_PARTS = {
    "supervisor": "chose the steps",
    "clarifier": "chose the question",
    "proposer": "chose the article",
    "classifier": "graded the matter",
    "writer": "wrote the draft",
}
_FAULTS = {
    "unreachable": "The language model could not be reached",
    "timed_out": "The language model did not answer in time",
    "throttled": "The language model takes no more questions just now",
    "not_allowed": "The language model refuses this installation",
    "broken": "The language model has a fault",
    "declined": "The language model declined to answer",
    "truncated": "The language model gave no whole answer",
    "unusable": "The language model gave no usable answer",
    "spent": "The tokens or the time for this session are used up",
}


def paused_turn(
    state: HelpdeskState, session_id: AgentSessionId, question_id: str, budgets: ToolBudgets
) -> AgentTurn:
    """What a session shows that waits: a question, a proposal, or a draft; and in what it worked in
    a reduced way.
    """
    turn = _paused(state, session_id, question_id, budgets)
    return turn.model_copy(update={"degraded": degraded_in(state)})


def degraded_in(state: HelpdeskState) -> str | None:
    """Where rules stood in for the model since the last pause, in a sentence; None: nowhere."""
    degraded = state.get("degraded", {})
    if not degraded:
        return None
    parts = [words for role, words in _PARTS.items() if role in degraded]
    did = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    # Of several causes the first: the others mostly follow from it.
    return f"{_FAULTS[next(iter(degraded.values()))]}, so rules {did}."


def _paused(
    state: HelpdeskState, session_id: AgentSessionId, question_id: str, budgets: ToolBudgets
) -> AgentTurn:
    if is_draft(state):
        return _draft(state, session_id, question_id)
    asked = state["awaiting_user"]
    if asked["key"] is None:
        return _proposal(state, session_id, question_id)
    return AgentTurn(
        session_id=session_id,
        kind=TurnKind.QUESTION,
        message=asked["text"],
        choices=list(asked["choices"]),
        pending_question_id=question_id,
        question_number=asked["number"],
        question_limit=budgets.questions,
        candidates=_candidates(state),
        web_results=_web_pages(state),
    )


def is_draft(state: HelpdeskState) -> bool:
    """Whether what waits is a draft; else it is a question."""
    return bool(state["step"]["action"] == NextAction.WRITE_DRAFT)


def _candidates(state: HelpdeskState) -> Sequence[Any] | None:
    return state.get("duplicate_candidates") or None


def _web_pages(state: HelpdeskState) -> list[WebPage] | None:
    return [WebPage(**one) for one in state.get("web_search_results", [])] or None


def _proposal(state: HelpdeskState, session_id: AgentSessionId, question_id: str) -> AgentTurn:
    title = state["awaiting_user"]["text"]
    found = next(one for one in state["kb_retry_results"] if one["title"] == title)
    return AgentTurn.model_validate(
        {
            "session_id": session_id,
            "kind": TurnKind.QUESTION,
            "message": PROPOSAL,
            "choices": state["awaiting_user"]["choices"],
            "pending_question_id": question_id,
            "proposal": {
                "title": title,
                "text": state.get("solutions", {}).get(title, found["text"]),
            },
            "sources": found["sources"],
            "candidates": _candidates(state),
            "web_results": _web_pages(state),
        }
    )


def _draft(state: HelpdeskState, session_id: AgentSessionId, question_id: str) -> AgentTurn:
    candidates = _candidates(state)
    was_asked_for = not state.get("proposed_solutions") and not state.get("questions_asked")
    message = DRAFT_ASKED_FOR if was_asked_for else DRAFT_READY
    return AgentTurn.model_validate(
        {
            "session_id": session_id,
            "kind": TurnKind.DRAFT_READY,
            "message": f"{message} {POSSIBLE_DUPLICATE}" if candidates else message,
            "pending_question_id": question_id,
            "draft": state["draft"],
            "body_preview": state["body_preview"][0],
            "draft_digest": state["draft_digest"],
            "candidates": candidates,
            "web_results": _web_pages(state),
        }
    )


def resolved_turn(state: HelpdeskState, session_id: AgentSessionId) -> AgentTurn:
    """The end of a session that solved the matter."""
    return AgentTurn(session_id=session_id, kind=TurnKind.RESOLVED, message=_recap(state, RESOLVED))


def _recap(state: HelpdeskState, ending: str) -> str:
    graded = (
        classification_of(state)
        if "classification" in state
        else classify(state["case"]["original_question"], state.get("facts", {}))
    )
    return recap(matter_of(state, graded), ending)


def aborted_turn(session_id: AgentSessionId, reason: AbortReason) -> AgentTurn:
    """The end of a session that was ended before its end."""
    return AgentTurn(
        session_id=session_id, kind=TurnKind.ABORTED, message=ABORTED[reason], reason=reason
    )


def confirmed_turn(
    session: AgentSession, outcome: Outcome, filed: Ticket | LinkedIssue
) -> AgentTurn:
    """The end of a session that was filed or linked."""
    if isinstance(filed, LinkedIssue):
        return AgentTurn(
            session_id=session.id,
            kind=TurnKind.LINKED,
            message=LINKED_ISSUE.format(number=filed.number),
            linked_issue_url=filed.url,
            issue_url=filed.url,
            issue_number=filed.number,
        )
    if outcome is Outcome.LINKED:
        return AgentTurn(
            session_id=session.id,
            kind=TurnKind.LINKED,
            message=LINKED.format(number=filed.number),
            linked_issue_url=f"/my/tickets/{filed.id}",
            ticket_id=filed.id,
            ticket_number=filed.number,
        )
    return AgentTurn(
        session_id=session.id,
        kind=TurnKind.FILED,
        message=filed_text(filed),
        ticket_id=filed.id,
        ticket_number=filed.number,
        issue_state=filed.issue_state,
        deduplicated=False,
    )


def progress_of(state: HelpdeskState) -> dict[str, Any]:
    """What a session's view shows beside its turn: what was asked, told and is known."""
    return {
        "turns": state.get("turns_taken", 0),
        "questions": len(state.get("questions_asked", [])),
        "exchanges": state.get("exchanges", []),
        "facts": state.get("facts", {}),
        "problem": problem_of(state),
    }


def problem_of(state: HelpdeskState) -> str:
    """What a ticket about this is compared by when duplicates are sought."""
    return "\n".join([state["case"]["original_question"], *state.get("facts", {}).values()])


def steps_of(told: Sequence[RunEvent]) -> list[AgentStep]:
    """Each step as it was last told of."""
    steps = [AgentStep.model_validate(event.data) for event in told if event.kind == STEP]
    return list({step.seq: step for step in steps}.values())


def stopped_steps(known: Mapping[int, AgentStep]) -> list[AgentStep]:
    """The steps that were under way when their session ended, as they stand then."""
    stopped = {"status": StepStatus.STOPPED}
    running = [step for step in known.values() if step.status is StepStatus.RUNNING]
    return [step.model_copy(update=stopped) for step in running]


def is_solved(state: Mapping[str, Any]) -> bool:
    """Whether the graph's end is that the matter is solved."""
    return state.get("wish") == Wish.SOLVED.value
