"""The agent: start, resume, confirm, abort, preview; a session and its events."""

from collections.abc import AsyncIterator, Awaitable
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request, Response

from backend.app.api.deps import CurrentPrincipal, CurrentServices, IdempotencyKey, SignedInRoute
from backend.app.api.errors import error_body
from backend.app.api.sse import Event, stream
from backend.app.api.turnstile import waiting
from backend.app.core.errors import AppError
from backend.app.domain.chat import ChatSessionId
from backend.app.domain.sessions import AgentSessionId
from backend.app.schemas.helpdesk import (
    AgentAborted,
    AgentAbortRequest,
    AgentConfirmRequest,
    AgentPreviewRequest,
    AgentResumeRequest,
    AgentSession,
    AgentSessionList,
    AgentStartRequest,
    AgentStep,
    AgentTurn,
    DraftPreview,
)
from backend.app.services.helpdesk_graph.sessions import Launched, Told

router = APIRouter(prefix="/api/helpdesk/agent", tags=["helpdesk"], route_class=SignedInRoute)

#: Where a caller that takes no stream waits for the whole run.
WAITING = tuple(f"{router.prefix}/{verb}" for verb in ("start", "resume", "confirm"))

_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/event-stream": {}},
        "description": "The turn; as a stream of session, step and turn events when asked for.",
    }
}


def _wants_stream(request: Request) -> bool:
    return "text/event-stream" in request.headers.get("accept", "")


@router.post("/start", response_model=AgentTurn, responses=_STREAMED)
async def start_agent(
    body: AgentStartRequest,
    request: Request,
    principal: CurrentPrincipal,
    services: CurrentServices,
    key: IdempotencyKey,
) -> AgentTurn | Response:
    """Begin a session; it works until it needs an answer or has an end."""
    launched = await services.agent.start_session(principal, body, key)
    return await _answer(request, services, launched)


@router.post("/resume", response_model=AgentTurn, responses=_STREAMED)
async def resume_agent(
    body: AgentResumeRequest,
    request: Request,
    principal: CurrentPrincipal,
    services: CurrentServices,
    key: IdempotencyKey,
) -> AgentTurn | Response:
    """Answer the pending question, or add something to a draft that waits."""
    launched = await services.agent.resume_session(principal, body, key)
    return await _answer(request, services, launched)


@router.post("/confirm", response_model=AgentTurn, responses=_STREAMED)
async def confirm_agent(
    body: AgentConfirmRequest,
    request: Request,
    principal: CurrentPrincipal,
    services: CurrentServices,
    key: IdempotencyKey,
) -> AgentTurn | Response:
    """File exactly the draft that was shown, or link exactly the candidate that was."""
    launched = await services.agent.confirm_session(principal, body, key)
    return await _answer(request, services, launched)


@router.post("/abort")
async def abort_agent(
    body: AgentAbortRequest, principal: CurrentPrincipal, services: CurrentServices
) -> AgentAborted:
    """End a session; never refused, and once it has ended the same answer again."""
    turn = await services.agent.abort_session(principal, AgentSessionId(body.session_id))
    return AgentAborted(turn=turn)


@router.post("/preview")
async def preview_draft(
    body: AgentPreviewRequest, principal: CurrentPrincipal, services: CurrentServices
) -> DraftPreview:
    """How an edited draft would be filed, and the digest to confirm it with."""
    return await services.agent_sessions.preview(
        principal, AgentSessionId(body.session_id), body.draft
    )


@router.get("/sessions")
async def list_agent_sessions(
    principal: CurrentPrincipal,
    services: CurrentServices,
    chat_session_id: UUID,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
) -> AgentSessionList:
    """The sessions of one of one's own chats, newest first."""
    found = await services.agent_sessions.of_chat(
        principal, ChatSessionId(chat_session_id), limit=limit
    )
    return AgentSessionList(items=found)


@router.get("/sessions/{session_id}")
async def get_agent_session(
    session_id: UUID, principal: CurrentPrincipal, services: CurrentServices
) -> AgentSession:
    """One of one's own sessions as it stands."""
    return await services.agent_sessions.get(principal, AgentSessionId(session_id))


@router.get(
    "/sessions/{session_id}/events",
    response_model=None,
    responses={
        200: {"content": {"text/event-stream": {}}, "description": "step and turn events."},
        204: {"description": "Nothing comes any more; read the session."},
    },
)
async def follow_agent_session(
    session_id: UUID,
    principal: CurrentPrincipal,
    services: CurrentServices,
    last_event_id: Annotated[int, Header(ge=0, le=2**62)] = 0,
) -> Response:
    """The events behind ``Last-Event-ID`` as they come, until the session pauses or ends."""
    found = AgentSessionId(session_id)
    if not await services.agent_sessions.has_more(principal, found, after=last_event_id):
        return Response(status_code=204)
    return stream(_told(services.agent_sessions.follow(found, after=last_event_id)))


async def _answer(
    request: Request, services: CurrentServices, launched: Launched
) -> AgentTurn | Response:
    if not _wants_stream(request):
        async with waiting(request.scope):
            return await services.agent_sessions.turn_of(launched)
    view = await services.agent_sessions.view_unscoped(launched.session_id)
    followed = services.agent_sessions.follow(launched.session_id, after=launched.after)
    if launched.issue is not None:
        return stream(_first(view, _once(services.agent_sessions.turn_of(launched))))
    return stream(_first(view, _told(followed)))


async def _once(turn: Awaitable[AgentTurn]) -> AsyncIterator[Event]:
    """The turn as soon as it is known how its issue stands, or the time for that is over."""
    try:
        yield Event("turn", await turn)
    except AppError as error:
        yield Event("error", error_body(error))


async def _first(view: AgentSession, rest: AsyncIterator[Event]) -> AsyncIterator[Event]:
    yield Event("session", view)
    async for event in rest:
        yield event


async def _told(followed: AsyncIterator[Told]) -> AsyncIterator[Event]:
    try:
        async for told in followed:
            name = "step" if isinstance(told.event, AgentStep) else "turn"
            yield Event(name, told.event, told.seq)
    except AppError as error:
        yield Event("error", error_body(error))
