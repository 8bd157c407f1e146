"""Applications that write what is filed into a fake GitHub."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from pydantic import SecretStr

from backend.app.bootstrap import Container
from backend.app.core.github_settings import GitHubSettings
from backend.app.core.settings import Settings
from backend.app.domain.sessions import AgentSessionId
from backend.tests.support.agent import Application, application, execute, rows
from backend.tests.support.github import REPO, TOKEN, FakeGitHub

SECRET = "a webhook's secret"
#: Seconds that a call may take where answers come late; elsewhere a busy machine has time.
PATIENCE = 0.6


def github_settings(fake: FakeGitHub, **instead: Any) -> GitHubSettings:
    """Settings over the fake."""
    given = {"token": SecretStr(TOKEN), "repo": REPO, "api_url": fake.url}
    more = {"webhook_secret": SecretStr(SECRET), "timeout_seconds": 15.0}
    return GitHubSettings.model_validate({**given, **more, **instead})


@asynccontextmanager
async def tracked(
    settings: Settings, fake: FakeGitHub, *, github: dict[str, Any] | None = None, **agent: Any
) -> AsyncIterator[Application]:
    """An application over the fake; ``github`` and ``agent``: settings that differ."""
    own = settings.model_copy(update={"github": github_settings(fake, **(github or {}))})
    async with application(own, **agent) as made:
        yield made


async def time_passes(container: Container) -> None:
    """An hour goes by for every filing: leases lapse, what may appear has appeared."""
    await execute(
        container,
        "UPDATE filings SET due_at = NULL, held_until = now() - interval '1 second',"
        " sent_at = sent_at - interval '1 hour' WHERE state IN ('reserved', 'sent', 'unknown')",
    )


async def gone_on_with(container: Container, session_id: str, *, rounds: int = 6) -> str:
    """Go on with a filing as its job does, an hour each time; the state that it comes to."""
    for _ in range(rounds):
        state = await state_of(container, session_id)
        if state in {"filed", "refused"}:
            break
        await time_passes(container)
        await container.issues.advance(as_id(session_id))
    return await state_of(container, session_id)


def as_id(session_id: str) -> AgentSessionId:
    """The id out of a turn."""
    return AgentSessionId(UUID(session_id))


async def filing_of(container: Container, session_id: str) -> Any:
    """The row of a session's filing."""
    query = "SELECT * FROM filings WHERE session_id::text = :id"
    return (await rows(container, query, id=session_id))[0]


async def state_of(container: Container, session_id: str) -> str:
    """How a session's filing stands."""
    return str((await filing_of(container, session_id))["state"])


def duplicates(fake: FakeGitHub) -> int:
    """How many issues there are beyond one for each session."""
    markers: Sequence[str] = [
        line
        for one in fake.issues
        for line in (one["body"] or "").split("\n")
        if line.startswith("agent_session: ")
    ]
    return len(markers) - len(set(markers))
