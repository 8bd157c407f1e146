"""From a confirmed draft to a ticket, from a confirmed link to a follower; once for each session.

Both happen in the transaction that accepts the confirm.
"""

import hashlib
import hmac
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from backend.app.core.errors import Conflict
from backend.app.core.ids import IdSource
from backend.app.core.text import clean
from backend.app.db.repositories.tickets import NewTicket
from backend.app.db.uow import Work
from backend.app.domain.chat import ChatSessionId
from backend.app.domain.placeholders import Placeholders, by_rules
from backend.app.domain.principals import Principal, Role
from backend.app.domain.redaction import redact
from backend.app.domain.sessions import (
    MAX_DRAFT_DESCRIPTION_CHARACTERS,
    MAX_DRAFT_TITLE_CHARACTERS,
    AgentSession,
    AgentSessionId,
    CandidateSource,
    TicketDraft,
)
from backend.app.domain.tickets import IssueState, Ticket, TicketId
from backend.app.services.helpdesk.drafting import (
    MAX_BODY_CHARACTERS,
    draft_digest,
    marker_of,
    render_body,
)
from backend.app.services.helpdesk.github import IssueWriter

_HASH_CHARACTERS = 16


class DraftChanged(Conflict):
    """The draft would be filed differently from what was shown; look at it once more."""


class NotACandidate(Conflict):
    """This ticket was not among those that were found; it cannot be linked here."""


@dataclass(frozen=True, slots=True)
class LinkedIssue:
    """An issue of the tracker that a session was linked to, as our own search found it."""

    number: int
    url: str


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


def as_filed(
    draft: TicketDraft,
    *,
    session_id: str,
    chat_session_hash: str | None,
    max_characters: int = MAX_BODY_CHARACTERS,
    stays_here: bool = False,
) -> Preview:
    """A draft without secrets and, unless it ``stays_here``, without ways to reach people; in the
    very characters that are shown, confirmed and filed. Names go before, by `Leaving.draft`, for
    they take a model's time.
    """
    known = Placeholders()
    known.make_room([draft.title, draft.description])

    def safe_text(text: str) -> str:
        return clean(redact(text).text) if stays_here else by_rules(text, known)

    title = " ".join(safe_text(draft.title).split())
    safe = replace(
        draft,
        title=title[:MAX_DRAFT_TITLE_CHARACTERS].rstrip(),
        description=safe_text(draft.description)[:MAX_DRAFT_DESCRIPTION_CHARACTERS],
    )
    body = render_body(
        safe,
        session_id=session_id,
        chat_session_hash=chat_session_hash,
        max_characters=max_characters,
    )
    return Preview(safe, body, draft_digest(safe.title, body))


async def key_for(work: Work, session: AgentSession) -> bytes:
    """What `chat_hash` needs of a session; nothing of one without a chat."""
    return await work.sessions.instance_key() if session.chat_session_id else b""


def preview(
    draft: TicketDraft,
    session: AgentSession,
    key: bytes,
    *,
    max_characters: int = MAX_BODY_CHARACTERS,
    stays_here: bool = False,
) -> Preview:
    """How a draft would be filed for a session."""
    return as_filed(
        draft,
        session_id=str(session.id),
        chat_session_hash=chat_hash(key, session.chat_session_id),
        max_characters=max_characters,
        stays_here=stays_here,
    )


@dataclass(frozen=True, slots=True)
class Filing:
    """Files and links."""

    ids: IdSource
    issues: IssueWriter

    async def file(
        self, work: Work, session: AgentSession, principal: Principal, shown: Preview
    ) -> Ticket:
        """The ticket of a confirmed draft, and with it the filing, reserved where there is a
        tracker to write it to. A session that has one already gets no second.

        Raises:
            DraftChanged: another draft of this session was filed before.
        """
        new = NewTicket(
            id=TicketId(self.ids.uuid()),
            requester_id=principal.user_id,
            draft=shown.draft,
            body=shown.body,
            problem=str(session.progress.get("problem") or shown.draft.title),
            agent_session_id=session.id,
            chat_session_id=session.chat_session_id,
        )
        ticket = await self.write(work, new, session.id, digest=shown.digest)
        if ticket is None:
            raise DraftChanged
        return ticket

    async def write(
        self,
        work: Work,
        new: NewTicket,
        filing_id: UUID,
        *,
        digest: str,
        request_key: str | None = None,
    ) -> Ticket | None:
        """A ticket with its filing, reserved where there is a tracker to write it to; None when its
        session has a ticket already. ``filing_id`` names the act: the session, where there is one.
        """
        ticket = await work.tickets.file(new)
        if ticket is None:
            return None
        is_outside = await self.issues.is_on(work)
        confirmed_at = await work.filings.reserve(
            AgentSessionId(filing_id),
            ticket.id,
            draft_digest=digest,
            confirmed_by=new.requester_id,
            marker=marker_of(new.body) if is_outside else None,
            request_key=request_key,
        )
        if not is_outside:
            return ticket
        await self.issues.ask_for(work, AgentSessionId(filing_id), at=confirmed_at)
        return replace(ticket, issue_state=IssueState.PENDING)

    async def link(
        self,
        work: Work,
        session: AgentSession,
        principal: Principal,
        source: CandidateSource,
        number: int,
    ) -> Ticket | LinkedIssue:
        """Make the person a follower of a candidate that was shown in this session; an issue stands
        in the tracker, and is only named.

        Raises:
            NotACandidate: it was not shown, or is not there for this person any more.
        """
        shown: list[dict[str, Any]] = (session.turn or {}).get("candidates") or []
        wanted = (one for one in shown if one["source"] == source and one["number"] == number)
        found = next(wanted, None)
        if found is None:
            raise NotACandidate
        if source is CandidateSource.GITHUB:
            return LinkedIssue(number, found["url"])
        ticket = await work.tickets.by_number(
            number, principal.user_id, everybodys=principal.role.includes(Role.OPERATOR)
        )
        if ticket is None:
            raise NotACandidate
        await work.tickets.follow(ticket.id, principal.user_id)
        return ticket
