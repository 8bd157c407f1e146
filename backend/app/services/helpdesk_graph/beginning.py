"""What a session begins with: the conversation, frozen and redacted."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.app.core.errors import Invalid
from backend.app.core.ids import IdSource
from backend.app.db.uow import Work
from backend.app.domain.chat import ChatMessage, ChatSessionId, MessageRole
from backend.app.domain.principals import Principal
from backend.app.domain.redaction import redact
from backend.app.domain.sessions import (
    MAX_CONVERSATION_CHARACTERS,
    MAX_CONVERSATION_TURNS,
    STATE_VERSION,
    AgentSessionId,
)
from backend.app.schemas.helpdesk import ConversationTurn
from backend.app.services.chat.sessions import ChatSessionNotFound
from backend.app.services.helpdesk.clarifying import facts_from
from backend.app.services.helpdesk.filing import chat_hash
from backend.app.services.helpdesk_graph.rules import is_sentinel
from backend.app.services.helpdesk_graph.state import Case, HelpdeskState


class NothingToWorkOn(Invalid):
    """Ask your question first; there is nothing here yet to look into."""


class ConversationTooLong(Invalid):
    """The conversation is longer than a session takes."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A session's id, the chat it belongs to, and the state its graph begins with."""

    session_id: AgentSessionId
    chat_session_id: ChatSessionId | None
    state: HelpdeskState


@dataclass(frozen=True, slots=True)
class Beginning:
    """Makes a session's first state."""

    ids: IdSource

    async def lock_chat(
        self, work: Work, principal: Principal, chat_session_id: ChatSessionId | None
    ) -> None:
        """Keep the chat as it is until the transaction ends; `ChatSessionNotFound` when it is not
        one's own.
        """
        if chat_session_id is None:
            return
        if await work.chat.session(chat_session_id, principal.user_id, for_update=True) is None:
            raise ChatSessionNotFound

    async def case(
        self,
        work: Work,
        chat_session_id: ChatSessionId | None,
        conversation: Sequence[ConversationTurn] | None,
    ) -> Begun:
        """The first state, from a chat that `lock_chat` has locked, or a conversation.

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
        session_id = AgentSessionId(self.ids.uuid())
        hashed = None
        if chat_session_id is not None:
            hashed = chat_hash(await work.sessions.instance_key(), chat_session_id)
        return Begun(session_id, chat_session_id, first_state(session_id, hashed, told))


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


def first_state(
    session_id: AgentSessionId, hashed: str | None, told: list[tuple[str, str]]
) -> HelpdeskState:
    """What a thread begins with, out of what was told as pairs of role and content.

    Redacted before it is kept anywhere: checkpoints, events and drafts are made from this.
    """
    conversation = [{"role": role, "content": redact(content).text} for role, content in told]
    theirs = [turn["content"] for turn in conversation if turn["role"] == MessageRole.USER]
    return HelpdeskState(
        state_version=STATE_VERSION,
        case=Case(
            session_id=str(session_id),
            chat_hash=hashed,
            original_question=theirs[-1],
            conversation=conversation,
            is_scripted=is_sentinel(theirs[-1]),
        ),
        facts=facts_from("\n".join(theirs)),
    )
