"""Reading facts: nothing lost, nothing counted twice, whatever commits late or crashes between."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from backend.app.bootstrap import Container, build
from backend.app.db.uow import UnitOfWork
from backend.app.domain.agent_events import AgentStarted
from backend.app.domain.events import KnowledgeRemoved, SignInRefused
from backend.app.domain.principals import Role
from backend.app.domain.sessions import AgentSessionId, Trigger
from backend.app.providers.audit_log import AuditFile
from backend.app.services.facts import FactReaders


class FixedClock:
    """A clock that stands where it is put."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return 0.0


@pytest.fixture
def audit(tmp_path: Path) -> AuditFile:
    return AuditFile(tmp_path / "logs", FixedClock(datetime.now(UTC)))


@pytest.fixture
def readers(uow: UnitOfWork, audit: AuditFile) -> FactReaders:
    return FactReaders(uow, audit)


async def _refuse(uow: UnitOfWork, times: int) -> None:
    for _ in range(times):
        async with uow() as work:
            await work.facts.tell(SignInRefused(reason="credentials"))


def _lines(audit: AuditFile) -> list[dict[str, object]]:
    return [json.loads(line) for line in audit.path.read_text().splitlines()]


async def test_every_fact_is_counted_and_audited_once(
    uow: UnitOfWork, readers: FactReaders, audit: AuditFile
) -> None:
    await _refuse(uow, 3)
    await readers.read_all()
    await _refuse(uow, 2)
    await readers.read_all()
    await readers.read_all()

    assert await readers.counters() == [("chatbot_sign_ins_total", {"outcome": "credentials"}, 5)]
    assert [line["event"] for line in _lines(audit)] == ["auth.sign_in_refused"] * 5
    assert len({line["fact_id"] for line in _lines(audit)}) == 5


async def test_a_fact_that_commits_late_is_not_passed_over(
    uow: UnitOfWork, readers: FactReaders, audit: AuditFile
) -> None:
    told, commit = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        async with uow() as work:
            await work.facts.tell(KnowledgeRemoved(collection="early id", articles=0))
            told.set()
            await commit.wait()

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(slow())
        await told.wait()
        # Its id is lower than this one's, and its transaction is still open.
        await _refuse(uow, 1)
        await readers.read_all()
        before = audit.path.exists()
        commit.set()
    await readers.read_all()

    assert not before
    assert [line["event"] for line in _lines(audit)] == [
        "knowledge.removed",
        "auth.sign_in_refused",
    ]


async def test_a_disk_that_is_full_loses_nothing(
    uow: UnitOfWork, readers: FactReaders, audit: AuditFile
) -> None:
    await _refuse(uow, 2)
    audit.folder.parent.joinpath("logs").write_text("a file where the folder should be")
    with pytest.raises(OSError):  # noqa: PT011 -- whichever the system raises
        await readers.read_all()
    audit.folder.unlink()
    await readers.read_all()

    assert len(_lines(audit)) == 2
    assert (await readers.counters())[0][2] == 2


async def test_many_readers_at_once_count_each_fact_once(
    uow: UnitOfWork, readers: FactReaders, audit: AuditFile
) -> None:
    await _refuse(uow, 10)
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(replace(readers).read_all())
    await readers.read_all()

    assert (await readers.counters())[0][2] == 10
    assert len(_lines(audit)) == 10


@pytest.mark.parametrize("ids", [(100, 200, 300), (100, 9 * 10**9, 9 * 10**9 + 1)])
async def test_facts_restored_from_another_server_are_read_once_each(
    container: Container,
    uow: UnitOfWork,
    readers: FactReaders,
    audit: AuditFile,
    ids: tuple[int, int, int],
) -> None:
    await _refuse(uow, 2)
    await readers.read_all()
    await _refuse(uow, 1)
    async with container.engine.begin() as connection:
        # What a dump from another server looks like here: ids that this one did not give.
        for fact, xid in enumerate(ids, start=1):
            await connection.execute(
                sa.text(f"UPDATE facts SET xid = '{xid}'::xid8 WHERE id = {fact}")
            )
        await connection.execute(sa.text(f"UPDATE fact_readers SET xid = '{ids[1]}'::xid8"))
    await readers.settle()
    await readers.settle()
    await _refuse(uow, 1)
    await readers.read_all()

    assert (await readers.counters())[0][2] == 4
    assert [line["fact_id"] for line in _lines(audit)] == [1, 2, 3, 4]


