"""What a session begins with: the conversation, frozen and redacted."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.app.core.ids import IdSource
from backend.app.core.text import shorten
from backend.app.db.uow import Work
from backend.app.domain.chat import ChatSessionId, ChatSessionNotFound
from backend.app.domain.principals import Principal
from backend.app.domain.redaction import redact
from backend.app.domain.sessions import STATE_VERSION, AgentSessionId
from backend.app.schemas.helpdesk import ConversationTurn
from backend.app.services.helpdesk.clarifying import facts_from
from backend.app.services.helpdesk.conversation import is_matter, told_in
from backend.app.services.helpdesk.filing import chat_hash
from backend.app.services.helpdesk_graph.rules import is_sentinel
from backend.app.services.helpdesk_graph.state import MAX_PROPOSAL_TITLE, Case, HelpdeskState


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
            NothingToWorkOn, ConversationTooLong: see `told_in`.
        """
        said = await told_in(work, chat_session_id, conversation)
        tried = [shorten(title, MAX_PROPOSAL_TITLE) for title in said.unhelpful]
        session_id = AgentSessionId(self.ids.uuid())
        hashed = None
        if chat_session_id is not None:
            hashed = chat_hash(await work.sessions.instance_key(), chat_session_id)
        return Begun(
            session_id, chat_session_id, first_state(session_id, hashed, said.turns, tried)
        )


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
    theirs = [turn["content"] for turn in conversation if is_matter(turn["role"], turn["content"])]
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
