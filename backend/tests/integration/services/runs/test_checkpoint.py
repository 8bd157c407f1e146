"""Checkpoints on every backend: what may be loaded, what is kept, what is deleted."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
import pytest_asyncio
import sqlalchemy as sa
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from backend.app.bootstrap import Container
from backend.app.core.settings import CheckpointBackend, CheckpointSettings
from backend.app.domain.runs import Claim, GraphKind, OwnerId, ThreadId
from backend.app.services.runs.checkpoint import Checkpoints, checkpoints
from backend.app.services.runs.endings import Finished
from backend.app.services.runs.saver import (
    BEGUN_KEY,
    CLAIM_KEY,
    Begun,
    ClaimLost,
    FencedSaver,
    serializer,
)
from backend.tests.integration.services.runs.rig import World, answer, replica

_MINUTE = timedelta(minutes=1)
TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


async def _rows(container: Container, thread_id: ThreadId) -> list[int]:
    counted = []
    async with container.engine.connect() as connection:
        for table in TABLES:
            statement = sa.text(f"SELECT count(*) FROM {table} WHERE thread_id = :thread")
            counted.append(int(await connection.scalar(statement, {"thread": str(thread_id)}) or 0))
    return counted


def test_a_checkpoint_cannot_name_a_class_to_be_loaded() -> None:
    stored = JsonPlusSerializer(allowed_msgpack_modules=True).dumps_typed(
        {"claim": Claim(ThreadId(uuid4()), GraphKind.TEST, OwnerId(uuid4()), 1, 1, _MINUTE)}
    )
    opened = JsonPlusSerializer(allowed_msgpack_modules=True).loads_typed(stored)

    assert isinstance(opened["claim"], Claim)
    assert not isinstance(serializer().loads_typed(stored)["claim"], Claim)


class Counted(Checkpoints):
    """Counts a thread's rows before and after each prune."""

    def __init__(self, made: Checkpoints, container: Container) -> None:
        super().__init__(made.saver, made.backend)
        self.container = container
        self.counts: list[tuple[list[int], list[int]]] = []

    async def prune(self, thread_id: ThreadId) -> None:
        before = await _rows(self.container, thread_id)
        await super().prune(thread_id)
        self.counts.append((before, await _rows(self.container, thread_id)))


async def test_a_run_prunes_at_its_pause_and_at_its_end(
    container: Container, database_url: str, tmp_path: Path
) -> None:
    world = World()
    async with checkpoints(CheckpointSettings(), database_url) as made:
        counted = Counted(made, container)
        async with replica(database_url, world, tmp_path, made=counted) as one:
            thread_id, question = await one.to_question(world)
            ending = await one.run(thread_id, answer(question, "yes"))

    assert isinstance(ending, Finished)
    assert ending.values["log"] == ["worked", "yes", "done"]
    (paused, kept_paused), (ended, kept_ended) = counted.counts
    # Rows of checkpoints, blobs and writes; of the writes, the open question is kept.
    assert (paused, kept_paused) == ([3, 3, 5], [1, 1, 1])
    assert (ended, kept_ended) == ([3, 3, 5], [1, 1, 0])


class Unprunable(FencedSaver):
    """A database that does not let it be done."""

    async def aprune(self, *_given: object, **_how: object) -> None:
        raise psycopg.errors.SerializationFailure


async def test_a_prune_that_fails_is_no_failure_of_the_run(
    container: Container, database_url: str, tmp_path: Path
) -> None:
    world = World()
    async with checkpoints(CheckpointSettings(), database_url) as made:
        assert isinstance(made.saver, FencedSaver)
        unprunable: Any = Unprunable(made.saver.conn, 4)  # type: ignore[arg-type]
        kept = Checkpoints(unprunable, made.backend)
        async with replica(database_url, world, tmp_path, made=kept) as one:
            thread_id, question = await one.to_question(world)
            ending = await one.run(thread_id, answer(question, "yes"))

    assert isinstance(ending, Finished)
    assert sum(await _rows(container, thread_id)) > 3


async def test_deleting_leaves_no_row_in_any_table(
    container: Container, database_url: str, tmp_path: Path
) -> None:
    world = World()
    async with replica(database_url, world, tmp_path) as one:
        thread_id, _ = await one.to_question(world)
        await one.engine.checkpoints.delete([thread_id])

        assert await _rows(container, thread_id) == [0, 0, 0]


async def test_nothing_is_written_without_a_claim(container: Container, database_url: str) -> None:
    async with checkpoints(CheckpointSettings(), database_url) as made:
        config: Any = {"configurable": {"thread_id": str(uuid4()), "checkpoint_ns": ""}}
        with pytest.raises(ClaimLost):
            await made.saver.aput(config, empty_checkpoint(), {}, {})
        with pytest.raises(ClaimLost):
            await made.saver.aput_writes(config, [("log", 1)], "task")


