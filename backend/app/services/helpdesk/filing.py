"""From a confirmed draft to a ticket, from a confirmed link to a follower; once for each session.

Both happen in the transaction that accepts the confirm.
"""

import hashlib
import hmac
from dataclasses import dataclass, replace
from typing import Any

from backend.app.core.errors import Conflict
from backend.app.core.ids import IdSource
from backend.app.core.text import clean
from backend.app.db.repositories.tickets import NewTicket
from backend.app.db.uow import Work
from backend.app.domain.chat import ChatSessionId
from backend.app.domain.principals import Principal, Role
from backend.app.domain.redaction import redact
from backend.app.domain.sessions import (
    MAX_DRAFT_DESCRIPTION_CHARACTERS,
    MAX_DRAFT_TITLE_CHARACTERS,
    AgentSession,
    CandidateSource,
    TicketDraft,
)
from backend.app.domain.tickets import Ticket, TicketId
from backend.app.services.helpdesk.drafting import draft_digest, render_body
from backend.app.services.helpdesk.duplicates import TICKET_VECTORS_JOB

_HASH_CHARACTERS = 16


class DraftChanged(Conflict):
    """The draft would be filed differently from what was shown; look at it once more."""


class NotACandidate(Conflict):
    """This ticket was not among those that were found; it cannot be linked here."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A draft as it would be filed, and the digest that a confirm is bound to."""

    draft: TicketDraft
    body: str
    digest: str


def chat_hash(key: bytes, chat_session_id: ChatSessionId | None) -> str | None:
    """A chat session's name in a ticket's footer, from which its id cannot be guessed."""
    if chat_session_id is None:
        return None
    digest = hmac.new(key, str(chat_session_id).encode(), hashlib.sha256)
    return digest.hexdigest()[:_HASH_CHARACTERS]


def as_filed(draft: TicketDraft, *, session_id: str, chat_session_hash: str | None) -> Preview:
    """A draft without secrets, in the very characters that are shown, confirmed and filed."""
    title = " ".join(clean(redact(draft.title).text).split())
    safe = replace(
        draft,
        title=title[:MAX_DRAFT_TITLE_CHARACTERS].rstrip(),
        description=clean(redact(draft.description).text)[:MAX_DRAFT_DESCRIPTION_CHARACTERS],
    )
    body = render_body(safe, session_id=session_id, chat_session_hash=chat_session_hash)
    return Preview(safe, body, draft_digest(safe.title, body))


def preview(draft: TicketDraft, session: AgentSession, key: bytes) -> Preview:
    """How a draft would be filed for a session."""
    return as_filed(
        draft,
        session_id=str(session.id),
        chat_session_hash=chat_hash(key, session.chat_session_id),
    )


@dataclass(frozen=True, slots=True)
class Filing:
    """Files and links."""

    ids: IdSource

    async def file(
        self, work: Work, session: AgentSession, principal: Principal, shown: Preview
    ) -> Ticket:
        """The ticket of a confirmed draft. A session that has one already gets no second.

        Raises:
            DraftChanged: another draft of this session was filed before.
        """
        ticket = await work.tickets.file(
            NewTicket(
                id=TicketId(self.ids.uuid()),
                requester_id=principal.user_id,
                draft=shown.draft,
                body=shown.body,
                problem=str(session.progress.get("problem") or shown.draft.title),
                agent_session_id=session.id,
                chat_session_id=session.chat_session_id,
            ),
            draft_digest=shown.digest,
        )
        if ticket is None:
            raise DraftChanged
        await work.jobs.defer(TICKET_VECTORS_JOB, queueing_lock=TICKET_VECTORS_JOB)
        return ticket

    async def link(
        self,
        work: Work,
        session: AgentSession,
        principal: Principal,
        source: CandidateSource,
        number: int,
    ) -> Ticket:
        """Make the person a follower of a candidate that was shown in this session.

        Raises:
            NotACandidate: it was not shown, or is not there for this person any more.
        """
        shown: list[dict[str, Any]] = (session.turn or {}).get("candidates") or []
        if not any(one["source"] == source and one["number"] == number for one in shown):
            raise NotACandidate
        ticket = await work.tickets.by_number(
            number, principal.user_id, everybodys=principal.role.includes(Role.OPERATOR)
        )
        if ticket is None:
            raise NotACandidate
        await work.tickets.follow(ticket.id, principal.user_id)
        return ticket
