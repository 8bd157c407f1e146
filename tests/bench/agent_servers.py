"""The two servers that are compared: the product, and the same graph on LangGraph's stock saver
behind bare FastAPI. ``python -m tests.bench.agent_servers product|stock PORT`` with DATABASE_URL.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import uvicorn
from fastapi import FastAPI
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.types import Command
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from pydantic import BaseModel

from backend.app.core.clock import SystemClock
from backend.app.core.settings import AgentSettings, Settings
from backend.app.db.engine import create_engine, for_libpq
from backend.app.db.uow import unit_of_work
from backend.app.domain.budgets import Tools
from backend.app.domain.sessions import AgentSessionId
from backend.app.main import create_app
from backend.app.providers.embeddings import MiniLM
from backend.app.providers.web_search import CannedWebSearch
from backend.app.services.helpdesk.duplicates import Duplicates
from backend.app.services.helpdesk.leaving import Leaving
from backend.app.services.helpdesk_graph.beginning import first_state
from backend.app.services.helpdesk_graph.driver import budgets_of
from backend.app.services.helpdesk_graph.graph import build_helpdesk_graph
from backend.app.services.helpdesk_graph.nodes.steps import RunContext
from backend.app.services.helpdesk_graph.rules import RuleBasedDecider
from backend.app.services.helpdesk_graph.tools import AgentTools
from backend.app.services.knowledge.library import KnowledgeLibrary
from backend.tests.support.agent import a_session


class Begin(BaseModel):
    """What the stock server starts with."""

    question: str
    user_id: UUID


class Answer(BaseModel):
    """An answer to the open question of a thread."""

    thread_id: UUID
    user_id: UUID
    answer: dict[str, Any]


def stock() -> FastAPI:
    """Bare FastAPI over the stock saver, as its documentation shows it: a pool, durability sync."""
    settings = Settings()
    assert settings.database.url is not None
    url = settings.database.url.get_secret_value()
    graphs: list[Any] = []

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        uow = unit_of_work(create_engine(settings.database))
        library = KnowledgeLibrary(uow, None)  # type: ignore[arg-type]
        duplicates = Duplicates(uow, MiniLM(settings.semantic))
        tools = AgentTools(uow, library, duplicates, CannedWebSearch())
        options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        async with AsyncConnectionPool(for_libpq(url), max_size=8, kwargs=options) as pool:
            saver = AsyncPostgresSaver(pool)  # type: ignore[arg-type]
            budgets = budgets_of(AgentSettings())
            graphs.append(
                build_helpdesk_graph(saver, RuleBasedDecider(), budgets, tools, Leaving())
            )
            yield

    async def run(given: Any, thread_id: UUID, user_id: UUID) -> dict[str, Any]:
        clock = SystemClock()
        context = RunContext(a_session(thread_id, user_id), clock, clock.monotonic() + 60, Tools())
        state = await graphs[0].ainvoke(
            given,
            {"configurable": {"thread_id": str(thread_id)}},
            context=context,
            durability="sync",
        )
        return {
            "thread_id": str(thread_id),
            "draft": state.get("draft"),
            "outcome": state.get("outcome"),
        }

    app = FastAPI(lifespan=lifespan)

    @app.post("/start")
    async def start(body: Begin) -> dict[str, Any]:
        thread_id = uuid4()
        told = [("user", body.question)]
        return await run(
            first_state(AgentSessionId(thread_id), None, told), thread_id, body.user_id
        )

    @app.post("/answer")
    async def answer(body: Answer) -> dict[str, Any]:
        return await run(Command(resume=body.answer), body.thread_id, body.user_id)

    return app


def main() -> None:
    """Serve until stopped."""
    kind, port = sys.argv[1], int(sys.argv[2])
    app = create_app(demo=True) if kind == "product" else stock()
    asyncio.run(
        uvicorn.Server(
            uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning")
        ).serve()
    )


if __name__ == "__main__":
    main()