async def test_a_made_up_claim_writes_nothing(container: Container, database_url: str) -> None:
    thread_id = ThreadId(uuid4())
    async with container.uow() as work:
        await work.runs.add(thread_id, GraphKind.TEST, allowance=_MINUTE)
    forged = Claim(thread_id, GraphKind.TEST, OwnerId(uuid4()), 1, 1, _MINUTE)
    async with checkpoints(CheckpointSettings(), database_url) as made:
        config: Any = {
            "configurable": {
                "thread_id": str(thread_id),
                "checkpoint_ns": "",
                CLAIM_KEY: forged,
            }
        }
        full: Any = {**empty_checkpoint(), "channel_values": {"log": ["a"]}}
        with pytest.raises(ClaimLost):
            await made.saver.aput(config, full, {}, {"log": "1"})
        config["configurable"]["checkpoint_id"] = empty_checkpoint()["id"]
        with pytest.raises(ClaimLost):
            await made.saver.aput_writes(config, [("log", ["a"])], "task")

    assert await _rows(container, thread_id) == [0, 0, 0]


async def _stored(container: Container, thread_id: ThreadId) -> list[list[Any]]:
    async with container.engine.connect() as connection:
        found = []
        for table in TABLES:
            statement = sa.text(f"SELECT * FROM {table} WHERE thread_id = :thread")
            rows = await connection.execute(statement, {"thread": str(thread_id)})
            found.append(sorted(map(tuple, rows), key=str))
    return found


async def test_what_is_kept_for_an_ending_is_what_the_saver_would_have_stored(
    container: Container, database_url: str, tmp_path: Path
) -> None:
    async with (
        checkpoints(CheckpointSettings(), database_url) as made,
        replica(database_url, World(), tmp_path) as one,
    ):
        claim = await one.take(await one.new())
        named: dict[str, Any] = {
            "thread_id": str(claim.thread_id),
            "checkpoint_ns": "",
            CLAIM_KEY: claim,
        }
        first: Any = empty_checkpoint()
        values: dict[str, Any] = {"log": ["a", "ü\0"], "none": None, "text": "plain", "map": {}}
        values["number"] = 1.5
        versions: Any = {name: f"{place}.5" for place, name in enumerate(values)}
        last: Any = {
            **empty_checkpoint(),
            "channel_values": values,
            "channel_versions": {**versions, "gone": "7"},
        }
        stored = []
        begun = Begun()
        for extra in ({}, {BEGUN_KEY: begun}):
            config: Any = {"configurable": {**named, **extra, "checkpoint_id": first["id"]}}
            behind = await made.saver.aput(config, last, {"step": 3}, {**versions, "gone": "7"})
            config = {"configurable": {**config["configurable"], **behind["configurable"]}}
            await made.saver.aput_writes(config, [("__interrupt__", [{"id": 1}])], "task", "~")
            await made.saver.aput_writes(config, [("log", ["b"]), ("map", {})], "other")
            if extra:
                async with one.uow() as work:
                    await work.runs.release(claim, kept=begun)
            async with one.uow() as work:
                loaded = await made.latest(work, claim.thread_id)
            plain: Any = {"configurable": {"thread_id": str(claim.thread_id)}}
            assert loaded == await made.saver.aget_tuple(plain)
            stored.append(await _stored(container, claim.thread_id))
            async with one.uow() as work:
                await work.runs.release(claim, forgets=True)
            claim = await one.take(claim.thread_id)
            named[CLAIM_KEY] = claim
            assert await _rows(container, claim.thread_id) == [0, 0, 0]

    assert [len(rows) for rows in stored[0]] == [1, 2, 3]
    assert stored[0] == stored[1]


async def _write_within(pool: Any, claim: Claim, meanwhile: Awaitable[object]) -> None:
    """As the saver writes: the fence's row is locked, and then no more is said for a while."""
    fence = (str(claim.thread_id), claim.epoch, claim.owner)
    async with pool.connection() as connection, connection.pipeline():
        cursor = await connection.execute("SELECT require_claim(%s, %s, %s)", fence)
        await cursor.fetchone()
        await meanwhile
        await connection.execute("SELECT 1")


async def test_whoever_stands_still_within_a_write_keeps_its_run_from_nobody(
    container: Container, database_url: str, tmp_path: Path
) -> None:
    soon = timedelta(seconds=0.3)
    async with (
        checkpoints(CheckpointSettings(), database_url, write_within=soon) as made,
        replica(database_url, World(), tmp_path) as one,
        replica(database_url, World(), tmp_path) as two,
    ):
        claim = await one.take(await one.new())

        async def seize() -> None:
            async with asyncio.timeout(5), two.uow() as work:
                assert await work.runs.seize(claim.thread_id, two.claims.owner, lease=_MINUTE)

        assert isinstance(made.saver, FencedSaver)
        with pytest.raises(psycopg.OperationalError):
            await _write_within(made.saver.conn, claim, seize())


@pytest_asyncio.fixture(params=[CheckpointBackend.SQLITE, CheckpointBackend.MEMORY])
async def other_backend(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[Checkpoints]:
    settings = CheckpointSettings(backend=request.param, sqlite_path=tmp_path / "c.sqlite")
    async with checkpoints(settings, "unused") as made:
        yield made


async def test_the_other_backends_pause_and_go_on_too(
    container: Container, database_url: str, tmp_path: Path, other_backend: Checkpoints
) -> None:
    world = World()
    async with replica(database_url, world, tmp_path, made=other_backend) as one:
        thread_id, question = await one.to_question(world)  # which prunes
        ending = await one.run(thread_id, answer(question, "yes"))
        await one.engine.checkpoints.delete([thread_id])
        state = await one.driver.graph.aget_state({"configurable": {"thread_id": str(thread_id)}})

    assert isinstance(ending, Finished)
    assert world.effects == ["yes"]
    assert state.values == {}
