"""The knowledge base and its lexical index."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from backend.app.db.models.base import Base, set_when_written


class CollectionRow(Base):
    """A body of articles imported and removed as one; a removed one keeps its empty row."""

    __tablename__ = "kb_collections"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    sample: Mapped[bool] = mapped_column(server_default=text("false"))
    removed_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = set_when_written()


class ArticleRow(Base):
    """An article. ``number`` keys the index (an integer is a quarter of a UUID); ``id`` is what the
    world sees.

    ``digest`` tells whether an import changes it. Lengths are in lexemes, for BM25.
    """

    __tablename__ = "kb_articles"
    __table_args__ = (UniqueConstraint("collection_id", "key"),)

    number: Mapped[int] = mapped_column(Integer, Identity(), primary_key=True)
    id: Mapped[UUID] = mapped_column(unique=True)
    collection_id: Mapped[UUID] = mapped_column(ForeignKey("kb_collections.id", ondelete="CASCADE"))
    key: Mapped[str]
    title: Mapped[str]
    body: Mapped[str]
    tags: Mapped[list[Any]] = mapped_column(server_default=text("'[]'::jsonb"))
    questions: Mapped[list[Any]] = mapped_column(server_default=text("'[]'::jsonb"))
    digest: Mapped[bytes] = mapped_column(LargeBinary)
    title_length: Mapped[int]
    body_length: Mapped[int]
    updated_on: Mapped[date | None]
    imported_at: Mapped[datetime] = set_when_written()


class ChunkRow(Base):
    """A piece of an article's body under one heading; offsets are code points, ``ordinal`` counts
    from 0. ``first_end_offset`` is the end of the piece's first block.
    """

    __tablename__ = "kb_chunks"

    article_number: Mapped[int] = mapped_column(
        ForeignKey("kb_articles.number", ondelete="CASCADE"), primary_key=True
    )
    ordinal: Mapped[int] = mapped_column(primary_key=True)
    heading: Mapped[str]
    start_offset: Mapped[int]
    end_offset: Mapped[int]
    first_end_offset: Mapped[int]
    length: Mapped[int]


class PostingRow(Base):
    """How often a term stands in one part of an article.

    A part is a chunk's ordinal, `TITLE_PART`, or `QUESTIONS_PART` for the questions that the
    article says it answers.
    """

    __tablename__ = "kb_postings"
    __table_args__ = (Index("ix_kb_postings_article_number", "article_number"),)

    term: Mapped[str] = mapped_column(primary_key=True)
    article_number: Mapped[int] = mapped_column(
        ForeignKey("kb_articles.number", ondelete="CASCADE"), primary_key=True
    )
    part: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    occurrences: Mapped[int] = mapped_column(SmallInteger)


TITLE_PART = -1
QUESTIONS_PART = -2
