"""What LangGraph does by itself and the engine does not let it do; `test_engine` has the table."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import sqlalchemy as sa
from langgraph.errors import GraphRecursionError
from langgraph.graph import START, StateGraph

from backend.app.bootstrap import Container
from backend.app.core.periodic import every
from backend.app.core.settings import CheckpointSettings
from backend.app.services.runs.checkpoint import Checkpoints, checkpoints
from backend.app.services.runs.endings import Failed
from backend.app.services.runs.saver import (
    RECURSION_LIMIT,
    FencedSaver,
)
from backend.tests.integration.services.runs.rig import Replica, State, World, answer, replica


class Unwritable(FencedSaver):
    """A database that takes no checkpoint once it is ``away``."""

    away = False

    async def aput(self, *given: Any) -> Any:
        if self.away:
            raise psycopg.OperationalError
        return await super().aput(*given)


async def test_no_step_runs_after_one_that_could_not_be_saved(
    container: Container, database_url: str, tmp_path: Path
) -> None:
    world = World()
    async with checkpoints(CheckpointSettings(), database_url) as made:
        pool: Any = made.saver
        saver = Unwritable(pool.conn, 4)
        kept = Checkpoints(saver, made.backend)
        async with replica(database_url, world, tmp_path, made=kept) as one:
            thread_id, question = await one.to_question(world)
            saver.away = True
            ending = await one.run(thread_id, answer(question, "yes"))

    assert isinstance(ending, Failed)
    assert isinstance(ending.error, psycopg.OperationalError)
    assert world.effects == []


async def test_the_saver_works_for_many_at_once(container: Container, database_url: str) -> None:
    config: Any = {"configurable": {"thread_id": str(uuid4())}}
    async with checkpoints(CheckpointSettings(pool_size=2), database_url) as made:
        assert isinstance(made.saver, FencedSaver)
        async with asyncio.timeout(5), made.saver._cursor():  # one operation is under way
            assert await made.saver.aget_tuple(config) is None


async def test_nothing_of_a_claim_is_stored_with_a_thread(
    container: Container, one: Replica, world: World
) -> None:
    await one.to_question(world)
    async with container.engine.connect() as connection:
        stored = await connection.execute(sa.text("SELECT metadata, checkpoint FROM checkpoints"))
        rows = stored.all()

    assert [set(row.metadata) for row in rows] == [{"parents", "source", "step"}]
    assert str(one.claims.owner) not in str(rows)


async def test_a_graph_that_never_ends_is_ended(one: Replica, world: World) -> None:
    world.gate.set()
    graph: Any = StateGraph(State)
    graph.add_node("work", world.work)
    graph.add_edge(START, "work")
    graph.add_edge("work", "work")
    one.driver.graph = graph.compile(checkpointer=one.engine.checkpoints.saver)
    async with every((0.1, "beat", one.claims.beat)):
        ending = await one.run(await one.new(), {"log": []})

    assert isinstance(ending, Failed)
    assert isinstance(ending.error, GraphRecursionError)
    assert world.works == RECURSION_LIMIT
