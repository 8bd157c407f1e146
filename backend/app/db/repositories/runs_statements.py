"""Statements about runs that do in one call what belongs together."""

import sqlalchemy as sa

from backend.app.db.repositories.checkpoints import FORGET, KEEP

#: What is told, stored with a change of the thread's row that numbers it; one statement, since a
#: run tells often. No NOTIFY unless the thread is given back: PostgreSQL lets such transactions
#: commit only one after the other. Readers of the teller's process are rung, others look.
_TOLD = """
    events AS (
        INSERT INTO run_events (thread_id, seq, kind, data)
        SELECT thread_id, last_seq - jsonb_array_length(CAST(:events AS jsonb)) + place,
               event ->> 0, event -> 1
        FROM changed,
             jsonb_array_elements(CAST(:events AS jsonb)) WITH ORDINALITY AS told(event, place)
    ), facts AS (
        INSERT INTO facts (epoch, kind, actor_id, data)
        SELECT epoch, fact ->> 0, CAST(fact ->> 1 AS uuid), fact -> 2
        FROM changed, fact_epochs,
             jsonb_array_elements(CAST(:facts AS jsonb)) WITH ORDINALITY AS told(fact, place)
        ORDER BY place
    )
"""

_RELEASE = f"""
    WITH changed AS (
        UPDATE runs
        SET owner = NULL, lease_until = NULL, claimed_at = NULL, abort_reason = NULL,
            allowance = greatest(
                allowance - (now() - coalesce(claimed_at, now())), interval '0'
            ),
            last_seq = last_seq + jsonb_array_length(CAST(:events AS jsonb)),
            updated_at = now()
        WHERE thread_id = :thread_id AND epoch = :epoch
        RETURNING thread_id, last_seq
    ), {_TOLD}, {{}}
    SELECT pg_notify(:channel, thread_id::text) FROM changed
    """  # noqa: S608 -- of constants
RELEASE_AND_KEEP = sa.text(_RELEASE.format(KEEP))
RELEASE_AND_FORGET = sa.text(_RELEASE.format(FORGET))

TELL = sa.text(
    f"""
    WITH changed AS (
        UPDATE runs SET last_seq = last_seq + jsonb_array_length(CAST(:events AS jsonb))
        WHERE thread_id = :thread_id AND epoch = :epoch AND owner = :owner AND lease_until > now()
        RETURNING thread_id, last_seq
    ), {_TOLD}
    SELECT set_config('synchronous_commit', :commit, true),
           (SELECT coalesce(jsonb_object_agg(name, is_on), '{{}}') FROM switches) AS switched
    FROM changed
    """  # noqa: S608 -- of constants
)

HOLD = sa.text(
    """
    SELECT set_config('synchronous_commit', 'on', true) FROM runs
    WHERE thread_id = :thread_id AND epoch = :epoch AND owner = :owner AND lease_until > now()
    FOR UPDATE
    """
)

TAKE = sa.text("SELECT * FROM take_thread(:thread_id, :owner, :lease)")
