"""Agent sessions with their idempotency keys and switches; tickets, filings, followers. *Expand*.

Revision: 7a48ebd1e818
Follows: runs and checkpoints
Created: 2026-11-30 18:19:28.339390+00:00
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "7a48ebd1e818"
down_revision: str | None = "5b1d2c7a9e40"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Bring the schema up."""
    op.create_table(
        "instance_keys",
        sa.Column(
            "number", sa.Integer(), server_default=sa.text("1"), autoincrement=False, nullable=False
        ),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("number = 1", name=op.f("ck_instance_keys_one_row")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_instance_keys")),
    )
    # 244 random bits; PostgreSQL's own source, since the extension with another may be missing.
    op.execute(
        "INSERT INTO instance_keys (key)"
        " SELECT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())"
    )
    op.create_table(
        "switches",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column(
            "updated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_switches")),
    )
    op.create_table(
        "agent_sessions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("chat_session_id", sa.Uuid(), nullable=True),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("state_version", sa.Integer(), nullable=False),
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
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("pending_question_id", sa.Text(), nullable=True),
        sa.Column("draft_digest", sa.Text(), nullable=True),
        sa.Column("given", postgresql.JSONB(), nullable=True),
        sa.Column("turn", postgresql.JSONB(), nullable=True),
        sa.Column(
            "progress", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.Column("chat_message_id", sa.Uuid(), nullable=True),
        sa.Column("tokens", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.CheckConstraint(
            "(outcome IS NOT DISTINCT FROM 'aborted') = (reason IS NOT NULL)",
            name=op.f("ck_agent_sessions_aborted_with_reason"),
        ),
        sa.CheckConstraint(
            "outcome IN ('filed', 'linked', 'resolved_by_agent', 'aborted')",
            name=op.f("ck_agent_sessions_outcome"),
        ),
        sa.CheckConstraint(
            "reason IN ('user', 'budget_exhausted', 'server_restart', 'kill_switch', 'expired', 'erased', 'error')",
            name=op.f("ck_agent_sessions_reason"),
        ),
        sa.CheckConstraint(
            "trigger IN ('chip', 'phrase', 'llm_router')", name=op.f("ck_agent_sessions_trigger")
        ),
        sa.CheckConstraint(
            "(outcome IS NULL) = (ended_at IS NULL)",
            name=op.f("ck_agent_sessions_ended_with_outcome"),
        ),
        sa.CheckConstraint(
            "outcome IS NULL OR pending_question_id IS NULL",
            name=op.f("ck_agent_sessions_ended_asks_nothing"),
        ),
        sa.ForeignKeyConstraint(
            ["chat_message_id"],
            ["chat_messages.id"],
            name=op.f("fk_agent_sessions_chat_message_id_chat_messages"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["chat_session_id"],
            ["chat_sessions.id"],
            name=op.f("fk_agent_sessions_chat_session_id_chat_sessions"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["users.id"],
            name=op.f("fk_agent_sessions_user_id_users"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_sessions")),
    )
    op.create_index(
        "ix_agent_sessions_chat_session_id_created_at",
        "agent_sessions",
        ["chat_session_id", "created_at"],
        unique=False,
    )
    op.create_index(
        "ix_agent_sessions_open",
        "agent_sessions",
        ["updated_at"],
        unique=False,
        postgresql_where=sa.text("outcome IS NULL"),
    )
    op.create_index(
        "ix_agent_sessions_user_id_created_at",
        "agent_sessions",
        ["user_id", "created_at"],
        unique=False,
    )
    op.create_index(
        "uq_agent_sessions_open_in_chat",
        "agent_sessions",
        ["chat_session_id"],
        unique=True,
        postgresql_where=sa.text("outcome IS NULL"),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["agent_sessions.id"],
            name=op.f("fk_idempotency_keys_session_id_agent_sessions"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["users.id"],
            name=op.f("fk_idempotency_keys_user_id_users"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("user_id", "operation", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index(
        "ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"], unique=False
    )
    op.create_table(
        "tickets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("requester_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column(
            "search",
            postgresql.TSVECTOR(),
            sa.Computed(
                "setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', problem), 'B')",
                persisted=True,
            ),
            nullable=False,
        ),
        sa.Column("status", sa.Text(), server_default=sa.text("'new'"), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("impact", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("agent_session_id", sa.Uuid(), nullable=True),
        sa.Column("chat_session_id", sa.Uuid(), nullable=True),
        sa.Column("issue_state", sa.Text(), server_default=sa.text("'off'"), nullable=False),
        sa.Column("issue_url", sa.Text(), nullable=True),
        sa.Column("issue_number", sa.Integer(), nullable=True),
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
        sa.CheckConstraint(
            "category IN ('access', 'hardware', 'software', 'network', 'email', 'data', 'other')",
            name=op.f("ck_tickets_category"),
        ),
        sa.CheckConstraint(
            "impact IN ('Person', 'Team', 'Organisation')", name=op.f("ck_tickets_impact")
        ),
        sa.CheckConstraint(
            "issue_state IN ('off', 'pending', 'unknown', 'refused', 'filed')",
            name=op.f("ck_tickets_issue_state"),
        ),
        sa.CheckConstraint(
            "origin IN ('chat', 'web', 'discord', 'alert', 'api')", name=op.f("ck_tickets_origin")
        ),
        sa.CheckConstraint(
            "severity IN ('low', 'medium', 'high', 'critical')", name=op.f("ck_tickets_severity")
        ),
        sa.CheckConstraint(
            "status IN ('new', 'in_progress', 'resolved', 'closed', 'cancelled')",
            name=op.f("ck_tickets_status"),
        ),
        sa.ForeignKeyConstraint(
            ["agent_session_id"],
            ["agent_sessions.id"],
            name=op.f("fk_tickets_agent_session_id_agent_sessions"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["chat_session_id"],
            ["chat_sessions.id"],
            name=op.f("fk_tickets_chat_session_id_chat_sessions"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["requester_id"], ["users.id"], name=op.f("fk_tickets_requester_id_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tickets")),
        sa.UniqueConstraint("agent_session_id", name=op.f("uq_tickets_agent_session_id")),
        sa.UniqueConstraint("number", name=op.f("uq_tickets_number")),
    )
    op.create_index(
        "ix_tickets_requester_id_number", "tickets", ["requester_id", "number"], unique=False
    )
    op.create_index(
        "ix_tickets_search", "tickets", ["search"], unique=False, postgresql_using="gin"
    )
    op.create_table(
        "filings",
        sa.Column("session_id", sa.Uuid(), nullable=False),
        sa.Column("ticket_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("draft_digest", sa.Text(), nullable=False),
        sa.Column("confirmed_by", sa.Uuid(), nullable=False),
        sa.Column(
            "confirmed_at",
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
        sa.CheckConstraint(
            "state IN ('reserved', 'sent', 'filed', 'unknown', 'refused')",
            name=op.f("ck_filings_state"),
        ),
        sa.ForeignKeyConstraint(
            ["confirmed_by"], ["users.id"], name=op.f("fk_filings_confirmed_by_users")
        ),
        sa.ForeignKeyConstraint(
            ["ticket_id"],
            ["tickets.id"],
            name=op.f("fk_filings_ticket_id_tickets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_filings")),
        sa.UniqueConstraint("ticket_id", name=op.f("uq_filings_ticket_id")),
    )
    op.create_table(
        "ticket_followers",
        sa.Column("ticket_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["ticket_id"],
            ["tickets.id"],
            name=op.f("fk_ticket_followers_ticket_id_tickets"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["users.id"],
            name=op.f("fk_ticket_followers_user_id_users"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("ticket_id", "user_id", name=op.f("pk_ticket_followers")),
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_table("ticket_followers")
    op.drop_table("filings")
    op.drop_index("ix_tickets_search", table_name="tickets", postgresql_using="gin")
    op.drop_index("ix_tickets_requester_id_number", table_name="tickets")
    op.drop_table("tickets")
    op.drop_index("ix_idempotency_keys_created_at", table_name="idempotency_keys")
    op.drop_table("idempotency_keys")
    op.drop_index(
        "uq_agent_sessions_open_in_chat",
        table_name="agent_sessions",
        postgresql_where=sa.text("outcome IS NULL"),
    )
    op.drop_index("ix_agent_sessions_user_id_created_at", table_name="agent_sessions")
    op.drop_index(
        "ix_agent_sessions_open",
        table_name="agent_sessions",
        postgresql_where=sa.text("outcome IS NULL"),
    )
    op.drop_index("ix_agent_sessions_chat_session_id_created_at", table_name="agent_sessions")
    op.drop_table("agent_sessions")
    op.drop_table("switches")
    op.drop_table("instance_keys")
