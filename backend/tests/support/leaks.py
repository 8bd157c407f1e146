"""Where words of a person could lie in the database."""

from backend.app.bootstrap import Container
from backend.tests.support.agent import rows

#: Every column in which a person's words could lie, and the checkpoints. A chat's own questions are
#: its person's, and are not among them.
PLACES = (
    "SELECT coalesce(given::text, '') || coalesce(turn::text, '') || progress::text"
    " FROM agent_sessions",
    "SELECT data::text FROM run_events",
    "SELECT data::text FROM facts",
    "SELECT title || body || problem FROM tickets",
    "SELECT content || message_meta::text FROM chat_messages WHERE role = 'assistant'",
    "SELECT encode(convert_to(checkpoint::text || metadata::text, 'UTF8'), 'escape')"
    " FROM checkpoints",
    "SELECT encode(blob, 'escape') FROM checkpoint_blobs WHERE blob IS NOT NULL",
    "SELECT encode(blob, 'escape') FROM checkpoint_writes",
)


async def kept_words(container: Container) -> str:
    """Everything that lies there now."""
    parts = []
    for query in PLACES:
        parts += [str(next(iter(one.values()))) for one in await rows(container, query)]
    return "\n".join(parts)
