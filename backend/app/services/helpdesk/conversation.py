"""What was said of a matter: in a chat since the last that was settled, or as it is handed in."""

from collections.abc import Sequence

from backend.app.core.errors import Invalid
from backend.app.db.uow import Work
from backend.app.domain.chat import ChatMessage, ChatSessionId, MessageRole
from backend.app.domain.sessions import MAX_CONVERSATION_CHARACTERS, MAX_CONVERSATION_TURNS
from backend.app.schemas.helpdesk import ConversationTurn


class NothingToWorkOn(Invalid):
    """Ask your question first; there is nothing here yet to look into."""


class ConversationTooLong(Invalid):
    """The conversation is longer than a session takes."""


async def told_in(
    work: Work,
    chat_session_id: ChatSessionId | None,
    conversation: Sequence[ConversationTurn] | None,
) -> list[tuple[str, str]]:
    """Pairs of role and content, of a chat of the caller's own or of the conversation, which goes
    first.

    Raises:
        NothingToWorkOn: the chat holds no question.
        ConversationTooLong: the conversation that was handed in is.
    """
    told: list[tuple[str, str]] = []
    if chat_session_id is not None:
        messages = await work.chat.messages(
            chat_session_id, limit=MAX_CONVERSATION_TURNS, before_seq=None
        )
        told = _unsettled(list(messages))
    if conversation is not None:
        told = [(turn.role, turn.content) for turn in conversation if turn.content.strip()]
        if sum(len(content) for _, content in told) > MAX_CONVERSATION_CHARACTERS:
            raise ConversationTooLong
    if not any(role == MessageRole.USER for role, _ in told):
        raise NothingToWorkOn
    return told


def _unsettled(messages: list[ChatMessage]) -> list[tuple[str, str]]:
    """What was said since the last matter that was settled: answered, or dealt with by the agent.

    Whole messages, the newest; what is older than a session takes is left out.
    """
    told: list[tuple[str, str]] = []
    characters = 0
    for message in reversed(messages):
        is_settled = message.kb_resolved is True or message.agent_summary is not None
        characters += len(message.content)
        if told and (is_settled or characters > MAX_CONVERSATION_CHARACTERS):
            break
        if message.agent_summary is None:
            told.append((message.role.value, message.content))
    return told[::-1]
