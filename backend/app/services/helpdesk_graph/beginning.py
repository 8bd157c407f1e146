"""What a session begins with: the conversation, frozen and redacted."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.app.core.errors import Invalid
from backend.app.core.ids import IdSource
from backend.app.core.text import shorten
from backend.app.db.uow import Work
from backend.app.domain.chat import ChatMessage, ChatSessionId, MessageRole, Rating
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
from backend.app.services.helpdesk.pleasantries import only_asks_for_help
from backend.app.services.helpdesk_graph.rules import is_sentinel
from backend.app.services.helpdesk_graph.state import MAX_PROPOSAL_TITLE, Case, HelpdeskState


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
        tried: list[str] = []
        if chat_session_id is not None:
            messages = await work.chat.messages(
                chat_session_id, limit=MAX_CONVERSATION_TURNS, before_seq=None
            )
            open_part = _unsettled(list(messages))
            told = [(message.role.value, message.content) for message in open_part]
            tried = _without_success(open_part)
        if conversation is not None:
            told = [(turn.role, turn.content) for turn in conversation if turn.content.strip()]
            if sum(len(content) for _, content in told) > MAX_CONVERSATION_CHARACTERS:
                raise ConversationTooLong
        if not any(_is_matter(role, content) for role, content in told):
            raise NothingToWorkOn
        session_id = AgentSessionId(self.ids.uuid())
        hashed = chat_hash(await work.sessions.instance_key(), chat_session_id)
        return Begun(session_id, chat_session_id, first_state(session_id, hashed, told, tried))


def _is_matter(role: str, content: str) -> bool:
    """Whether a person's words say what help is needed with."""
    return role == MessageRole.USER and not only_asks_for_help(content)


def _unsettled(messages: list[ChatMessage]) -> list[ChatMessage]:
    """What was said since the last matter that was settled: answered, or dealt with by the agent.

    Whole messages, the newest; what is older than a session takes is left out.
    """
    told: list[ChatMessage] = []
    characters = 0
    has_matter = False
    for message in reversed(messages):
        characters += len(message.content)
        if has_matter and (message.is_settled or characters > MAX_CONVERSATION_CHARACTERS):
            break
        if message.agent_summary is None:
            told.append(message)
            has_matter |= _is_matter(message.role.value, message.content)
    return told[::-1]


def _without_success(messages: list[ChatMessage]) -> list[str]:
    """The articles of answers that did not help: they are not proposed again, and the draft says
    that they were read.
    """
    titles = [
        shorten(source.title, MAX_PROPOSAL_TITLE)
        for message in messages
        if message.feedback is Rating.UNHELPFUL
        for source in message.sources
    ]
    return list(dict.fromkeys(titles))


def first_state(
    session_id: AgentSessionId,
    hashed: str | None,
    told: list[tuple[str, str]],
    tried: Sequence[str] = (),
) -> HelpdeskState:
    """What a thread begins with, out of what was told as pairs of role and content, and the titles
    of articles that did not help.

    Redacted before it is kept anywhere: checkpoints, events and drafts are made from this.
    """
    conversation = [{"role": role, "content": redact(content).text} for role, content in told]
    # What the matter is was said before a bare call for help.
    theirs = [turn["content"] for turn in conversation if _is_matter(turn["role"], turn["content"])]
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
        rejected_solutions=list(tried),
    )