async def test_what_a_start_tells_on_a_restored_database_is_read_too(
    container: Container, uow: UnitOfWork, readers: FactReaders, audit: AuditFile
) -> None:
    await _refuse(uow, 1)
    await readers.read_all()
    async with container.engine.begin() as connection:
        await connection.execute(sa.text("UPDATE facts SET xid = '9000000000'::xid8"))
        await connection.execute(sa.text("UPDATE fact_readers SET xid = '9000000000'::xid8"))
    async with build(container.settings) as command:  # as an admin command does
        await command.accounts.add("ada", display_name="Ada", role=Role.ADMIN)
    await readers.read_all()

    assert [line["event"] for line in _lines(audit)] == ["auth.sign_in_refused", "user.created"]


async def test_audit_lines_hide_who_and_are_private(
    uow: UnitOfWork, readers: FactReaders, audit: AuditFile, container: Container
) -> None:
    user, _ = await container.accounts.add("rita", display_name="Rita", role=Role.REQUESTER)
    await readers.read_all()
    text = audit.path.read_text()

    assert str(user.id) not in text
    assert "rita" not in text.lower()
    assert audit.path.stat().st_mode & 0o777 == 0o600


async def test_a_day_has_a_file_and_a_month_is_kept(uow: UnitOfWork, tmp_path: Path) -> None:
    clock = FixedClock(datetime.now(UTC))
    audit = AuditFile(tmp_path, clock)
    readers = FactReaders(uow, audit)
    old = tmp_path / "helpdesk_agent_audit.2001-01-01.jsonl"
    old.write_text("{}\n")
    await _refuse(uow, 1)
    await readers.read_all()
    today = clock.moment.date()
    clock.moment += timedelta(days=1)
    await _refuse(uow, 1)
    await readers.read_all()

    assert sorted(path.name for path in tmp_path.glob("*.jsonl")) == [
        f"helpdesk_agent_audit.{today}.jsonl",
        "helpdesk_agent_audit.jsonl",
    ]
    assert len(_lines(audit)) == 1


async def test_facts_go_once_everybody_has_read_them_and_they_are_old(
    container: Container, uow: UnitOfWork, audit: AuditFile
) -> None:
    readers = FactReaders(uow, audit, kept=timedelta(days=100))
    await readers.forget_old()  # before anybody has read
    await _refuse(uow, 3)
    await readers.read_all()
    await _refuse(uow, 1)  # unread

    async def left() -> list[int]:
        async with container.engine.begin() as connection:
            rows = await connection.execute(sa.text("SELECT id FROM facts ORDER BY id"))
            return [row.id for row in rows]

    async with container.engine.begin() as connection:
        days = "make_interval(days => CASE id WHEN 1 THEN 99 ELSE 101 END)"
        aged = f"UPDATE facts SET at = now() - {days}"
        await connection.execute(sa.text(aged))
    await readers.forget_old()

    assert await left() == [1, 4]
    assert len(_lines(audit)) == 3
    await readers.read_all()
    assert (await readers.counters())[0][2] == 4
    await readers.forget_old()
    assert await left() == [1]


async def test_a_deleted_session_is_taken_out_of_facts_and_lines_and_not_of_counters(
    uow: UnitOfWork, readers: FactReaders, audit: AuditFile, container: Container
) -> None:
    theirs, others = AgentSessionId(uuid4()), AgentSessionId(uuid4())

    async def tell() -> None:
        for one in (theirs, others):
            async with uow() as work:
                await work.facts.tell(
                    AgentStarted(agent_session_id=one, chat_session_id=None, trigger=Trigger.CHIP)
                )

    await tell()
    await readers.read_all()
    await tell()  # not read yet
    await readers.tombstone([theirs])
    await readers.read_all()

    text = audit.path.read_text()
    assert str(theirs) not in text
    assert text.count(str(others)) == 2
    assert [line.get("redacted", False) for line in _lines(audit)] == [True, False, True, False]
    async with container.engine.begin() as connection:
        rows = await connection.execute(sa.text("SELECT data FROM facts ORDER BY id"))
        assert [row.data == {"redacted": True} for row in rows] == [True, False, True, False]
    assert [value for _, _, value in await readers.counters()] == [3]
