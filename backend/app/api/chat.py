"""The chat: sessions, questions and answers, verdicts."""

import base64
import binascii
import re
from collections.abc import AsyncIterator, Awaitable
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from backend.app.api.deps import CurrentPrincipal, CurrentServices, IdempotencyKey, SignedInRoute
from backend.app.api.errors import error_body
from backend.app.api.sse import Event, numbered, stream
from backend.app.core.errors import AppError, Invalid
from backend.app.domain import chat as domain
from backend.app.domain.chat import ChatMessageId, ChatMode, ChatSessionId
from backend.app.schemas.chat import (
    ChangeChatSessionRequest,
    ChatMessage,
    ChatMessageList,
    ChatSession,
    ChatSessionList,
    CreateChatSessionRequest,
    Exchange,
    FeedbackRequest,
    PostMessageRequest,
    TextDelta,
    Welcome,
)

router = APIRouter(prefix="/api/chat", tags=["chat"], route_class=SignedInRoute)

_PIECES = re.compile(r"\S+\s*|\s+")
_WORDS_PER_DELTA = 12


class InvalidCursor(Invalid):
    """The page position is not one that this list gave out."""


def _cursor(updated_at: datetime, chat_session_id: UUID) -> str:
    return base64.urlsafe_b64encode(f"{updated_at.isoformat()}|{chat_session_id}".encode()).decode()


def _position(cursor: str) -> tuple[datetime, UUID]:
    try:
        at, _, chat_session_id = base64.urlsafe_b64decode(cursor.encode()).decode().partition("|")
        return datetime.fromisoformat(at).astimezone(UTC), UUID(chat_session_id)
    except (ValueError, OverflowError, binascii.Error) as error:
        raise InvalidCursor from error


@router.get("/welcome")
async def welcome(principal: CurrentPrincipal, services: CurrentServices) -> Welcome:
    """What an empty chat begins with: the mode that is set, and questions that get an answer."""
    questions = await services.exchanges.example_questions()
    return Welcome(
        mode=ChatMode(services.settings.chat.default_mode),
        agent_enabled=await services.switchboard.may_start(principal.user_id),
        questions=questions,
    )


@router.get("/sessions")
async def list_sessions(
    principal: CurrentPrincipal,
    services: CurrentServices,
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
    before: Annotated[str | None, Query(max_length=200)] = None,
) -> ChatSessionList:
    """One's own chat sessions, newest activity first."""
    position = _position(before) if before else None
    found = await services.chat_sessions.page(principal, limit=limit + 1, before=position)
    page = found[:limit]
    following = _cursor(page[-1].updated_at, page[-1].id) if len(found) > limit else None
    return ChatSessionList(
        items=[ChatSession.model_validate(one) for one in page], next_before=following
    )


@router.post("/sessions", status_code=201)
async def create_session(
    principal: CurrentPrincipal,
    services: CurrentServices,
    body: CreateChatSessionRequest | None = None,
) -> ChatSession:
    """Open a chat session."""
    opened = await services.chat_sessions.open(principal, body.mode if body else None)
    return ChatSession.model_validate(opened)


@router.get("/sessions/{chat_session_id}")
async def get_session(
    chat_session_id: UUID, principal: CurrentPrincipal, services: CurrentServices
) -> ChatSession:
    """One of one's own chat sessions."""
    return ChatSession.model_validate(
        await services.chat_sessions.get(principal, ChatSessionId(chat_session_id))
    )


@router.patch("/sessions/{chat_session_id}")
async def change_session(
    chat_session_id: UUID,
    body: ChangeChatSessionRequest,
    principal: CurrentPrincipal,
    services: CurrentServices,
) -> ChatSession:
    """Change mode or title."""
    changed = await services.chat_sessions.change(
        principal, ChatSessionId(chat_session_id), mode=body.mode, title=body.title
    )
    return ChatSession.model_validate(changed)


@router.delete("/sessions/{chat_session_id}", status_code=204)
async def delete_session(
    chat_session_id: UUID, principal: CurrentPrincipal, services: CurrentServices
) -> None:
    """Delete a chat session with its messages."""
    await services.chat_sessions.delete(principal, ChatSessionId(chat_session_id))


@router.get("/sessions/{chat_session_id}/messages")
async def list_messages(
    chat_session_id: UUID,
    principal: CurrentPrincipal,
    services: CurrentServices,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before_seq: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> ChatMessageList:
    """The newest messages before ``before_seq``, in order."""
    messages = await services.chat_sessions.messages(
        principal, ChatSessionId(chat_session_id), limit=limit, before_seq=before_seq
    )
    has_earlier = bool(messages) and messages[0].seq > 1
    return ChatMessageList(
        items=[ChatMessage.model_validate(one) for one in messages], has_earlier=has_earlier
    )


@router.post(
    "/sessions/{chat_session_id}/messages",
    status_code=201,
    response_model=Exchange,
    responses={
        200: {
            "content": {"text/event-stream": {}},
            "description": "The same as a stream, when asked for.",
        }
    },
)
async def post_message(
    chat_session_id: UUID,
    body: PostMessageRequest,
    request: Request,
    principal: CurrentPrincipal,
    services: CurrentServices,
    key: IdempotencyKey,
) -> Exchange | Response:
    """Ask; the answer comes as one body, or as a stream when the client accepts
    ``text/event-stream``.
    """
    accepted = await services.exchanges.accept(
        principal, ChatSessionId(chat_session_id), body.text, idempotency_key=key
    )
    # Begun here and not in the stream, so that it is done even if nobody reads on.
    pending = services.exchanges.start_answer(principal, accepted)
    question = ChatMessage.model_validate(accepted.question)
    if "text/event-stream" in request.headers.get("accept", ""):
        return stream(numbered(_events(question, pending)))
    return Exchange(question=question, answer=ChatMessage.model_validate(await pending))


async def _events(
    question: ChatMessage, pending: Awaitable[domain.ChatMessage]
) -> AsyncIterator[Event]:
    yield Event("question", question)
    try:
        answer = ChatMessage.model_validate(await pending)
    except AppError as error:
        yield Event("error", error_body(error))
        return
    words = _PIECES.findall(answer.content)
    for start in range(0, len(words), _WORDS_PER_DELTA):
        yield Event("delta", TextDelta(text="".join(words[start : start + _WORDS_PER_DELTA])))
    yield Event("answer", answer)


@router.put("/messages/{message_id}/feedback")
async def rate_answer(
    message_id: UUID, body: FeedbackRequest, principal: CurrentPrincipal, services: CurrentServices
) -> ChatMessage:
    """Say whether an answer helped, or take it back."""
    rated = await services.chat_sessions.rate(
        principal, ChatMessageId(message_id), body.rating, body.comment
    )
    return ChatMessage.model_validate(rated)
