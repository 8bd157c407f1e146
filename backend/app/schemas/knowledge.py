"""Articles on the wire."""

from datetime import datetime
from uuid import UUID

from backend.app.schemas.base import WireModel


class Collection(WireModel):
    """Where an article comes from; ``sample`` marks what ships with the product."""

    name: str
    sample: bool


class Article(WireModel):
    """An article; the spans of sources are code point offsets into ``body`` (Markdown)."""

    id: UUID
    title: str
    body: str
    collection: Collection
    tags: list[str]
    updated_at: datetime
