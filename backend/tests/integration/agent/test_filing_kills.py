"""A replica is killed between any two steps of writing a ticket to GitHub; a job goes on."""

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any

from backend.app.bootstrap import Container
from backend.app.core.settings import Settings
from backend.tests.integration.agent.history import History, Told, User, new_key
from backend.tests.integration.agent.replica import Replicas
from backend.tests.integration.agent.server import Fault
from backend.tests.integration.agent.test_kills import (
    AFTER_ANSWER,
    LANES,
    at_rest,
    gone_on_with,
    prepared,
)
from backend.tests.support.github import REPO, TOKEN, FakeGitHub, fake_github
from backend.tests.support.people import People
from backend.tests.support.tracked import duplicates, state_of, tracked
from backend.tests.support.tracked import gone_on_with as settled


def _written(fake: FakeGitHub, session_id: str) -> int:
    return sum(f"agent_session: {session_id}" in one["body"] for one in fake.issues)


async def test_a_kill_between_any_two_steps_of_a_filing_leaves_one_issue(
    container: Container, settings: Settings, replicas: Replicas, people: People
) -> None:
    async with fake_github() as fake, tracked(settings, fake) as app:
        github: dict[str, Any] = {"token": TOKEN, "repo": REPO, "api_url": fake.url}
        other, history = await replicas.start(github=github), History()
        users = [User(await people.make(f"user{n}"), history) for n in range(LANES)]

        async def recorded() -> list[str]:
            replica = await replicas.start(github=github)
            call = await (await prepared(users[0], "confirm", other))(replica, new_key())
            await at_rest(container.engine, str(call.session_id))
            assert await state_of(container, str(call.session_id)) == "filed"
            return replica.met("confirm")

        points = await recorded()
        assert {"create.before", "create.after"} <= set(points)
        numbers = iter(range(1, len(points) + 1))
        seen: Counter[str] = Counter()

        async def lane(user: User) -> None:
            for at in numbers:
                made, key = await prepared(user, "confirm", other), new_key()
                victim = await replicas.start(fault=Fault("kill", "confirm", at), github=github)
                call = await made(victim, key)
                with suppress(TimeoutError):  # the point may be one that it meets after its answer
                    await asyncio.wait_for(victim.ended(), AFTER_ANSWER)
                victim.kill()
                await victim.ended()
                seen["in the request" if call.outcome is Told.UNKNOWN else "after its answer"] += 1
                seen["at its point"] += len(victim.met("confirm")) == at
                ended = await gone_on_with(user, other, made, key, edits=False)
                session_id = str(ended["session_id"])
                seen[f"then {await state_of(container, session_id)}"] += 1
                assert await settled(app.container, session_id) == "filed"
                assert _written(fake, session_id) == 1, points[at - 1]
                await victim.leave()

        await asyncio.gather(*(lane(user) for user in users))
        sends = len(fake.named("create"))
        print(f"\n{len(points)} kills: {sends - 1} sends, {len(fake.issues) - 1} issues")
        print(f"  {duplicates(fake)} second issues; {dict(seen)}")
        print(f"  points: {dict(Counter(points))}")
        assert duplicates(fake) == 0
        assert len(fake.issues) == len(points) + 1
        assert seen["at its point"] >= 0.8 * len(points)
