"""Duplicates and grades of any text, over the API."""

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
import sqlalchemy as sa

from backend.app.bootstrap import Container
from backend.app.db.models import TicketRow
from backend.app.domain.principals import Role
from backend.tests.support.people import People, Person

DUPLICATES = "/api/helpdesk/duplicates"
CLASSIFY = "/api/helpdesk/classify"


@pytest_asyncio.fixture
async def operator(people: People) -> Person:
    """An operator."""
    return await people.make("olga", Role.OPERATOR)


@pytest_asyncio.fixture
async def desk(anonymous: httpx.AsyncClient, operator: Person) -> AsyncIterator[httpx.AsyncClient]:
    """A program with an operator's access token."""
    anonymous.headers["authorization"] = f"Bearer {operator.token}"
    yield anonymous


async def _file(container: Container, person: Person, title: str, problem: str) -> int:
    values = {
        "id": uuid4(),
        "requester_id": person.user.id,
        "title": title,
        "body": "",
        "problem": problem,
        "severity": "medium",
        "impact": "Person",
        "category": "other",
        "origin": "api",
    }
    async with container.engine.begin() as connection:
        statement = sa.insert(TicketRow).values(values).returning(TicketRow.number)
        return int((await connection.execute(statement)).scalar_one())


async def _filed(container: Container, person: Person) -> list[int]:
    return [
        await _file(container, person, "Printer prints blank pages", "HP 4711, toner is new."),
        await _file(container, person, "VPN drops every ten minutes", "ERR_720 in the client."),
        await _file(container, person, "Shared calendar is empty", "Since the update."),
    ]


async def test_the_nearest_ticket_is_first_with_evidence(
    desk: httpx.AsyncClient, container: Container, requester: Person
) -> None:
    _, vpn, _ = await _filed(container, requester)
    assert await container.duplicates.index() == 3
    answer = await desk.post(
        DUPLICATES, json={"text": "VPN drops all the time\nERR_720 appears", "k": 2}
    )

    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["semantic"] is True
    assert found["items"][0]["number"] == vpn
    assert len(found["items"]) == 2
    assert "ERR_720" in found["items"][0]["evidence"]
    assert found["items"][0]["sameness"] in {"same", "related"}
    assert 0 <= found["items"][1]["odds"] <= found["items"][0]["odds"] <= 1


async def test_meaning_finds_what_shares_no_word(
    desk: httpx.AsyncClient, container: Container, requester: Person
) -> None:
    printer, *_ = await _filed(container, requester)
    await container.duplicates.index()
    answer = await desk.post(DUPLICATES, json={"text": "White sheets of paper come out", "k": 1})

    assert [one["number"] for one in answer.json()["items"]] == [printer]


async def test_a_ticket_is_found_by_words_at_once_and_after_an_edit_by_the_new_ones(
    desk: httpx.AsyncClient, container: Container, requester: Person
) -> None:
    number = await _file(container, requester, "Toner smells", "Like burnt rubber")
    before = (await desk.post(DUPLICATES, json={"text": "toner smells"})).json()["items"]
    await container.duplicates.index()
    async with container.engine.begin() as connection:
        await connection.execute(
            sa.update(TicketRow).values(title="Badge reader beeps", problem="at the door")
        )
        left = await connection.scalar(
            sa.text("SELECT count(*) FROM ticket_index WHERE vector IS NOT NULL")
        )
    again = (await desk.post(DUPLICATES, json={"text": "badge reader"})).json()["items"]
    gone = (await desk.post(DUPLICATES, json={"text": "toner"})).json()["items"]

    assert [one["number"] for one in before] == [number]
    assert left == 0
    assert [one["evidence"] for one in again] == [["badge", "reader"]]
    assert gone == []


async def test_what_a_ticket_is_found_by_goes_with_it(
    container: Container, requester: Person
) -> None:
    await _filed(container, requester)
    await container.duplicates.index()
    async with container.engine.begin() as connection:
        await connection.execute(sa.delete(TicketRow))
        for table in ("ticket_index", "ticket_postings"):
            left = await connection.scalar(sa.text(f"SELECT count(*) FROM {table}"))
            assert left == 0


