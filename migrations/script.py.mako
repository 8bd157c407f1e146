"""${message}: why, and whether this is an *expand* or a *contract* step.

Revision: ${up_revision}
Follows: ${down_revision | comma,n}
Created: ${create_date}
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
${imports if imports else ""}

revision: str = ${repr(up_revision)}
down_revision: str | None = ${repr(down_revision)}
branch_labels: Sequence[str] | None = ${repr(branch_labels)}
depends_on: Sequence[str] | None = ${repr(depends_on)}


def upgrade() -> None:
    """Bring the schema up."""
    ${upgrades if upgrades else "raise AssertionError('write me')"}


def downgrade() -> None:
    """Take it back."""
    ${downgrades if downgrades else "raise AssertionError('write me')"}
