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
    ChatSessionId,
    ChatSessionNotFound,
)
from backend.app.domain.principals import Principal, UserId
from backend.app.services.chat.answering import compose
from backend.app.services.knowledge.library import KnowledgeLibrary

_EXAMPLES_TRIED = 15
#: A question is left over when nobody can still be answering it; after a day nobody waits any more.
_LEFT_OVER_AFTER = timedelta(seconds=20)
_LEFT_OVER_UNTIL = timedelta(days=1)
_LEFT_OVER_AT_ONCE = 10
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
                    return Accepted(earlier, await work.chat.answer_to(earlier.id))
            hit = await work.rates.hit(
                f"message:{principal.user_id}",
                limit=self.settings.messages_per_minute,
                window=_RATE_WINDOW,
            )
            if hit.wait is None:
                question = await work.chat.add_question(
                    ChatMessageId(self.ids.uuid()),
                    session,
                    cleaned,
                    title=text.shorten(cleaned, MAX_TITLE_CHARACTERS),
                    idempotency_key=idempotency_key,
                )
                return Accepted(question, None)
        raise TooManyMessages(retry_after=hit.wait)

    def start_answer(self, principal: Principal, accepted: Accepted) -> Awaitable[ChatMessage]:
        """Begin to answer an accepted question; a vanished caller does not stop it.

        Returns:
            What to wait for: the stored answer.
        """
        return asyncio.shield(self.tasks.start(self._answered(principal.user_id, accepted)))

    async def _answered(self, owner: UserId, accepted: Accepted) -> ChatMessage:
        return accepted.answer or await self._answer(owner, accepted.question)

    async def answer_left_over(self) -> None:
        """Answer questions whose process died, or whose database went away, before it answered.

        Several replicas may try at once: an answer is stored once.
        """
        async with self.uow() as work:
            left = await work.chat.unanswered_unscoped(
                older_than=_LEFT_OVER_AFTER, younger_than=_LEFT_OVER_UNTIL, limit=_LEFT_OVER_AT_ONCE
            )
        answers = (self.tasks.start(self._answer(owner, question)) for owner, question in left)
        await asyncio.gather(*answers, return_exceptions=True)  # failures are told by the tasks

    async def _answer(self, owner: UserId, question: ChatMessage) -> ChatMessage:
        began = self.clock.monotonic()
        answer = compose(await self.library.search(question.content))
        duration_ms = round((self.clock.monotonic() - began) * 1000)
        async with self.uow() as work:
            return await self._store(work, owner, question, answer, duration_ms)

    async def _store(
        self,
        work: Work,
        owner: UserId,
        question: ChatMessage,
        answer: Answer,
        duration_ms: int,
    ) -> ChatMessage:
        session_id = question.chat_session_id
        if await work.chat.session(session_id, owner, for_update=True) is None:
            raise ChatSessionNotFound
        earlier = await work.chat.answer_to(question.id)
        if earlier is not None:
            return earlier
        stored = await work.chat.add_answer(ChatMessageId(self.ids.uuid()), question, answer)
        await work.facts.tell(
            events.QuestionAnswered(
                actor_id=owner,
                chat_session_id=session_id,
                message_id=stored.id,
                kb_resolved=answer.kb_resolved,
                sources=len(answer.sources),
                question_length=len(question.content),
                duration_ms=duration_ms,
            )
        )
        return stored
