"""Which errors of the database mean that it is away."""

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, InterfaceError

from backend.app.bootstrap import Container
from backend.app.db.engine import is_outage


async def test_a_statement_that_takes_too_long_is_no_outage(container: Container) -> None:
    async with container.engine.connect() as connection:
        await connection.execute(sa.text("SET LOCAL statement_timeout = 20"))
        with pytest.raises(DBAPIError) as failed:
            await connection.execute(sa.text("SELECT pg_sleep(5)"))

    assert not is_outage(failed.value)


async def test_arguments_that_cannot_be_sent_are_no_outage(container: Container) -> None:
    async with container.engine.connect() as connection:
        numbers = sa.select(sa.literal(1).in_(range(40_000)))
        with pytest.raises(InterfaceError) as failed:
            await connection.execute(numbers)

    assert not is_outage(failed.value)


async def test_a_server_that_ends_the_session_is_an_outage(container: Container) -> None:
    async with container.engine.connect() as connection:
        with pytest.raises(DBAPIError) as failed:
            await connection.execute(sa.text("SELECT pg_terminate_backend(pg_backend_pid())"))

    assert is_outage(failed.value)


def test_a_closed_connection_is_an_outage() -> None:
    assert is_outage(InterfaceError("SELECT 1", {}, Exception("connection is closed")))
