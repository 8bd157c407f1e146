"""What a thread of the agent remembers: JSON values only.

Texts stand inside lists and mappings: LangGraph's saver copies a bare text or number into every
checkpoint's row, and in the clear.
"""

from typing import Any, TypedDict

#: Of an article's title; what was proposed and what did not help is known by it.
MAX_PROPOSAL_TITLE = 120


class AwaitingUserPayload(TypedDict):
    """What the session is paused on: a clarifying question, or a proposal to judge.

    ``key`` names the fact that an answer is about; None of a proposal.
    """

    text: str
    choices: list[str]
    key: str | None
    number: int | None


class ProposedSolution(TypedDict):
    """A fix that was found: its Markdown quotes an article, ``[n]`` names a source."""

    title: str
    article_id: str
    text: str
    sources: list[dict[str, Any]]
    coverage: float


class Case(TypedDict):
    """What does not change: the person's matter as it was when the session began."""

    session_id: str
    chat_hash: str | None
    original_question: str
    conversation: list[dict[str, str]]
    is_scripted: bool


class HelpdeskState(TypedDict, total=False):
    """The graph's state. Counters are of the whole session, over all pauses."""

    state_version: int
    case: Case
    turns_taken: int
    tokens: int
    #: Skills in which rules stood in for the model since the last pause, each with why.
    degraded: dict[str, str]
    #: What the supervisor wants to search for; empty: what is known by now.
    chosen_query: list[str]
    #: A fix as the model put it, by the title of the article it rests on.
    solutions: dict[str, str]
    questions_asked: list[str]
    question_keys: list[str]
    user_replies: list[str]
    wish: str
    kb_retry_attempts: int
    web_search_attempts: int
    duplicate_searches: int
    last_kb_query: list[str]
    last_web_query: list[str]
    last_duplicates_query: list[str]
    kb_retry_results: list[ProposedSolution]
    web_search_results: list[dict[str, str]]
    duplicate_candidates: list[dict[str, Any]]
    #: What was found, by tool and normalised query: asked again, nothing is called. Gone with the
    #: session's end.
    tool_results: dict[str, dict[str, list[Any]]]
    #: The places that were looked at with success.
    searched: list[str]
    proposed_solutions: list[str]
    rejected_solutions: list[str]
    facts: dict[str, str]
    classification: dict[str, str]
    draft: dict[str, str]
    body_preview: list[str]
    draft_digest: str
    #: What stands for whom in drafts; goes with the checkpoint, and never leaves with a draft.
    placeholders: dict[str, str]
    next_action: str
    #: The step under way: seq, action, reason, started_at, latency_ms, is_decided, and what the
    #: decision cost.
    step: dict[str, Any]
    actions_taken: list[str]
    #: What was asked and what was said to it, proposals among it.
    exchanges: list[dict[str, str]]
    awaiting_user: AwaitingUserPayload
    answer: dict[str, Any]
    outcome: str
