"""Chat sessions and messages. Reads take the owner: another person's row does not exist here."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from backend.app.db.models import ChatMessageRow, ChatSessionRow
from backend.app.db.repositories.chat_meta import (
    notice_meta,
    notice_of,
    source_of,
    summary_meta,
    summary_of,
)
from backend.app.domain.chat import (
    AgentSummary,
    Answer,
    ChatMessage,
    ChatMessageId,
    ChatMode,
    ChatNotice,
    ChatSession,
    ChatSessionId,
    MessageRole,
    Rating,
)
from backend.app.domain.principals import UserId


def _session(row: ChatSessionRow) -> ChatSession:
    return ChatSession(
        id=ChatSessionId(row.id),
        user_id=UserId(row.user_id),
        title=row.title,
        mode=ChatMode(row.mode),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _message(row: ChatMessageRow) -> ChatMessage:
    return ChatMessage(
        id=ChatMessageId(row.id),
        chat_session_id=ChatSessionId(row.chat_session_id),
        seq=row.seq,
        role=MessageRole(row.role),
        content=row.content,
        created_at=row.created_at,
        kb_resolved=row.kb_resolved,
        sources=tuple(source_of(stored) for stored in row.message_meta.get("sources", ())),
        feedback=Rating(row.feedback) if row.feedback else None,
        reply_to=ChatMessageId(row.reply_to) if row.reply_to else None,
        degraded=row.message_meta.get("degraded"),
        agent_summary=summary_of(row.message_meta.get("agent_summary")),
        notice=notice_of(row.message_meta.get("notice")),
    )


class ChatRepository:
    """Reads and writes of one owner's chats."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add_session(
        self, session_id: ChatSessionId, owner: UserId, mode: ChatMode
    ) -> ChatSession:
        """Open a chat session without messages."""
        statement = insert(ChatSessionRow).values(id=session_id, user_id=owner, mode=mode.value)
        row = await self._session.scalar(statement.returning(ChatSessionRow))
        assert row is not None  # an INSERT that returns nothing has raised
        return _session(row)

    async def session(
        self, session_id: ChatSessionId, owner: UserId, *, for_update: bool = False
    ) -> ChatSession | None:
        """The owner's session, or None; ``for_update`` keeps others from adding to it."""
        row = await self._row(session_id, owner, for_update=for_update)
        return _session(row) if row else None

    async def _row(
        self, session_id: ChatSessionId, owner: UserId, *, for_update: bool = False
    ) -> ChatSessionRow | None:
        query = sa.select(ChatSessionRow).where(
            ChatSessionRow.id == session_id, ChatSessionRow.user_id == owner
        )
        return await self._session.scalar(query.with_for_update() if for_update else query)

    async def sessions(
        self, owner: UserId, *, limit: int, before: tuple[datetime, UUID] | None
    ) -> Sequence[ChatSession]:
        """The owner's sessions, newest activity first, after the position ``before``."""
        query = sa.select(ChatSessionRow).where(ChatSessionRow.user_id == owner)
        if before is not None:
            query = query.where(sa.tuple_(ChatSessionRow.updated_at, ChatSessionRow.id) < before)
        query = query.order_by(ChatSessionRow.updated_at.desc(), ChatSessionRow.id.desc()).limit(
            limit
        )
        return [_session(row) for row in await self._session.scalars(query)]

    async def change_session(
        self, session_id: ChatSessionId, owner: UserId, *, mode: ChatMode | None, title: str | None
    ) -> ChatSession | None:
        """Change what is not None; the changed session, or None when it is not the owner's."""
        row = await self._row(session_id, owner, for_update=True)
        if row is None:
            return None
        if mode is not None:
            row.mode = mode.value
        if title is not None:
            row.title = title
        await self._session.flush()
        return _session(row)

    async def delete_session(self, session_id: ChatSessionId, owner: UserId) -> bool:
        """Delete a session with its messages; whether there was one."""
        ended = sa.delete(ChatSessionRow).where(
            ChatSessionRow.id == session_id, ChatSessionRow.user_id == owner
        )
        return await self._session.scalar(ended.returning(ChatSessionRow.id)) is not None

    async def add_question(
        self,
        message_id: ChatMessageId,
        session: ChatSession,
        text: str,
        *,
        title: str,
        idempotency_key: str | None,
    ) -> ChatMessage:
        """Append a person's message; a session without a title takes ``title``. The session's row
        must be locked.
        """
        row = await self._append(
            session.id,
            id=message_id,
            role=MessageRole.USER.value,
            content=text,
            idempotency_key=idempotency_key,
        )
        untitled = sa.update(ChatSessionRow).where(
            ChatSessionRow.id == session.id, ChatSessionRow.title == ""
        )
        await self._session.execute(untitled.values(title=title))
        return _message(row)

    async def add_answer(
        self, message_id: ChatMessageId, question: ChatMessage, answer: Answer
    ) -> ChatMessage:
        """Append the answer to ``question``. The session's row must be locked."""
        row = await self._append(
            question.chat_session_id,
            id=message_id,
            role=MessageRole.ASSISTANT.value,
            content=answer.content,
            kb_resolved=answer.kb_resolved,
            reply_to=question.id,
            message_meta={
                "sources": [
                    {**asdict(source), "article_id": str(source.article_id)}
                    for source in answer.sources
                ],
                "degraded": answer.degraded,
            },
        )
        return _message(row)

    async def add_agent_line(
        self,
        message_id: ChatMessageId,
        session: ChatSession,
        content: str,
        summary: AgentSummary,
    ) -> None:
        """Append the line that stands for an agent session. The chat's row must be locked."""
        await self._append(
            session.id,
            id=message_id,
            role=MessageRole.ASSISTANT.value,
            content=content,
            message_meta=summary_meta(summary),
        )

    async def change_agent_line(
        self, message_id: ChatMessageId, session: ChatSession, content: str, summary: AgentSummary
    ) -> None:
        """Bring the line that stands for an agent session up to date."""
        await self._session.execute(
            sa.update(ChatMessageRow)
            .where(ChatMessageRow.id == message_id, ChatMessageRow.chat_session_id == session.id)
            .values(content=content, message_meta=summary_meta(summary))
        )

    async def add_notice(
        self, message_id: ChatMessageId, session: ChatSession, text: str, notice: ChatNotice
    ) -> None:
        """Append a line that nobody asked for. The chat's row must be locked."""
        await self._append(
            session.id,
            id=message_id,
            role=MessageRole.ASSISTANT.value,
            content=text,
            message_meta=notice_meta(notice),
        )

    async def _append(self, session_id: ChatSessionId, **columns: Any) -> ChatMessageRow:
        bumped = (
            sa.update(ChatSessionRow)
            .where(ChatSessionRow.id == session_id)
            .values(last_seq=ChatSessionRow.last_seq + 1, updated_at=sa.func.clock_timestamp())
            .returning(ChatSessionRow.last_seq)
        )
        seq = (await self._session.execute(bumped)).scalar_one()
        statement = insert(ChatMessageRow).values(
            chat_session_id=session_id, seq=seq, created_at=sa.func.clock_timestamp(), **columns
        )
        return (await self._session.scalars(statement.returning(ChatMessageRow))).one()

    async def question_by_key(
        self, session_id: ChatSessionId, idempotency_key: str
    ) -> ChatMessage | None:
        """The message that was accepted under this key in this session."""
        query = sa.select(ChatMessageRow).where(
            ChatMessageRow.chat_session_id == session_id,
            ChatMessageRow.idempotency_key == idempotency_key,
        )
        row = await self._session.scalar(query)
        return _message(row) if row else None

    async def answer_to(self, question_id: ChatMessageId) -> ChatMessage | None:
        """The stored answer to a question."""
        row = await self._session.scalar(
            sa.select(ChatMessageRow).where(ChatMessageRow.reply_to == question_id)
        )
        return _message(row) if row else None

    async def unanswered_unscoped(
        self, *, older_than: timedelta, younger_than: timedelta, limit: int
    ) -> Sequence[tuple[UserId, ChatMessage]]:
        """Anybody's questions of that age without an answer, oldest first, with their owners."""
        answered = aliased(ChatMessageRow)
        query = (
            sa.select(ChatSessionRow.user_id, ChatMessageRow)
            .join(ChatSessionRow, ChatSessionRow.id == ChatMessageRow.chat_session_id)
            .where(
                ChatMessageRow.role == MessageRole.USER.value,
                ChatMessageRow.created_at < sa.func.now() - older_than,
                ChatMessageRow.created_at > sa.func.now() - younger_than,
                ~sa.exists().where(answered.reply_to == ChatMessageRow.id),
            )
            .order_by(ChatMessageRow.created_at)
            .limit(limit)
        )
        rows = await self._session.execute(query)
        return [(UserId(owner), _message(row)) for owner, row in rows]

    async def messages(
        self, session_id: ChatSessionId, *, limit: int, before_seq: int | None
    ) -> Sequence[ChatMessage]:
        """The newest ``limit`` messages before ``before_seq`` in ascending order; check the
        session's owner first.
        """
        query = sa.select(ChatMessageRow).where(ChatMessageRow.chat_session_id == session_id)
        if before_seq is not None:
            query = query.where(ChatMessageRow.seq < before_seq)
        rows = await self._session.scalars(query.order_by(ChatMessageRow.seq.desc()).limit(limit))
        return [_message(row) for row in rows][::-1]

    async def answer(self, message_id: ChatMessageId, owner: UserId) -> ChatMessage | None:
        """An answer of the owner's, locked; None when there is no such answer."""
        query = (
            sa.select(ChatMessageRow)
            .join(ChatSessionRow, ChatSessionRow.id == ChatMessageRow.chat_session_id)
            .where(
                ChatMessageRow.id == message_id,
                ChatMessageRow.role == MessageRole.ASSISTANT.value,
                ChatSessionRow.user_id == owner,
            )
            .with_for_update(of=ChatMessageRow)
        )
        row = await self._session.scalar(query)
        return _message(row) if row else None

    async def rate_answer(
        self, message_id: ChatMessageId, owner: UserId, rating: Rating | None, comment: str | None
    ) -> ChatMessage:
        """Set or clear the verdict on an answer of the owner's that `answer` has found."""
        own = sa.select(ChatSessionRow.id).where(ChatSessionRow.user_id == owner)
        statement = (
            sa.update(ChatMessageRow)
            .where(ChatMessageRow.id == message_id, ChatMessageRow.chat_session_id.in_(own))
            .values(
                feedback=rating.value if rating else None,
                feedback_comment=comment if rating else None,
            )
            .returning(ChatMessageRow)
        )
        return _message((await self._session.scalars(statement)).one())
