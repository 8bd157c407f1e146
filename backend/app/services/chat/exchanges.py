"""Asking a question in a chat session: store it, answer it, store the answer.

The question is stored before the answer is sought, and the work belongs to the session and not to
the socket: a client that goes away changes nothing. The same idempotency key never asks twice.
"""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta

from backend.app.core import text
from backend.app.core.clock import Clock
from backend.app.core.errors import Invalid, TooMany
from backend.app.core.ids import IdSource
from backend.app.core.settings import ChatSettings
from backend.app.core.tasks import Tasks
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain import events
from backend.app.domain.chat import (
    MAX_TITLE_CHARACTERS,
    Answer,
    ChatMessage,
    ChatMessageId,
    ChatSession,
    ChatSessionId,
    Exchange,
)
from backend.app.domain.principals import Principal
from backend.app.services.chat.answering import compose
from backend.app.services.chat.sessions import ChatSessionNotFound
from backend.app.services.knowledge.library import KnowledgeLibrary

_EXAMPLES_TRIED = 15
_RATE_WINDOW = timedelta(minutes=1)


class EmptyMessage(Invalid):
    """Write something first."""


class TooManyMessages(TooMany):
    """You are asking faster than is allowed; wait a moment."""


class IdempotencyKeyReused(Invalid):
    """This Idempotency-Key was used for another message."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A stored question, and its answer when there is one already."""

    session: ChatSession
    question: ChatMessage
    answer: ChatMessage | None


@dataclass(frozen=True, slots=True)
class ChatExchanges:
    """Questions and answers in one's own chat sessions."""

    uow: UnitOfWork
    ids: IdSource
    clock: Clock
    library: KnowledgeLibrary
    tasks: Tasks
    settings: ChatSettings

    async def example_questions(self, *, limit: int = 3) -> list[str]:
        """Questions that do get an answer, to begin an empty chat with; may be none."""
        found: list[str] = []
        for question in await self.library.questions(limit=_EXAMPLES_TRIED):
            if compose(await self.library.search(question)).kb_resolved:
                found.append(question)
            if len(found) == limit:
                break
        return found

    async def accept(
        self,
        principal: Principal,
        session_id: ChatSessionId,
        message: str,
        *,
        idempotency_key: str | None,
    ) -> Accepted:
        """Store a question.

        Raises:
            ChatSessionNotFound: not one's own session.
            EmptyMessage: nothing is left after trimming.
            IdempotencyKeyReused: the key stands for another message.
            TooManyMessages: the limit per minute is reached.
        """
        cleaned = text.clean(message).strip()
        if not cleaned:
            raise EmptyMessage
        async with self.uow() as work:
            session = await work.chat.session(session_id, principal.user_id, for_update=True)
            if session is None:
                raise ChatSessionNotFound
            if idempotency_key is not None:
                earlier = await work.chat.question_by_key(session_id, idempotency_key)
                if earlier is not None:
                    if earlier.content != cleaned:
                        raise IdempotencyKeyReused
                    return Accepted(session, earlier, await work.chat.answer_to(earlier.id))
            wait = await work.rates.hit(
                f"message:{principal.user_id}",
                limit=self.settings.messages_per_minute,
                window=_RATE_WINDOW,
            )
            if wait is None:
                question = await work.chat.add_question(
                    ChatMessageId(self.ids.uuid()),
                    session,
                    cleaned,
                    title=text.shorten(cleaned, MAX_TITLE_CHARACTERS),
                    idempotency_key=idempotency_key,
                )
                return Accepted(session, question, None)
        raise TooManyMessages(retry_after=wait)

    def start_answer(self, principal: Principal, accepted: Accepted) -> Awaitable[ChatMessage]:
        """Begin to answer an accepted question; a vanished caller does not stop it.

        Returns:
            What to wait for: the stored answer.
        """
        return asyncio.shield(self.tasks.start(self._answer(principal, accepted)))

    async def ask(
        self,
        principal: Principal,
        session_id: ChatSessionId,
        message: str,
        *,
        idempotency_key: str | None,
    ) -> Exchange:
        """Store a question and wait for its stored answer."""
        accepted = await self.accept(
            principal, session_id, message, idempotency_key=idempotency_key
        )
        return Exchange(accepted.question, await self.start_answer(principal, accepted))

    async def _answer(self, principal: Principal, accepted: Accepted) -> ChatMessage:
        if accepted.answer is not None:
            return accepted.answer
        question = accepted.question
        began = self.clock.monotonic()
        answer = compose(await self.library.search(question.content))
        duration_ms = round((self.clock.monotonic() - began) * 1000)
        async with self.uow() as work:
            return await self._store(work, principal, question, answer, duration_ms)

    async def _store(
        self,
        work: Work,
        principal: Principal,
        question: ChatMessage,
        answer: Answer,
        duration_ms: int,
    ) -> ChatMessage:
        if (
            await work.chat.session(question.chat_session_id, principal.user_id, for_update=True)
            is None
        ):
            raise ChatSessionNotFound
        earlier = await work.chat.answer_to(question.id)
        if earlier is not None:
            return earlier
        stored = await work.chat.add_answer(ChatMessageId(self.ids.uuid()), question, answer)
        await work.facts.tell(
            events.QuestionAnswered(
                actor_id=principal.user_id,
                chat_session_id=question.chat_session_id,
                message_id=stored.id,
                kb_resolved=answer.kb_resolved,
                sources=len(answer.sources),
                question_length=len(question.content),
                duration_ms=duration_ms,
            )
        )
        return stored
