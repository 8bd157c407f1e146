"""A person's chat sessions, their messages, and their verdicts on answers."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from backend.app.core.errors import NotFound, TooMany
from backend.app.core.ids import IdSource
from backend.app.core.settings import ChatSettings
from backend.app.db.uow import UnitOfWork
from backend.app.domain import events
from backend.app.domain.chat import (
    OUTCOMES_OF_LINES,
    STILL_OPEN,
    ChatMessage,
    ChatMessageId,
    ChatMode,
    ChatSession,
    ChatSessionId,
    ChatSessionNotFound,
    Rating,
)
from backend.app.domain.principals import Principal

_RATE_WINDOW = timedelta(minutes=1)


class AnswerNotFound(NotFound):
    """There is no such answer."""


class TooManyChats(TooMany):
    """You are opening conversations faster than is allowed; wait a moment."""


@dataclass(frozen=True, slots=True)
class ChatSessions:
    """Opening, listing, changing and deleting one's own chat sessions.

    ``end_work`` ends whatever is still worked on in a chat that its person is about to delete.
    """

    uow: UnitOfWork
    ids: IdSource
    settings: ChatSettings
    end_work: Callable[[Principal, ChatSessionId], Awaitable[None]]

    async def open(self, principal: Principal, mode: ChatMode | None) -> ChatSession:
        """A new, empty chat session; without a mode it takes the one that is set."""
        chosen = mode or ChatMode(self.settings.default_mode)
        async with self.uow() as work:
            hit = await work.rates.hit(
                f"chat-session:{principal.user_id}",
                limit=self.settings.messages_per_minute,
                window=_RATE_WINDOW,
            )
        if hit.wait is not None:
            raise TooManyChats(retry_after=hit.wait)
        async with self.uow() as work:
            session = await work.chat.add_session(
                ChatSessionId(self.ids.uuid()), principal.user_id, chosen
            )
            await work.facts.tell(
                events.ChatSessionStarted(
                    actor_id=principal.user_id,
                    chat_session_id=session.id,
                    mode=chosen,
                    credential=principal.credential,
                )
            )
        return session

    async def page(
        self, principal: Principal, *, limit: int, before: tuple[datetime, UUID] | None
    ) -> Sequence[ChatSession]:
        """One's own chat sessions, newest activity first, after the position ``before``."""
        async with self.uow() as work:
            return await work.chat.sessions(principal.user_id, limit=limit, before=before)

    async def get(self, principal: Principal, session_id: ChatSessionId) -> ChatSession:
        """One's own chat session, or `ChatSessionNotFound`."""
        async with self.uow() as work:
            session = await work.chat.session(session_id, principal.user_id)
        if session is None:
            raise ChatSessionNotFound
        return session

    async def change(
        self,
        principal: Principal,
        session_id: ChatSessionId,
        *,
        mode: ChatMode | None,
        title: str | None,
    ) -> ChatSession:
        """Change mode or title of one's own chat session."""
        async with self.uow() as work:
            session = await work.chat.change_session(
                session_id, principal.user_id, mode=mode, title=title
            )
        if session is None:
            raise ChatSessionNotFound
        return session

    async def delete(self, principal: Principal, session_id: ChatSessionId) -> None:
        """Delete one's own chat session with its messages."""
        await self.end_work(principal, session_id)
        async with self.uow() as work:
            if not await work.chat.delete_session(session_id, principal.user_id):
                raise ChatSessionNotFound
            await work.facts.tell(
                events.ChatSessionDeleted(actor_id=principal.user_id, chat_session_id=session_id)
            )

    async def messages(
        self, principal: Principal, session_id: ChatSessionId, *, limit: int, before_seq: int | None
    ) -> Sequence[ChatMessage]:
        """The newest ``limit`` messages before ``before_seq``, ascending."""
        async with self.uow() as work:
            if await work.chat.session(session_id, principal.user_id) is None:
                raise ChatSessionNotFound
            return await work.chat.messages(session_id, limit=limit, before_seq=before_seq)

    async def rate(
        self,
        principal: Principal,
        message_id: ChatMessageId,
        rating: Rating | None,
        comment: str | None,
    ) -> ChatMessage:
        """Set or clear one's verdict on an answer."""
        async with self.uow() as work:
            before = await work.chat.answer(message_id, principal.user_id)
            if before is None:
                raise AnswerNotFound
            message = await work.chat.rate_answer(message_id, principal.user_id, rating, comment)
            if before.feedback is rating:
                return message
            await work.facts.tell(
                events.AnswerRated(
                    actor_id=principal.user_id,
                    message_id=message_id,
                    rating=rating,
                    outcome=_outcome_of(message),
                )
            )
        return message


def _outcome_of(message: ChatMessage) -> str | None:
    """How the agent session of a line ended; None of other lines."""
    if message.agent_summary is None:
        return None
    return OUTCOMES_OF_LINES.get(message.agent_summary.kind, STILL_OPEN)
