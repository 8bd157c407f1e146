"""What was said of a matter: in a chat since the last that was settled, or as it is handed in."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.app.core.errors import Invalid
from backend.app.db.uow import Work
from backend.app.domain.chat import ChatMessage, ChatSessionId, MessageRole, Rating
from backend.app.domain.sessions import MAX_CONVERSATION_CHARACTERS, MAX_CONVERSATION_TURNS
from backend.app.schemas.helpdesk import ConversationTurn
from backend.app.services.helpdesk.pleasantries import only_asks_for_help


class NothingToWorkOn(Invalid):
    """Ask your question first; there is nothing here yet to look into."""


class ConversationTooLong(Invalid):
    """The conversation is longer than a session takes."""


@dataclass(frozen=True, slots=True)
class Told:
    """Pairs of role and content; and the titles of articles whose answers did not help, which need
    not be offered again.
    """

    turns: list[tuple[str, str]]
    unhelpful: list[str]


async def told_in(
    work: Work,
    chat_session_id: ChatSessionId | None,
    conversation: Sequence[ConversationTurn] | None,
) -> Told:
    """What was said in a chat of the caller's own, or in the conversation, which goes first.

    Raises:
        NothingToWorkOn: nobody said what help is needed with.
        ConversationTooLong: the conversation that was handed in is.
    """
    turns: list[tuple[str, str]] = []
    unhelpful: list[str] = []
    if chat_session_id is not None:
        messages = await work.chat.messages(
            chat_session_id, limit=MAX_CONVERSATION_TURNS, before_seq=None
        )
        open_part = _unsettled(list(messages))
        turns = [(message.role.value, message.content) for message in open_part]
        unhelpful = _without_success(open_part)
    if conversation is not None:
        turns = [(turn.role, turn.content) for turn in conversation if turn.content.strip()]
        if sum(len(content) for _, content in turns) > MAX_CONVERSATION_CHARACTERS:
            raise ConversationTooLong
    if not any(is_matter(role, content) for role, content in turns):
        raise NothingToWorkOn
    return Told(turns, unhelpful)


def is_matter(role: str, content: str) -> bool:
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
            has_matter |= is_matter(message.role.value, message.content)
    return told[::-1]


def _without_success(messages: list[ChatMessage]) -> list[str]:
    titles = [
        source.title
        for message in messages
        if message.feedback is Rating.UNHELPFUL
        for source in message.sources
    ]
    return list(dict.fromkeys(titles))
