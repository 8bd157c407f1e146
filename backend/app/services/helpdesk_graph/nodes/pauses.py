"""The two pauses, and the four ends.

A node that interrupts does nothing else: it is run again from its first line.
"""

from langgraph.types import interrupt

from backend.app.domain.budgets import Wish
from backend.app.domain.sessions import NextAction, Outcome
from backend.app.services.helpdesk.clarifying import fact_from_reply, facts_from
from backend.app.services.helpdesk.replies import PROPOSAL_CHOICES, Reading, read_verdict
from backend.app.services.helpdesk_graph.matter import ADDED
from backend.app.services.helpdesk_graph.nodes.steps import Update, tell_done
from backend.app.services.helpdesk_graph.state import HelpdeskState

_WISHES = {
    Reading.SOLVED: Wish.SOLVED,
    Reading.WANTS_TICKET: Wish.TICKET,
    Reading.WANTS_TO_STOP: Wish.STOP,
}
#: What a session knew of its tools, once it has ended.
_FORGOTTEN: Update = {"tool_results": {}}


async def await_user(state: HelpdeskState) -> Update:
    """Wait for an answer, and take it in."""
    answer = interrupt({"kind": "question"})
    asked = state["awaiting_user"]
    reply = answer.get("reply") or answer.get("choice") or ""
    reading = read_verdict(reply, answer.get("choice"))
    # A verdict that was chosen says nothing of the matter: nothing to search or to grade by.
    told_more = [] if reply in PROPOSAL_CHOICES else [reply]
    update: Update = {
        "user_replies": [*state.get("user_replies", []), *told_more],
        "wish": _WISHES.get(reading, Wish.GO_ON).value,
        "exchanges": [*state.get("exchanges", []), {"question": asked["text"], "reply": reply}],
    }
    if asked["key"] is None:
        if reading not in {Reading.SOLVED, Reading.WANTS_TICKET}:  # which says nothing of the fix
            update["rejected_solutions"] = [*state.get("rejected_solutions", []), asked["text"]]
        return update
    told = fact_from_reply(asked["key"], reply, answer.get("choice"))
    return {**update, "facts": {**state.get("facts", {}), **told}}


async def await_confirm(state: HelpdeskState) -> Update:
    """Wait for the owner's word on the draft: a confirm, a link, or something to add to it."""
    answer = interrupt({"kind": "draft"})
    if "confirmed" in answer:
        return {"answer": answer, "outcome": answer["confirmed"]}
    reply = answer.get("reply") or answer.get("choice") or ""
    wish = _WISHES.get(read_verdict(reply), Wish.GO_ON)
    if wish is Wish.TICKET:  # that is what the draft is for
        wish = Wish.GO_ON
    update: Update = {
        "answer": answer,
        "wish": wish.value,
        "user_replies": [*state.get("user_replies", []), reply],
    }
    if wish is not Wish.GO_ON:
        return update
    step = state["step"]
    return {
        **update,
        "exchanges": [*state.get("exchanges", []), {"question": ADDED, "reply": reply}],
        "facts": {**state.get("facts", {}), **facts_from(reply)},
        # A redraft is a step of its own, but none of the supervisor's turns.
        "step": {
            **step,
            "seq": step["seq"] + 1,
            "action": NextAction.WRITE_DRAFT.value,
            "reason": "something was added to the draft",
            "is_decided": False,
        },
    }


async def file_ticket(_state: HelpdeskState) -> Update:
    """The end of a session that was filed. Its ticket was written with the confirm, which also sees
    to its issue in an outside tracker.
    """
    return {"next_action": NextAction.FILE_NEW.value, **_FORGOTTEN}


async def link_ticket(_state: HelpdeskState) -> Update:
    """The end of a session that was linked, which happened with the confirm."""
    return {"next_action": NextAction.LINK_EXISTING.value, **_FORGOTTEN}


async def resolved(state: HelpdeskState) -> Update:
    """The end of a session that solved the matter."""
    tell_done(state)
    return {"outcome": Outcome.RESOLVED_BY_AGENT.value, **_FORGOTTEN}


async def aborted(state: HelpdeskState) -> Update:
    """The end of a session that its person wanted to stop."""
    tell_done(state)
    return {"outcome": Outcome.ABORTED.value, **_FORGOTTEN}
