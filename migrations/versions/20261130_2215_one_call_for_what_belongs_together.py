"""Functions that lock and then look, so that a request need not call twice. *Expand*.

Revision: c41f0a9d7e26
Follows: agent sessions and tickets
Created: 2026-11-30 22:15:00.000000+00:00
"""

from collections.abc import Sequence

from alembic import op

revision: str = "c41f0a9d7e26"
down_revision: str | None = "c41d7e0b92a6"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

# In PL/pgSQL, since there each statement sees what is committed when it begins; one statement that
# locked and read would read what was there before it had its lock.
_FUNCTIONS = (
    """
    CREATE FUNCTION switches_until_commit() RETURNS jsonb
    LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock_shared(7305412019);
        RETURN (SELECT coalesce(jsonb_object_agg(name, is_on), '{}') FROM switches);
    END
    $$
    """,
    """
    CREATE FUNCTION enter_session(of_session uuid, of_user uuid) RETURNS SETOF agent_sessions
    LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM FROM agent_sessions WHERE id = of_session AND user_id = of_user;
        IF FOUND THEN  -- a stranger must not wait for it
            PERFORM pg_advisory_xact_lock(hashtextextended('agent-session:' || of_session, 0));
            RETURN QUERY
            SELECT * FROM agent_sessions WHERE id = of_session AND user_id = of_user;
        END IF;
    END
    $$
    """,
    """
    CREATE FUNCTION take_thread(of_thread uuid, by_owner uuid, for_lease interval)
    RETURNS SETOF runs
    LANGUAGE plpgsql AS $$
    BEGIN
        RETURN QUERY
        UPDATE runs
        SET owner = by_owner, epoch = epoch + 1, attempt = 1, lease_until = now() + for_lease,
            claimed_at = now(), abort_reason = NULL, updated_at = now()
        WHERE thread_id = of_thread AND owner IS NULL
        RETURNING *;
    END
    $$
    """,
    """
    CREATE FUNCTION session_of(of_thread uuid) RETURNS SETOF agent_sessions
    LANGUAGE plpgsql AS $$
    BEGIN
        RETURN QUERY SELECT * FROM agent_sessions WHERE id = of_thread;
    END
    $$
    """,
)


def upgrade() -> None:
    """Bring the schema up."""
    for function in _FUNCTIONS:
        op.execute(function)


def downgrade() -> None:
    """Take it back."""
    op.execute("DROP FUNCTION session_of(uuid)")
    op.execute("DROP FUNCTION take_thread(uuid, uuid, interval)")
    op.execute("DROP FUNCTION enter_session(uuid, uuid)")
    op.execute("DROP FUNCTION switches_until_commit()")
