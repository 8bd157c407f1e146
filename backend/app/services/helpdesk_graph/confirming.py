"""What a confirm does, in the transaction that accepts it."""

from collections.abc import Awaitable
from dataclasses import dataclass

from backend.app.core.ids import IdSource
from backend.app.db.uow import Work
from backend.app.domain.agent_events import AgentUserConfirmed
from backend.app.domain.principals import Principal, UserId
from backend.app.domain.runs import Telling
from backend.app.domain.sessions import AgentSession, AgentSessionId, Outcome
from backend.app.domain.tickets import IssueState, Ticket
from backend.app.schemas.helpdesk import AgentConfirmRequest, AgentTurn
from backend.app.services.helpdesk import filing
from backend.app.services.helpdesk.admission import AgentSessionNotFound
from backend.app.services.helpdesk.filing import DraftChanged, Filing, LinkedIssue
from backend.app.services.helpdesk.leaving import Leaving
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
    leaving: Leaving

    @property
    def takes_out_names(self) -> bool:
        """Whether what is filed leaves the house."""
        return not self.leaving.stays_here

    async def without_names(
        self, request: AgentConfirmRequest, person: UserId
    ) -> AgentConfirmRequest:
        """The request with its draft as it may be filed; asked for before a transaction begins.

        Raises:
            NamesNotLookedFor: what must not leave is not known in time.
        """
        if request.draft is None:
            return request
        safe = await self.leaving.draft(draft_from(request.draft.model_dump()), asked_by=person)
        draft = request.draft.model_copy(
            update={"title": safe.title, "description": safe.description}
        )
        return request.model_copy(update={"draft": draft})

    async def decided(
        self,
        work: Work,
        principal: Principal,
        session: AgentSession,
        request: AgentConfirmRequest,
    ) -> tuple[Outcome, AgentTurn, Telling]:
        """Write ticket or link, and the session's outcome with it: from here it cannot be ended
        otherwise. What is to be told of it is the caller's to store.
        """
        digest = None
        filed: Ticket | LinkedIssue
        if request.link is not None:
            outcome = Outcome.LINKED
            filed = await self.filing.link(
                work, session, principal, request.link.source, request.link.number
            )
        else:
            assert request.draft is not None  # the schema says so
            outcome, digest = Outcome.FILED, request.draft_digest
            key = await filing.key_for(work, session)
            preview = filing.preview(
                draft_from(request.draft.model_dump()),
                session,
                key,
                max_characters=self.leaving.body_characters,
                stays_here=self.leaving.stays_here,
            )
            if preview.digest != digest:
                raise DraftChanged(extra={"preview": shown(preview).model_dump(mode="json")})
            filed = await _file_ticket(self.filing, work, session, principal, preview)
        turn = turns.confirmed_turn(session, outcome, filed)
        message_id = await upsert_agent_summary(work, self.ids, session, turn)
        change = {"progress": session.progress, "outcome": outcome, "draft_digest": digest}
        finished = await self.driver.finish(work, session, turn, change, message_id=message_id)
        if finished is None:
            raise AgentSessionNotFound
        confirmed = AgentUserConfirmed(
            **about(session),
            issue_number=filed.number if isinstance(filed, LinkedIssue) else None,
            ticket_number=filed.number if isinstance(filed, Ticket) else None,
            draft_digest=digest,
        )
        told, telling = finished
        return outcome, told, telling + Telling(facts=(confirmed,))

    def writing(self, turn: AgentTurn) -> Awaitable[AgentTurn | None] | None:
        """A confirmed turn's filing on its way to the tracker, with the turn that comes of it; None
        when none is. It goes on whoever waits.
        """
        if turn.issue_state is not IssueState.PENDING:
            return None
        return self.filing.issues.take_up(AgentSessionId(turn.session_id))
