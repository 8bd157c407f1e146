"""The tables, one module per noun. Alembic's migrations own them; a test holds both equal."""

from backend.app.db.models.base import Base
from backend.app.db.models.chat import ChatMessageRow, ChatSessionRow
from backend.app.db.models.facts import FactCounterRow, FactEpochRow, FactReaderRow, FactRow
from backend.app.db.models.identity import AccessTokenRow, BrowserSessionRow, RateRow, UserRow
from backend.app.db.models.knowledge import ArticleRow, ChunkRow, CollectionRow, PostingRow
from backend.app.db.models.runs import RunEventRow, RunRow
from backend.app.db.models.sessions import (
    AgentSessionRow,
    IdempotencyKeyRow,
    InstanceKeyRow,
    SwitchRow,
)
from backend.app.db.models.tickets import (
    FilingRow,
    TicketFollowerRow,
    TicketRow,
    TrackerDeliveryRow,
)
from backend.app.db.models.triage import (
    CategoryModelRow,
    TicketIndexRow,
    TicketPostingRow,
)

__all__ = [
    "AccessTokenRow",
    "AgentSessionRow",
    "ArticleRow",
    "Base",
    "BrowserSessionRow",
    "CategoryModelRow",
    "ChatMessageRow",
    "ChatSessionRow",
    "ChunkRow",
    "CollectionRow",
    "FactCounterRow",
    "FactEpochRow",
    "FactReaderRow",
    "FactRow",
    "FilingRow",
    "IdempotencyKeyRow",
    "InstanceKeyRow",
    "PostingRow",
    "RateRow",
    "RunEventRow",
    "RunRow",
    "SwitchRow",
    "TicketFollowerRow",
    "TicketIndexRow",
    "TicketPostingRow",
    "TicketRow",
    "TrackerDeliveryRow",
    "UserRow",
]
