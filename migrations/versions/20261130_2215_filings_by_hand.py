"""Filings without an agent session: what their request was called. *Expand*.

Revision: c41d7e0b92a6
Follows: jobs
Created: 2026-11-30 22:15:04.117000+00:00
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c41d7e0b92a6"
down_revision: str | None = "3c9f0e5b7a21"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Bring the schema up."""
    op.add_column("filings", sa.Column("request_key", sa.Text(), nullable=True))
    op.create_index(
        "uq_filings_confirmed_by_request_key",
        "filings",
        ["confirmed_by", "request_key"],
        unique=True,
        postgresql_where=sa.text("request_key IS NOT NULL"),
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_index("uq_filings_confirmed_by_request_key", table_name="filings")
    op.drop_column("filings", "request_key")