async def test_a_requester_finds_their_own_only(
    container: Container, requester: Person, stranger: Person
) -> None:
    await _filed(container, requester)
    await container.duplicates.index()
    theirs = await container.duplicates.search(
        "VPN drops", stranger.user.id, everybodys=False, limit=5
    )
    mine = await container.duplicates.search(
        "VPN drops", requester.user.id, everybodys=False, limit=5
    )

    assert theirs == []
    assert len(mine) == 3


async def test_without_the_extension_the_order_is_the_same(
    desk: httpx.AsyncClient, container: Container, requester: Person
) -> None:
    await _filed(container, requester)
    await container.duplicates.index()
    body = {"text": "Our printer gives empty pages, ERR_720", "k": 3}
    with_extension = (await desk.post(DUPLICATES, json=body)).json()
    async with container.engine.begin() as connection:
        had = await connection.scalar(
            sa.text("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")
        )
        await connection.execute(sa.text("DROP EXTENSION IF EXISTS vector"))
    try:
        without = (await desk.post(DUPLICATES, json=body)).json()
    finally:
        if had:
            async with container.engine.begin() as connection:
                await connection.execute(sa.text("CREATE EXTENSION vector"))

    assert without == with_extension


@pytest.mark.parametrize("path", [DUPLICATES, CLASSIFY])
async def test_it_is_for_operators(
    client: httpx.AsyncClient, anonymous: httpx.AsyncClient, path: str
) -> None:
    del client.headers["authorization"]
    nobody = await client.post(path, json={"text": "x"})
    assert nobody.status_code == 401


@pytest.mark.parametrize("path", [DUPLICATES, CLASSIFY])
async def test_a_requester_is_refused_whatever_they_send(
    anonymous: httpx.AsyncClient, requester: Person, path: str
) -> None:
    headers = {"authorization": f"Bearer {requester.token}"}
    for content in (b'{"text": "x"}', b"not json"):
        answer = await anonymous.post(path, content=content, headers=headers)
        assert (answer.status_code, answer.json()["error"]) == (403, "operator_role_needed")


@pytest.mark.parametrize("path", [DUPLICATES, CLASSIFY])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"text": null}',
        b'{"text": ""}',
        b'{"text": "\\u0000"}',
        b'{"text": 3}',
        b'{"text": "a\\ud800"}',
        b'{"text": "a", "more": 1}',
        b'{"text": "' + b"a" * 200_001 + b'"}',
    ],
)
async def test_what_is_no_text_is_refused(
    desk: httpx.AsyncClient, path: str, content: bytes
) -> None:
    headers = {"content-type": "application/json"}
    answer = await desk.post(path, content=content, headers=headers)

    assert answer.status_code == 422, answer.text


@pytest.mark.parametrize("k", [0, 51, -1, "many", None, 1.5])
async def test_a_number_of_candidates_out_of_bounds_is_refused(
    desk: httpx.AsyncClient, k: object
) -> None:
    assert (await desk.post(DUPLICATES, json={"text": "x", "k": k})).status_code == 422


@pytest.mark.parametrize("path", [DUPLICATES, CLASSIFY])
@pytest.mark.parametrize(
    "text",
    ["a\x00b", "   ", "' | & ! ( <->", "a" * 200_000, "word " * 40_000,
     "\u202eabc\ufeff", "日本語のテスト", "😀" * 5000, "(" * 60_000],
)  # fmt: skip
async def test_odd_text_is_answered(
    desk: httpx.AsyncClient, container: Container, requester: Person, path: str, text: str
) -> None:
    await _file(container, requester, "Word", "a b")
    answer = await desk.post(path, json={"text": text})

    assert answer.status_code == 200, answer.text


async def test_an_empty_desk_has_no_duplicates(desk: httpx.AsyncClient) -> None:
    answer = await desk.post(DUPLICATES, json={"text": "Printer"})

    assert answer.json() == {"items": [], "semantic": True}


async def test_by_rules_a_text_is_graded_with_confidences(desk: httpx.AsyncClient) -> None:
    text = "The VPN is down for everyone in the company, nobody can work"
    grades = (await desk.post(CLASSIFY, json={"text": text})).json()

    assert grades["severity"]["value"] == "critical"
    assert grades["impact"]["value"] == "Organisation"
    assert (grades["category"]["value"], grades["category"]["model"]) == ("network", None)
    assert all(0 < grade["confidence"] < 1 for grade in grades.values())
