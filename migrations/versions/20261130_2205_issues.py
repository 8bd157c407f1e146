"""How a filing is written to an outside tracker, and what its webhook delivered. *Expand*.

Revision: 3c9f0e5b7a21
Follows: jobs
Created: 2026-11-30 22:05:00.000000+00:00
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "3c9f0e5b7a21"
down_revision: str | None = "c4e81f0b6d27"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Bring the schema up."""
    op.add_column("filings", sa.Column("marker", sa.Text(), nullable=True))
    for name in ("attempts", "tries"):
        op.add_column(
            "filings",
            sa.Column(name, sa.Integer(), server_default=sa.text("0"), nullable=False),
        )
    for name in ("sent_at", "held_until", "due_at"):
        op.add_column("filings", sa.Column(name, sa.DateTime(timezone=True), nullable=True))
    op.add_column("filings", sa.Column("holder", sa.Uuid(), nullable=True))
    op.add_column("filings", sa.Column("answered", sa.Integer(), nullable=True))
    op.create_index(
        "ix_filings_open",
        "filings",
        ["due_at"],
        postgresql_where=sa.text("state IN ('reserved', 'sent', 'unknown')"),
    )
    op.add_column("tickets", sa.Column("issue_status", sa.Text(), nullable=True))
    op.add_column(
        "tickets", sa.Column("issue_changed_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.create_check_constraint(
        op.f("ck_tickets_issue_status"), "tickets", "issue_status IN ('open', 'closed')"
    )
    op.create_index("ix_tickets_issue_number", "tickets", ["issue_number"])
    op.create_table(
        "tracker_deliveries",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("delivery_id", sa.Text(), nullable=False),
        sa.Column(
            "received_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_tracker_deliveries")),
        sa.UniqueConstraint("delivery_id", name=op.f("uq_tracker_deliveries_delivery_id")),
    )
    op.create_index("ix_tracker_deliveries_received_at", "tracker_deliveries", ["received_at"])


def downgrade() -> None:
    """Take it back."""
    op.drop_table("tracker_deliveries")
    op.drop_index("ix_tickets_issue_number", table_name="tickets")
    op.drop_column("tickets", "issue_changed_at")
    op.drop_column("tickets", "issue_status")
    op.drop_index("ix_filings_open", table_name="filings")
    for name in ("answered", "holder", "due_at", "held_until", "sent_at", "tries", "attempts"):
        op.drop_column("filings", name)
    op.drop_column("filings", "marker")
