"""Real people's questions through whole agent sessions: how each ends.

The person is played by rule: a clarifying question gets its first choice, or a shrug; a proposal
is accepted when it is an article that the data set names for the question; a draft is filed. Run
with ``-s`` to read what was asked, proposed and drafted.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa

from backend.app.bootstrap import Container
from backend.app.schemas.helpdesk import (
    AgentConfirmRequest,
    AgentResumeRequest,
    AgentStartRequest,
    AgentTurn,
    ConversationTurn,
)
from backend.app.services.knowledge.reading import read_json_lines
from backend.tests.support.people import Person
from tests.bench.questions import questions_of

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

_SHRUG = "I am not sure."
_MAX_EXCHANGES = 12


async def _answer(
    container: Container, person: Person, turn: AgentTurn, relevant: set[UUID]
) -> AgentTurn:
    base: dict[str, Any] = {
        "session_id": turn.session_id,
        "pending_question_id": turn.pending_question_id,
    }
    if turn.proposal is not None:
        proposed = {source.article_id for source in turn.sources or []}
        choice = "That fixed it" if proposed & relevant else "Still broken"
        said = AgentResumeRequest(**base, choice=choice)
        return await container.agent_sessions.turn_of(
            await container.agent.resume_session(person.principal, said, None)
        )
    if turn.draft is not None:
        yes = AgentConfirmRequest(**base, draft=turn.draft, draft_digest=turn.draft_digest)
        return await container.agent_sessions.turn_of(
            await container.agent.confirm_session(person.principal, yes, None)
        )
    said = AgentResumeRequest(**base, choice=turn.choices[0] if turn.choices else _SHRUG)
    return await container.agent_sessions.turn_of(
        await container.agent.resume_session(person.principal, said, None)
    )


def _told(turn: AgentTurn) -> str:
    if turn.proposal is not None:
        return f"  ? tries: {turn.proposal.title}"
    if turn.draft is not None:
        graded = f"{turn.draft.severity}/{turn.draft.impact}/{turn.draft.category}"
        near = "".join(f" ~#{one.number} {one.odds}" for one in turn.candidates or [])
        return f"  draft [{graded}] {turn.draft.title}{near}"
    return f"  {turn.kind}: {turn.message.splitlines()[0][:140]}"


async def test_two_hundred_real_questions_go_through_whole_sessions(
    container: Container, public_data: Path, requester: Person
) -> None:
    folder = public_data / "tb-kb"
    await container.library.bring_up_to_date("tb-kb", read_json_lines(folder / "corpus.jsonl"))
    async with container.engine.connect() as connection:
        rows = await connection.execute(sa.text("SELECT id, key FROM kb_articles"))
        ids = {row.key: row.id for row in rows}
    patient = replace(
        container.agent,
        admission=replace(
            container.agent.admission,
            settings=container.settings.agent.model_copy(
                update={"max_sessions_per_user_per_day": 1000}
            ),
        ),
    )
    ends: Counter[str] = Counter()
    asked: Counter[int] = Counter()
    tried = helped = 0
    for question, keys in questions_of(folder)[:200]:
        begun = AgentStartRequest(
            conversation=[ConversationTurn(role="user", content=question[:8000])]
        )
        turn = await patient.sessions.turn_of(
            await patient.start_session(requester.principal, begun, None)
        )
        print(f"\nQ {' '.join(question.split())[:200]}")
        questions = 0
        for _ in range(_MAX_EXCHANGES):
            print(_told(turn))
            if turn.pending_question_id is None:
                break
            tried += turn.proposal is not None
            questions += turn.question_number is not None
            turn = await _answer(container, requester, turn, {ids[key] for key in keys})
        assert turn.pending_question_id is None
        helped += turn.kind == "resolved"
        ends[turn.kind] += 1
        asked[questions] += 1
    print(f"\nends {dict(ends)}; questions asked {dict(sorted(asked.items()))};")
    print(f"proposals {tried}, of which the right article {helped}")

    assert sum(ends.values()) == 200
    assert set(ends) <= {"filed", "resolved"}
