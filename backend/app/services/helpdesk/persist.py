"""The one line in a chat that stands for an agent session, brought up to date with every turn."""

from backend.app.core.ids import IdSource
from backend.app.db.uow import Work
from backend.app.domain.chat import AgentSummary, ChatMessageId
from backend.app.domain.sessions import AgentSession
from backend.app.schemas.helpdesk import AgentTurn


async def upsert_agent_summary(
    work: Work, ids: IdSource, session: AgentSession, turn: AgentTurn
) -> ChatMessageId | None:
    """Write the line and return its id; None when the chat is gone, or there never was one.

    Takes the chat's row before anything of the session is written, as whoever deletes a chat does.
    """
    if session.chat_session_id is None:
        return None
    chat = await work.chat.session(session.chat_session_id, session.user_id, for_update=True)
    if chat is None:
        return None
    summary = AgentSummary(
        agent_session_id=session.id,
        kind=turn.kind.value,
        linked_issue_url=turn.linked_issue_url,
        ticket_id=turn.ticket_id,
    )
    content = turn.proposal.text if turn.proposal else turn.message
    if session.chat_message_id is not None:
        await work.chat.change_agent_line(session.chat_message_id, chat, content, summary)
        return session.chat_message_id
    message_id = ChatMessageId(ids.uuid())
    await work.chat.add_agent_line(message_id, chat, content, summary)
    return message_id
