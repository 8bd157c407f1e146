"""Short transactions. ``async with uow() as work`` gives repositories over one transaction and
commits on clean exit.

No transaction across a wait: while a unit of work is open, a context flag is set, and everything
that talks to the outside world calls `refuse_inside_unit_of_work` first.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy.exc import DBAPIError, InterfaceError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker

from backend.app.db.engine import DatabaseBusy, DatabaseUnavailable, is_contention, is_outage
from backend.app.db.repositories.category_models import CategoryModelRepository
from backend.app.db.repositories.chat import ChatRepository
from backend.app.db.repositories.checkpoints import CheckpointRepository
from backend.app.db.repositories.facts import FactRepository
from backend.app.db.repositories.filings import FilingRepository
from backend.app.db.repositories.identity import IdentityRepository
from backend.app.db.repositories.jobs import JobRepository
from backend.app.db.repositories.knowledge import KnowledgeRepository
from backend.app.db.repositories.rates import RateRepository
from backend.app.db.repositories.run_events import RunEventRepository
from backend.app.db.repositories.runs import RunRepository
from backend.app.db.repositories.search import SearchRepository
from backend.app.db.repositories.sessions import SessionRepository
from backend.app.db.repositories.switches import SwitchRepository
from backend.app.db.repositories.ticket_search import TicketSearchRepository
from backend.app.db.repositories.tickets import TicketRepository

_open: ContextVar[bool] = ContextVar("unit_of_work_open", default=False)


class TransactionHeldAcrossWait(AssertionError):
    """An outside call was made, or a second unit of work opened, while one was open."""


@dataclass(frozen=True, slots=True)
class Work:
    """One transaction's repositories."""

    category_models: CategoryModelRepository
    chat: ChatRepository
    checkpoints: CheckpointRepository
    facts: FactRepository
    filings: FilingRepository
    identity: IdentityRepository
    jobs: JobRepository
    knowledge: KnowledgeRepository
    rates: RateRepository
    run_events: RunEventRepository
    runs: RunRepository
    search: SearchRepository
    sessions: SessionRepository
    switches: SwitchRepository
    ticket_search: TicketSearchRepository
    tickets: TicketRepository


class UnitOfWork(Protocol):
    """Begins a unit of work."""

    def __call__(self, *, each: bool = False) -> AbstractAsyncContextManager[Work]:
        """A unit of work; ``each``: every statement commits by itself, for one that needs no other.
        That saves two calls.
        """


def refuse_inside_unit_of_work(what: str) -> None:
    """Raise when a unit of work is open in this context; ``what`` names the refused call."""
    if _open.get():
        raise TransactionHeldAcrossWait(f"{what} inside an open unit of work")


def _work(session: AsyncSession) -> Work:
    return Work(
        category_models=CategoryModelRepository(session),
        chat=ChatRepository(session),
        checkpoints=CheckpointRepository(session),
        facts=FactRepository(session),
        filings=FilingRepository(session),
        identity=IdentityRepository(session),
        jobs=JobRepository(session),
        knowledge=KnowledgeRepository(session),
        rates=RateRepository(session),
        run_events=RunEventRepository(session),
        runs=RunRepository(session),
        search=SearchRepository(session),
        sessions=SessionRepository(session),
        switches=SwitchRepository(session),
        ticket_search=TicketSearchRepository(session),
        tickets=TicketRepository(session),
    )


async def _connect(session: AsyncSession) -> None:
    """Take a connection now, so that later an OSError can only be somebody else's."""
    try:
        await session.connection()
    except OSError as error:
        raise DatabaseUnavailable from error


def unit_of_work(engine: AsyncEngine) -> UnitOfWork:
    """A maker of units of work over ``engine``. A database that is away becomes
    `DatabaseUnavailable`.
    """
    sessions = async_sessionmaker(engine, expire_on_commit=False)
    committing = engine.execution_options(isolation_level="AUTOCOMMIT")
    each_by_itself = async_sessionmaker(committing, expire_on_commit=False)

    @asynccontextmanager
    async def begin(*, each: bool = False) -> AsyncIterator[Work]:
        refuse_inside_unit_of_work("A second unit of work")
        token = _open.set(True)
        try:
            async with (each_by_itself if each else sessions).begin() as session:
                await _connect(session)
                yield _work(session)
        except (DBAPIError, InterfaceError, PoolTimeout, TimeoutError) as error:
            if is_outage(error):
                raise DatabaseUnavailable from error
            if is_contention(error):
                raise DatabaseBusy from error
            raise
        finally:
            _open.reset(token)

    return begin
