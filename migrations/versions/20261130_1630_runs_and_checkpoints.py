"""Runs with their lease, fence and events, and LangGraph's checkpoint tables. *Expand*.

The checkpoint tables are the library's (langgraph-checkpoint-postgres 3.2.0, its migrations 0 to 9),
made here so that one tool owns the schema; a test compares them with what the library would make.

Revision: 5b1d2c7a9e40
Follows: the first schema
Created: 2026-11-30 16:30:00+00:00
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "5b1d2c7a9e40"
down_revision: str | None = "9977f3d4c8fe"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_CHECKPOINTS = (
    "CREATE TABLE checkpoint_migrations (v integer PRIMARY KEY)",
    """
    CREATE TABLE checkpoints (
        thread_id text NOT NULL,
        checkpoint_ns text NOT NULL DEFAULT '',
        checkpoint_id text NOT NULL,
        parent_checkpoint_id text,
        type text,
        checkpoint jsonb NOT NULL,
        metadata jsonb NOT NULL DEFAULT '{}',
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
    )
    """,
    """
    CREATE TABLE checkpoint_blobs (
        thread_id text NOT NULL,
        checkpoint_ns text NOT NULL DEFAULT '',
        channel text NOT NULL,
        version text NOT NULL,
        type text NOT NULL,
        blob bytea,
        PRIMARY KEY (thread_id, checkpoint_ns, channel, version)
    )
    """,
    """
    CREATE TABLE checkpoint_writes (
        thread_id text NOT NULL,
        checkpoint_ns text NOT NULL DEFAULT '',
        checkpoint_id text NOT NULL,
        task_id text NOT NULL,
        idx integer NOT NULL,
        channel text NOT NULL,
        type text,
        blob bytea NOT NULL,
        task_path text NOT NULL DEFAULT '',
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
    )
    """,
    "CREATE INDEX checkpoints_thread_id_idx ON checkpoints (thread_id)",
    "CREATE INDEX checkpoint_blobs_thread_id_idx ON checkpoint_blobs (thread_id)",
    "CREATE INDEX checkpoint_writes_thread_id_idx ON checkpoint_writes (thread_id)",
    "INSERT INTO checkpoint_migrations SELECT generate_series(0, 9)",
)

# Run as the first statement of every checkpoint write's transaction: a claim that is held no longer
# undoes the write. The row stays locked until the commit, so a takeover waits for the write.
_FENCE = """
CREATE FUNCTION require_claim(of_thread text, of_epoch bigint, of_owner uuid) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM runs
    WHERE thread_id = of_thread::uuid AND epoch = of_epoch AND owner = of_owner
      AND lease_until > now()
    FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the claim on this thread is held no longer' USING ERRCODE = 'HD001';
    END IF;
END
$$
"""


def upgrade() -> None:
    """Bring the schema up."""
    op.create_table(
        "runs",
        sa.Column("thread_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("owner", sa.Uuid(), nullable=True),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("allowance", sa.Interval(), nullable=False),
        sa.Column("abort_reason", sa.Text(), nullable=True),
        sa.Column("last_seq", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
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
        sa.CheckConstraint("kind IN ('helpdesk', 'ticket', 'test')", name=op.f("ck_runs_kind")),
        sa.CheckConstraint(
            "abort_reason IN ('user', 'budget_exhausted', 'server_restart', 'kill_switch', 'expired', 'erased', 'error')",
            name=op.f("ck_runs_abort_reason"),
        ),
        sa.PrimaryKeyConstraint("thread_id", name=op.f("pk_runs")),
    )
    op.create_index(
        "ix_runs_lease_until",
        "runs",
        ["lease_until"],
        postgresql_where=sa.text("owner IS NOT NULL"),
    )
    op.create_table(
        "run_events",
        sa.Column("thread_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data", postgresql.JSONB(), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["thread_id"],
            ["runs.thread_id"],
            name=op.f("fk_run_events_thread_id_runs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("thread_id", "seq", name=op.f("pk_run_events")),
    )
    for statement in _CHECKPOINTS:
        op.execute(statement)
    op.execute(_FENCE)


def downgrade() -> None:
    """Take it back."""
    op.execute("DROP FUNCTION require_claim(text, bigint, uuid)")
    for table in ("checkpoint_writes", "checkpoint_blobs", "checkpoints", "checkpoint_migrations"):
        op.drop_table(table)
    op.drop_table("run_events")
    op.drop_table("runs")
