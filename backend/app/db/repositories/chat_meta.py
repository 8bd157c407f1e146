"""What a chat line carries beside its text, as JSON values and back."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from backend.app.domain.chat import AgentSummary, ChatNotice, NoticeKind, Source
from backend.app.domain.knowledge import ArticleId


def source_of(stored: dict[str, Any]) -> Source:
    """A cited span."""
    return Source(**{**stored, "article_id": ArticleId(UUID(stored["article_id"]))})


def notice_of(stored: dict[str, Any] | None) -> ChatNotice | None:
    """What a line tells that nobody asked for; None of another line."""
    if stored is None:
        return None
    kind, ticket_id = NoticeKind(stored["kind"]), UUID(stored["ticket_id"])
    return ChatNotice(kind, ticket_id, stored["ticket_number"], stored["issue_number"])


def summary_of(stored: dict[str, Any] | None) -> AgentSummary | None:
    """What an agent's line says of its session; None of another line."""
    if stored is None:
        return None
    return AgentSummary(
        agent_session_id=UUID(stored["agent_session_id"]),
        kind=stored["kind"],
        linked_issue_url=stored.get("linked_issue_url"),
        ticket_id=UUID(stored["ticket_id"]) if stored.get("ticket_id") else None,
    )


def summary_meta(summary: AgentSummary) -> dict[str, Any]:
    """What `summary_of` reads."""
    return {
        "agent_summary": {
            name: str(value) if isinstance(value, UUID) else value
            for name, value in asdict(summary).items()
        }
    }


def notice_meta(notice: ChatNotice) -> dict[str, Any]:
    """What `notice_of` reads."""
    return {"notice": {**asdict(notice), "ticket_id": str(notice.ticket_id)}}
