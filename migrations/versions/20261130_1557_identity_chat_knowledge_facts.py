"""The first schema: identity, chat, knowledge base and facts. *Expand*: there was nothing before.

Revision: 9977f3d4c8fe
Follows: nothing
Created: 2026-11-30 15:57:33.416952+00:00
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "9977f3d4c8fe"
down_revision: str | None = None
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


class _Xid8(sa.types.UserDefinedType[str]):
    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "xid8"


def upgrade() -> None:
    """Bring the schema up."""
    op.create_table(
        "fact_counters",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("labels", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", "labels", name=op.f("pk_fact_counters")),
    )
    op.create_table(
        "fact_epochs",
        sa.Column(
            "number", sa.Integer(), server_default=sa.text("1"), autoincrement=False, nullable=False
        ),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.CheckConstraint("number = 1", name=op.f("ck_fact_epochs_one_row")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_fact_epochs")),
    )
    op.execute("INSERT INTO fact_epochs (epoch) VALUES (1)")
    op.create_table(
        "fact_readers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("epoch", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("xid", _Xid8(), server_default=sa.text("'0'::xid8"), nullable=False),
        sa.Column("fact_id", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_fact_readers")),
    )
    op.create_table(
        "facts",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("xid", _Xid8(), server_default=sa.text("pg_current_xact_id()"), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("actor_id", sa.Uuid(), nullable=True),
        sa.Column("data", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_facts")),
    )
    op.create_index("ix_facts_epoch_xid_id", "facts", ["epoch", "xid", "id"], unique=False)
    op.create_table(
        "kb_collections",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sample", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_kb_collections")),
        sa.UniqueConstraint("name", name=op.f("uq_kb_collections_name")),
    )
    op.create_table(
        "rates",
        sa.Column("bucket", sa.Text(), nullable=False),
        sa.Column(
            "window_start",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("bucket", name=op.f("pk_rates")),
    )
    op.create_index("ix_rates_window_start", "rates", ["window_start"], unique=False)
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("username", sa.Text(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column(
            "must_change_password", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.Column("is_demo", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "role IN ('requester', 'operator', 'admin')", name=op.f("ck_users_role")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("username", name=op.f("uq_users_username")),
    )
    op.create_table(
        "access_tokens",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["users.id"],
            name=op.f("fk_access_tokens_user_id_users"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_access_tokens_token_hash")),
    )
    op.create_index(op.f("ix_access_tokens_user_id"), "access_tokens", ["user_id"], unique=False)
    op.create_table(
        "browser_sessions",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "last_used_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["users.id"],
            name=op.f("fk_browser_sessions_user_id_users"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_browser_sessions")),
    )
    op.create_index(
        op.f("ix_browser_sessions_expires_at"), "browser_sessions", ["expires_at"], unique=False
    )
    op.create_index(
        op.f("ix_browser_sessions_user_id"), "browser_sessions", ["user_id"], unique=False
    )
    op.create_table(
        "chat_sessions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("last_seq", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("mode IN ('ask', 'agent')", name=op.f("ck_chat_sessions_mode")),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["users.id"],
            name=op.f("fk_chat_sessions_user_id_users"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_sessions")),
    )
    op.create_index(
        "ix_chat_sessions_user_id_updated_at_id",
        "chat_sessions",
        ["user_id", "updated_at", "id"],
        unique=False,
    )
    op.create_table(
        "kb_articles",
        sa.Column("number", sa.Integer(), sa.Identity(always=False), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("collection_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column(
            "tags",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column(
            "questions",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("title_length", sa.Integer(), nullable=False),
        sa.Column("body_length", sa.Integer(), nullable=False),
        sa.Column("updated_on", sa.Date(), nullable=True),
        sa.Column(
            "imported_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["kb_collections.id"],
            name=op.f("fk_kb_articles_collection_id_kb_collections"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_kb_articles")),
        sa.UniqueConstraint("collection_id", "key", name=op.f("uq_kb_articles_collection_id_key")),
        sa.UniqueConstraint("id", name=op.f("uq_kb_articles_id")),
    )
    op.create_table(
        "chat_messages",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("chat_session_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("kb_resolved", sa.Boolean(), nullable=True),
        sa.Column(
            "message_meta",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("feedback", sa.Text(), nullable=True),
        sa.Column("feedback_comment", sa.Text(), nullable=True),
        sa.Column("reply_to", sa.Uuid(), nullable=True),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "feedback IN ('helpful', 'unhelpful')", name=op.f("ck_chat_messages_feedback")
        ),
        sa.CheckConstraint(
            "role = 'assistant' OR kb_resolved IS NULL",
            name=op.f("ck_chat_messages_only_answers_resolve"),
        ),
        sa.CheckConstraint("role IN ('user', 'assistant')", name=op.f("ck_chat_messages_role")),
        sa.ForeignKeyConstraint(
            ["chat_session_id"],
            ["chat_sessions.id"],
            name=op.f("fk_chat_messages_chat_session_id_chat_sessions"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["reply_to"],
            ["chat_messages.id"],
            name=op.f("fk_chat_messages_reply_to_chat_messages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_messages")),
        sa.UniqueConstraint(
            "chat_session_id",
            "idempotency_key",
            name=op.f("uq_chat_messages_chat_session_id_idempotency_key"),
        ),
        sa.UniqueConstraint(
            "chat_session_id", "seq", name=op.f("uq_chat_messages_chat_session_id_seq")
        ),
    )
    op.create_index(
        "uq_chat_messages_reply_to",
        "chat_messages",
        ["reply_to"],
        unique=True,
        postgresql_where=sa.text("reply_to IS NOT NULL"),
    )
    op.create_index(
        "ix_chat_messages_questions",
        "chat_messages",
        ["created_at"],
        postgresql_where=sa.text("role = 'user'"),
    )
    op.create_table(
        "kb_chunks",
        sa.Column("article_number", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("heading", sa.Text(), nullable=False),
        sa.Column("start_offset", sa.Integer(), nullable=False),
        sa.Column("end_offset", sa.Integer(), nullable=False),
        sa.Column("first_end_offset", sa.Integer(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_number"],
            ["kb_articles.number"],
            name=op.f("fk_kb_chunks_article_number_kb_articles"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("article_number", "ordinal", name=op.f("pk_kb_chunks")),
    )
    op.create_table(
        "kb_postings",
        sa.Column("term", sa.Text(), nullable=False),
        sa.Column("article_number", sa.Integer(), nullable=False),
        sa.Column("part", sa.SmallInteger(), nullable=False),
        sa.Column("occurrences", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_number"],
            ["kb_articles.number"],
            name=op.f("fk_kb_postings_article_number_kb_articles"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("term", "article_number", "part", name=op.f("pk_kb_postings")),
    )
    op.create_index(
        "ix_kb_postings_article_number", "kb_postings", ["article_number"], unique=False
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_index("ix_kb_postings_article_number", table_name="kb_postings")
    op.drop_table("kb_postings")
    op.drop_table("kb_chunks")
    op.drop_index(
        "uq_chat_messages_reply_to",
        table_name="chat_messages",
        postgresql_where=sa.text("reply_to IS NOT NULL"),
    )
    op.drop_table("chat_messages")
    op.drop_table("kb_articles")
    op.drop_index("ix_chat_sessions_user_id_updated_at_id", table_name="chat_sessions")
    op.drop_table("chat_sessions")
    op.drop_index(op.f("ix_browser_sessions_user_id"), table_name="browser_sessions")
    op.drop_index(op.f("ix_browser_sessions_expires_at"), table_name="browser_sessions")
    op.drop_table("browser_sessions")
    op.drop_index(op.f("ix_access_tokens_user_id"), table_name="access_tokens")
    op.drop_table("access_tokens")
    op.drop_table("users")
    op.drop_index("ix_rates_window_start", table_name="rates")
    op.drop_table("rates")
    op.drop_table("kb_collections")
    op.drop_index("ix_facts_epoch_xid_id", table_name="facts")
    op.drop_table("facts")
    op.drop_table("fact_readers")
    op.drop_table("fact_epochs")
    op.drop_table("fact_counters")
