"""What a person can do without the agent: a summary, a draft, a ticket that they file themselves.

It works by rules, so it is there whatever else is away or switched off.
"""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from backend.app.core.errors import TooMany
from backend.app.core.ids import IdSource
from backend.app.core.settings import ChatSettings
from backend.app.db.repositories.tickets import NewTicket
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain.agent_events import TicketFiledByHand
from backend.app.domain.chat import ChatSessionId, ChatSessionNotFound
from backend.app.domain.principals import Credential, Principal
from backend.app.domain.redaction import redact
from backend.app.domain.sessions import AgentSessionId, ConversationTurn, TicketDraft
from backend.app.domain.tickets import Ticket, TicketId, TicketOrigin
from backend.app.schemas.escalation import CreateIssueRequest
from backend.app.schemas.helpdesk import WhatWasSaid
from backend.app.services.helpdesk import drafting
from backend.app.services.helpdesk.admission import Admission, IdempotencyKeyTaken
from backend.app.services.helpdesk.clarifying import facts_from
from backend.app.services.helpdesk.classifying import classify
from backend.app.services.helpdesk.conversation import is_matter, told_in
from backend.app.services.helpdesk.drafting import Matter
from backend.app.services.helpdesk.filing import Filing, Preview, as_filed, chat_hash
from backend.app.services.helpdesk.leaving import Leaving
from backend.app.services.helpdesk.titling import title_of

#: The same text again within this time is the same ticket.
REPEATED_WITHIN = timedelta(minutes=10)
_RATE_WINDOW = timedelta(minutes=1)
_MAX_PROBLEM_CHARACTERS = 2000


class AskedTooOften(TooMany):
    """You are asking faster than is allowed; wait a moment."""


