"""Statements about sessions that do in one call what belongs together."""

import sqlalchemy as sa

#: Both rows, or neither when the chat has an open session already.
ADD = sa.text(
    """
    WITH session AS (
        INSERT INTO agent_sessions (id, user_id, chat_session_id, trigger, state_version, given)
        VALUES (
            :id, :user_id, :chat_session_id, :trigger, :state_version, CAST(:given AS jsonb)
        )
        ON CONFLICT (chat_session_id) WHERE outcome IS NULL DO NOTHING
        RETURNING *
    ), run AS (
        INSERT INTO runs (
            thread_id, kind, owner, epoch, attempt, lease_until, claimed_at, allowance
        )
        SELECT id, :kind, :owner, :epoch, :attempt, now() + :lease, now(), :allowance
        FROM session
    ), facts AS (
        INSERT INTO facts (epoch, kind, actor_id, data)
        SELECT fact_epochs.epoch, fact ->> 0, CAST(fact ->> 1 AS uuid), fact -> 2
        FROM session, fact_epochs, jsonb_array_elements(CAST(:facts AS jsonb)) AS told(fact)
    )
    SELECT * FROM session
    """
)

#: Functions, since a statement of its own would not see what was committed while it waited.
ENTER = sa.text(
    """
    SELECT session.*, now() - session.updated_at AS idle, switches_until_commit() AS switched
    FROM enter_session(:id, :user_id) AS session
    """
)
TAKE = sa.text(
    """
    SELECT run.thread_id, run.kind, run.owner, run.epoch, run.attempt, run.allowance, run.last_seq,
           session.*, now() - session.updated_at AS idle
    FROM take_thread(:id, :owner, :lease) AS run
         LEFT JOIN LATERAL session_of(run.thread_id) AS session ON true
    """
)

CHANGE = sa.text(
    """
    UPDATE agent_sessions
    SET turn = CAST(:turn AS jsonb), progress = CAST(:progress AS jsonb),
        pending_question_id = :pending_question_id, draft_digest = :draft_digest,
        outcome = CAST(:outcome AS text), reason = :reason,
        ended_at = CASE WHEN CAST(:outcome AS text) IS NOT NULL THEN now() END,
        given = NULL, chat_message_id = :chat_message_id, updated_at = now()
    WHERE id = :id AND outcome IS NULL
    RETURNING id
    """
)

GIVE = sa.text(
    """
    WITH session AS (
        UPDATE agent_sessions
        SET given = CAST(:given AS jsonb), pending_question_id = NULL, updated_at = now()
        WHERE id = :id
        RETURNING id
    )
    INSERT INTO facts (epoch, kind, actor_id, data)
    SELECT epoch, fact ->> 0, CAST(fact ->> 1 AS uuid), fact -> 2
    FROM session, fact_epochs, jsonb_array_elements(CAST(:facts AS jsonb)) AS told(fact)
    """
)

#: Sessions that are over and whose checkpoints still stand, driven by nobody.
ENDED_WITH_CHECKPOINTS = sa.text(
    """
    SELECT DISTINCT s.id FROM agent_sessions s JOIN checkpoints c ON c.thread_id = s.id::text
    WHERE s.outcome IS NOT NULL
      AND NOT EXISTS (SELECT FROM runs r WHERE r.thread_id = s.id AND r.owner IS NOT NULL)
    LIMIT :limit
    """
)
