"""What the tracker's webhook tells: taken in once, noted on the ticket, said in its chat.

Nothing of an issue's or comment's text is kept or shown: it is anybody's who may write there.
"""

import hashlib
import hmac
from dataclasses import dataclass

from backend.app.core.errors import Forbidden, Invalid, NotFound
from backend.app.core.github_settings import GitHubSettings
from backend.app.core.ids import IdSource
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain.chat import ChatMessageId, ChatNotice, NoticeKind
from backend.app.domain.events import TrackerIssueChanged
from backend.app.domain.tickets import IssueStatus, Ticket
from backend.app.domain.tracker import IssueChange, IssueChangeKind
from backend.app.schemas.tracker import Delivery

_PREFIX = "sha256="
_STATUS = {
    IssueChangeKind.CLOSED: IssueStatus.CLOSED,
    IssueChangeKind.REOPENED: IssueStatus.OPEN,
}
_NOTICES = {
    IssueChangeKind.CLOSED: NoticeKind.ISSUE_CLOSED,
    IssueChangeKind.REOPENED: NoticeKind.ISSUE_REOPENED,
    IssueChangeKind.COMMENTED: NoticeKind.ISSUE_COMMENTED,
}
_TEXTS = {
    IssueChangeKind.CLOSED: "Issue #{issue} of your ticket #{ticket} was closed.",
    IssueChangeKind.REOPENED: "Issue #{issue} of your ticket #{ticket} was opened again.",
    IssueChangeKind.COMMENTED: "Somebody commented on issue #{issue} of your ticket #{ticket}.",
}
_KINDS = {
    ("issues", "closed"): IssueChangeKind.CLOSED,
    ("issues", "reopened"): IssueChangeKind.REOPENED,
    ("issue_comment", "created"): IssueChangeKind.COMMENTED,
}


class WebhookNotSet(NotFound):
    """There is nothing here under this address."""

    @classmethod
    def code(cls) -> str:
        """The word for every address under which there is nothing."""
        return "not_found"


class SignatureMissing(Forbidden):
    """The delivery is not signed with this webhook's secret."""


class DeliveryUnreadable(Invalid):
    """The delivery is not of the expected form."""


@dataclass(frozen=True, slots=True)
class IssueWatch:
    """Takes in what the tracker delivers."""

    uow: UnitOfWork
    ids: IdSource
    settings: GitHubSettings

    def refuse_unless_set(self) -> None:
        """Raise `WebhookNotSet` when there is no receiver."""
        if self.settings.webhook_secret is None or not self.settings.repo:
            raise WebhookNotSet

    def refuse_unsigned(self, body: bytes, signature: str) -> None:
        """Raise `SignatureMissing` unless the body was signed with the webhook's secret."""
        self.refuse_unless_set()
        assert self.settings.webhook_secret is not None
        key = self.settings.webhook_secret.get_secret_value().encode()
        expected = _PREFIX + hmac.new(key, body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")):
            raise SignatureMissing

    async def take(self, event: str, delivery_id: str, body: bytes) -> int:
        """Take in a signed delivery; how many tickets it changed. The same delivery, or the same
        content under another id, changes nothing twice: the id is not part of what is signed.

        Raises:
            DeliveryUnreadable: it is not what the tracker sends.
        """
        change = self._change(event, body)
        if change is None:
            return 0
        async with self.uow() as work:
            if not await work.filings.take_in(delivery_id, hashlib.sha256(body).digest()):
                return 0
            tickets = await work.tickets.of_issue_unscoped(change.number)
            return sum([await self._note(work, one, change) for one in tickets])

    def _change(self, event: str, body: bytes) -> IssueChange | None:
        """What a delivery says that concerns us."""
        if event not in {name for name, _ in _KINDS}:
            return None
        try:
            told = Delivery.model_validate_json(body)
        except ValueError as error:
            raise DeliveryUnreadable from error
        kind = _KINDS.get((event, told.action))
        if kind is None or told.issue.pull_request is not None:
            return None
        if told.repository.full_name.lower() != (self.settings.repo or "").lower():
            return None
        return IssueChange(told.issue.number, kind, told.issue.updated_at)

    async def _note(self, work: Work, ticket: Ticket, change: IssueChange) -> bool:
        chat = None
        if ticket.chat_session_id is not None:
            # Before the ticket's row, as whoever deletes a chat takes them.
            chat = await work.chat.session(
                ticket.chat_session_id, ticket.requester_id, for_update=True
            )
        status = _STATUS.get(change.kind)
        if not await work.filings.issue_changed(ticket.id, status, change.at):
            return False
        if chat is not None:
            notice = ChatNotice(_NOTICES[change.kind], ticket.id, ticket.number, change.number)
            text = _TEXTS[change.kind].format(issue=change.number, ticket=ticket.number)
            await work.chat.add_notice(ChatMessageId(self.ids.uuid()), chat, text, notice)
        await work.facts.tell(
            TrackerIssueChanged(
                ticket_number=ticket.number, issue_number=change.number, change=change.kind
            )
        )
        return True