@dataclass(frozen=True, slots=True)
class Filed:
    """A ticket, and whether the same request had made it before."""

    ticket: Ticket
    is_repeat: bool


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft, and how its text would stand in the ticket, above the footer."""

    draft: TicketDraft
    body: str


@dataclass(frozen=True, slots=True)
class Escalation:
    """Summarises, drafts and files."""

    uow: UnitOfWork
    ids: IdSource
    admission: Admission
    filing: Filing
    leaving: Leaving
    chat: ChatSettings

    async def summarise(self, principal: Principal, said: WhatWasSaid) -> tuple[str, str]:
        """A title and a few lines of Markdown.

        Raises:
            ChatSessionNotFound: not one's own chat.
            AskedTooOften: the limit per minute is reached.
            NothingToWorkOn, ConversationTooLong: see `told_in`.
        """
        matter = await self._matter(principal, said)
        title = redact(title_of(matter.question, matter.facts)).text
        return title, drafting.summarise(matter)

    async def draft(self, principal: Principal, said: WhatWasSaid) -> Drafted:
        """A ticket about what was said; nothing is stored. Raises what `summarise` does."""
        written = drafting.write_draft(await self._matter(principal, said))
        shown = self._shown(await self.leaving.draft(written, asked_by=principal.user_id), "", None)
        return Drafted(shown.draft, drafting.without_footer(shown.body))

    async def file(
        self, principal: Principal, request: CreateIssueRequest, key: str | None
    ) -> Filed:
        """File exactly this text, once: the same key, or without one the same text within ten
        minutes, leads to the same ticket.

        Raises:
            IdempotencyKeyTaken: the key stands for another ticket.
            ChatSessionNotFound: not one's own chat.
            AskedTooOften, DailyCapReached: a limit is reached; repetitions do not count, unless the
                text leaves the house, for it is looked through before it is compared.
            NamesNotLookedFor: what must not leave is not known in time.
        """
        chat_id = ChatSessionId(request.chat_session_id) if request.chat_session_id else None
        if not self.leaving.stays_here:
            # Names take a model's time: counted, and looked whose chat it is, before that.
            async with self.uow() as work:
                await _own_chat(work, principal, chat_id)
                await self._count(work, principal)
        draft = await self.leaving.draft(
            TicketDraft(**request.draft.model_dump()), asked_by=principal.user_id
        )
        digest = self._shown(draft, "", None).digest
        filing_id = self.ids.uuid()
        async with self.uow() as work:
            await work.tickets.one_at_a_time(principal.user_id)
            before = await work.tickets.filed_before(
                principal.user_id, request_key=key, digest=digest, within=REPEATED_WITHIN
            )
            if before is not None:
                if before.digest != digest:
                    raise IdempotencyKeyTaken
                return Filed(before.ticket, is_repeat=True)
            await _own_chat(work, principal, chat_id, for_update=True)
            if self.leaving.stays_here:
                await self._count(work, principal)
            await self.admission.refuse_over_cap(work, principal)
            ticket = await self._write(work, principal, draft, chat_id, key, digest, filing_id)
        self.filing.issues.take_up(AgentSessionId(filing_id))  # nobody waits for it
        return Filed(ticket, is_repeat=False)

    async def _write(
        self,
        work: Work,
        principal: Principal,
        draft: TicketDraft,
        chat_id: ChatSessionId | None,
        key: str | None,
        digest: str,
        filing_id: UUID,
    ) -> Ticket:
        hashed = chat_hash(await work.sessions.instance_key(), chat_id)
        shown = self._shown(draft, str(filing_id), hashed)
        is_token = principal.credential is Credential.ACCESS_TOKEN
        new = NewTicket(
            id=TicketId(self.ids.uuid()),
            requester_id=principal.user_id,
            draft=shown.draft,
            body=shown.body,
            problem=f"{shown.draft.title}\n{shown.draft.description}"[:_MAX_PROBLEM_CHARACTERS],
            agent_session_id=None,
            chat_session_id=chat_id,
            origin=TicketOrigin.API if is_token else TicketOrigin.WEB,
        )
        ticket = await self.filing.write(work, new, filing_id, digest=digest, request_key=key)
        assert ticket is not None  # only a session's second ticket is none
        await work.facts.tell(
            TicketFiledByHand(
                actor_id=principal.user_id, ticket_number=ticket.number, draft_digest=digest
            )
        )
        return ticket

    def _shown(self, draft: TicketDraft, filing_id: str, hashed: str | None) -> Preview:
        return as_filed(
            draft,
            session_id=filing_id,
            chat_session_hash=hashed,
            max_characters=self.leaving.body_characters,
            stays_here=self.leaving.stays_here,
        )

    async def _matter(self, principal: Principal, said: WhatWasSaid) -> Matter:
        chat_id = ChatSessionId(said.chat_session_id) if said.chat_session_id else None
        async with self.uow() as work:
            await _own_chat(work, principal, chat_id)
            await self._count(work, principal)
            said_there = await told_in(work, chat_id, said.conversation)
        turns = [ConversationTurn(role, redact(content).text) for role, content in said_there.turns]
        theirs = [turn.content for turn in turns if is_matter(turn.role, turn.content)]
        facts = facts_from("\n".join(theirs))
        return Matter(
            question=theirs[-1],
            conversation=tuple(turns),
            facts=facts,
            answers=(),
            rejected=tuple(said_there.unhelpful),
            searched=(),
            classification=classify("\n".join(theirs), facts),
        )

    async def _count(self, work: Work, principal: Principal) -> None:
        """Count a request against the limit that messages of the chat have."""
        hit = await work.rates.hit(
            f"escalation:{principal.user_id}",
            limit=self.chat.messages_per_minute,
            window=_RATE_WINDOW,
        )
        if hit.wait is not None:
            raise AskedTooOften(retry_after=hit.wait)


async def _own_chat(
    work: Work, principal: Principal, chat_id: ChatSessionId | None, *, for_update: bool = False
) -> None:
    if chat_id is None:
        return
    if await work.chat.session(chat_id, principal.user_id, for_update=for_update) is None:
        raise ChatSessionNotFound
