"""Telling how the issue of a filed ticket stands: in the session's turn, its line in the chat, its
events, and as facts. What a person was shown at first is brought up to date, never contradicted.
"""

from dataclasses import dataclass
from typing import Any

from backend.app.core.ids import IdSource
from backend.app.db.uow import Work
from backend.app.domain.agent_events import AgentIssueFiled, AgentToolCalled
from backend.app.domain.runs import ThreadId
from backend.app.domain.sessions import AgentSession, Outcome, StepStatus
from backend.app.domain.tickets import FilingState, IssueState, Ticket
from backend.app.domain.tracker import FilingRecord
from backend.app.schemas.helpdesk import AgentTurn
from backend.app.services.helpdesk.persist import upsert_agent_summary

FILED = "Filed as ticket #{number}. You will find it among your tickets."
ISSUE = {
    IssueState.OFF: "",
    IssueState.PENDING: " It is not in the tracker yet; that follows by itself.",
    IssueState.UNKNOWN: " Whether it is in the tracker is being checked; that follows by itself.",
    IssueState.REFUSED: " The tracker did not take it; the ticket stands here all the same.",
    IssueState.FILED: " In the tracker it is issue #{issue}.",
}
#: Under which a run's events and streams know a turn.
_TURN = "turn"
_TOOL = "file_ticket"
_OUTCOMES = {
    FilingState.FILED: StepStatus.OK,
    FilingState.REFUSED: StepStatus.FAILED,
    FilingState.UNKNOWN: StepStatus.TIMED_OUT,
}


def filed_text(ticket: Ticket) -> str:
    """What a person is told of a ticket that was filed."""
    return (FILED + ISSUE[ticket.issue_state]).format(
        number=ticket.number, issue=ticket.issue_number
    )


@dataclass(frozen=True, slots=True)
class ToTell:
    """Whom a filing's news concern; None where the session went with its chat."""

    record: FilingRecord
    session: AgentSession | None


@dataclass(frozen=True, slots=True)
class IssueNews:
    """Brings what was shown of a filing up to date."""

    ids: IdSource

    async def prepare(self, work: Work, record: FilingRecord) -> ToTell:
        """Take the chat's row, before anything of ticket or filing: whoever deletes a chat takes
        them in this order.
        """
        session = await work.sessions.session_unscoped(record.session_id)
        if session is not None and session.chat_session_id is not None:
            await work.chat.session(session.chat_session_id, session.user_id, for_update=True)
            session = await work.sessions.session_unscoped(record.session_id)
        return ToTell(record, session)

    async def tell(
        self,
        work: Work,
        told: ToTell,
        *,
        outcome: FilingState,
        took: int | None = None,
        was_found: bool = False,
    ) -> None:
        """Write the news; in the transaction that changed the filing. ``took``: milliseconds, of an
        attempt to write; None when there was none.
        """
        ticket = await work.tickets.ticket_unscoped(told.record.ticket_id)
        if ticket is None:
            return
        if told.session is not None and told.session.outcome is Outcome.FILED:
            await self._show(work, told.session, ticket)
        await self._facts(work, told, ticket, outcome, took, was_found=was_found)

    async def _show(self, work: Work, session: AgentSession, ticket: Ticket) -> None:
        turn = AgentTurn.model_validate(session.turn).model_copy(
            update={
                "message": filed_text(ticket),
                "issue_state": ticket.issue_state,
                "issue_url": ticket.issue_url,
                "issue_number": ticket.issue_number,
            }
        )
        dumped = turn.model_dump(mode="json", exclude_none=True)
        if dumped == session.turn:
            return
        await upsert_agent_summary(work, self.ids, session, turn)
        await work.sessions.amend_turn(session.id, dumped)
        await work.run_events.append(ThreadId(session.id), (_TURN, dumped))

    async def _facts(
        self,
        work: Work,
        told: ToTell,
        ticket: Ticket,
        outcome: FilingState,
        took: int | None,
        *,
        was_found: bool,
    ) -> None:
        about: dict[str, Any] = {
            "actor_id": None,
            "agent_session_id": told.record.session_id,
            "chat_session_id": ticket.chat_session_id,
        }
        if took is not None:
            await work.facts.tell(
                AgentToolCalled(**about, tool=_TOOL, outcome=_OUTCOMES[outcome], duration_ms=took)
            )
        if outcome is FilingState.FILED and ticket.issue_number is not None:
            await work.facts.tell(
                AgentIssueFiled(
                    **about,
                    issue_number=ticket.issue_number,
                    ticket_number=ticket.number,
                    attempts=max(1, told.record.attempts),
                    was_found=was_found,
                )
            )
