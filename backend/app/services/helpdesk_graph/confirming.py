"""What a confirm does, in the transaction that accepts it."""

from dataclasses import dataclass

from backend.app.core.ids import IdSource
from backend.app.db.uow import Work
from backend.app.domain.agent_events import AgentUserConfirmed
from backend.app.domain.principals import Principal
from backend.app.domain.sessions import AgentSession, Outcome
from backend.app.schemas.helpdesk import AgentConfirmRequest, AgentTurn
from backend.app.services.helpdesk import filing
from backend.app.services.helpdesk.admission import AgentSessionNotFound
from backend.app.services.helpdesk.filing import DraftChanged, Filing
from backend.app.services.helpdesk.persist import upsert_agent_summary
from backend.app.services.helpdesk_graph import turns
from backend.app.services.helpdesk_graph.driver import HelpdeskDriver, about
from backend.app.services.helpdesk_graph.matter import draft_from
from backend.app.services.helpdesk_graph.sessions import shown
from backend.app.services.helpdesk_graph.tracing import trace_agent_tool

_file_ticket = trace_agent_tool("file_ticket")(Filing.file)


@dataclass(frozen=True, slots=True)
class Confirming:
    """Files or links, and ends the session with it."""

    ids: IdSource
    filing: Filing
    driver: HelpdeskDriver

    async def decided(
        self,
        work: Work,
        principal: Principal,
        session: AgentSession,
        request: AgentConfirmRequest,
    ) -> tuple[Outcome, AgentTurn]:
        """Write ticket or link, and the session's outcome with it: from here it cannot be ended
        otherwise.
        """
        digest = None
        if request.link is not None:
            outcome = Outcome.LINKED
            ticket = await self.filing.link(
                work, session, principal, request.link.source, request.link.number
            )
        else:
            assert request.draft is not None  # the schema says so
            outcome, digest = Outcome.FILED, request.draft_digest
            key = await work.sessions.instance_key()
            preview = filing.preview(draft_from(request.draft.model_dump()), session, key)
            if preview.digest != digest:
                raise DraftChanged(extra={"preview": shown(preview).model_dump(mode="json")})
            ticket = await _file_ticket(self.filing, work, session, principal, preview)
        turn = turns.confirmed_turn(session, outcome, ticket)
        message_id = await upsert_agent_summary(work, self.ids, session, turn)
        change = {"progress": session.progress, "outcome": outcome, "draft_digest": digest}
        told = await self.driver.finish(work, session, turn, change, message_id=message_id)
        if told is None:
            raise AgentSessionNotFound
        await work.facts.tell(
            AgentUserConfirmed(
                **about(session),
                issue_number=ticket.issue_number,
                ticket_number=ticket.number,
                draft_digest=digest,
            )
        )
        return outcome, told
