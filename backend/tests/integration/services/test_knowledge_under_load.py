"""The knowledge base when searches are slow, imports overlap and collections are large."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from backend.app.bootstrap import Container
from backend.app.db.repositories.knowledge import CollectionBusy
from backend.app.db.repositories.search import SearchTooSlow
from backend.app.db.uow import Work
from backend.app.domain.knowledge import ArticleSource, ImportReport
from backend.app.services.knowledge.library import KnowledgeLibrary
from backend.app.services.knowledge.reading import UnreadableArticle


@pytest.fixture
def library(container: Container) -> KnowledgeLibrary:
    return container.library


@asynccontextmanager
async def _stuck_searches(container: Container) -> AsyncIterator[None]:
    """While this lasts, no search comes to an end."""
    async with container.engine.connect() as connection:
        await connection.execute(sa.text("LOCK TABLE kb_postings IN ACCESS EXCLUSIVE MODE"))
        yield


async def test_a_search_that_takes_too_long_is_given_up_and_said_to_be_slow(
    container: Container, library: KnowledgeLibrary
) -> None:
    async with _stuck_searches(container):
        with pytest.raises(SearchTooSlow) as refusal:
            await replace(library, search_seconds=0.2).search("vpn")

    assert refusal.value.retry_after
    assert (await library.search("vpn")).hits == ()


async def test_slow_searches_leave_the_rest_of_the_application_its_connections(
    container: Container, library: KnowledgeLibrary
) -> None:
    slow = replace(library, search_seconds=1.0)
    async with _stuck_searches(container):
        searches = asyncio.gather(*(slow.search("vpn") for _ in range(20)), return_exceptions=True)
        await asyncio.sleep(0.2)
        async with asyncio.timeout(0.5):
            assert await library.questions(limit=1) == []
        found = await searches

    assert {type(one) for one in found} == {SearchTooSlow}
    assert (await library.search("vpn")).hits == ()


async def _plan_of_the_search(
    container: Container, search: Callable[[], Awaitable[object]]
) -> dict[str, Any]:
    """How PostgreSQL carried out the search, with the rows that each step gave."""
    seen: list[tuple[str, Any]] = []

    def remember(*call: Any) -> None:
        if "kb_postings" in call[2]:
            seen.append((call[2], call[3]))

    sa.event.listen(container.engine.sync_engine, "before_cursor_execute", remember)
    try:
        await search()
    finally:
        sa.event.remove(container.engine.sync_engine, "before_cursor_execute", remember)
    [(statement, parameters)] = seen
    async with container.engine.connect() as connection:
        explained = await connection.exec_driver_sql(
            f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters
        )
        plan: dict[str, Any] = explained.scalar_one()[0]["Plan"]
    return plan


def _steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", []):
        yield from _steps(below)


async def test_of_a_long_question_only_the_rarest_words_are_looked_up(
    container: Container, library: KnowledgeLibrary
) -> None:
    common = [f"common{number}" for number in range(100)]
    rare = [f"rare{number}" for number in range(60)]
    articles = [
        ArticleSource(f"a{number}", f"Title {number}", " ".join([*common, *rare[number:][:1]]))
        for number in range(70)
    ]
    await library.bring_up_to_date("own", articles)
    question = " ".join([*common, *rare])
    plan = await _plan_of_the_search(container, lambda: library.search(question))

    [found] = [step for step in _steps(plan) if step.get("Subplan Name") == "CTE found"]
    assert found["Actual Rows"] == len(rare)
    assert set((await library.search(question)).weights) == set(rare)


async def test_an_import_that_another_one_overtook_still_ends_in_exactly_what_it_was_given(
    library: KnowledgeLibrary,
) -> None:
    x, y, z = (ArticleSource(key, key, "one") for key in "xyz")
    await library.bring_up_to_date("own", [x, y])
    transactions = 0

    @asynccontextmanager
    async def overtaken(**_how: bool) -> AsyncIterator[Work]:
        nonlocal transactions
        transactions += 1
        if transactions == 2:  # between reading what there is and writing
            await library.bring_up_to_date("own", [replace(x, body="two")])
        async with library.uow() as work:
            yield work

    report = await replace(library, uow=overtaken).bring_up_to_date("own", [x, y, z])

    assert report == ImportReport(added=2, changed=1)
    assert {hit.title for hit in (await library.search("one")).hits} == {"x", "y", "z"}


async def test_an_import_that_is_overtaken_again_and_again_gives_up(
    library: KnowledgeLibrary,
) -> None:
    @asynccontextmanager
    async def overtaken(**_how: bool) -> AsyncIterator[Work]:
        other = ArticleSource("other", "Other", str(library.ids.uuid()))
        await library.bring_up_to_date("own", [other])
        async with library.uow() as work:
            yield work

    with pytest.raises(CollectionBusy):
        await replace(library, uow=overtaken).bring_up_to_date("own", [])


async def test_while_one_import_holds_a_collection_the_next_is_told_so(
    container: Container, library: KnowledgeLibrary
) -> None:
    hasty = replace(library, import_wait_seconds=0.1)
    holds, ends = asyncio.Event(), asyncio.Event()

    async def other() -> None:
        async with container.uow() as work:
            await work.knowledge.lock_collection("own", within_seconds=1)
            holds.set()
            await ends.wait()

    importing = asyncio.create_task(other())
    await holds.wait()
    try:
        with pytest.raises(CollectionBusy):
            await hasty.bring_up_to_date("own", [ArticleSource("a", "A", "text")])
        with pytest.raises(CollectionBusy):
            await hasty.remove("own")
        assert (await hasty.bring_up_to_date("elsewhere", [])) == ImportReport()
    finally:
        ends.set()
        await importing


async def test_an_import_can_drop_more_articles_than_a_statement_takes_arguments(
    container: Container, library: KnowledgeLibrary
) -> None:
    kept = ArticleSource("kept", "Kept", "text")
    await library.bring_up_to_date("own", [kept])
    async with container.engine.begin() as connection:
        await connection.execute(
            sa.text(
                "INSERT INTO kb_articles"
                " (id, collection_id, key, title, body, digest, title_length, body_length)"
                " SELECT gen_random_uuid(), id, 'old' || n, 'Old', 'text', '', 1, 1"
                " FROM kb_collections, generate_series(1, 33000) AS n"
            )
        )

    assert await library.bring_up_to_date("own", [kept]) == ImportReport(unchanged=1, removed=33000)


async def test_a_paragraph_with_more_words_than_a_tsvector_holds_is_indexed(
    library: KnowledgeLibrary,
) -> None:
    body = " ".join(f"{number:x}𠀀𠀁𠀂𠀃𠀄𠀅𠀆𠀇" for number in range(33_000)) + " needle"
    await library.bring_up_to_date("own", [ArticleSource("long", "Long", body)])

    assert [hit.title for hit in (await library.search("needle")).hits] == ["Long"]


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"# H{number}\n\nx\n\n" for number in range(33_000)),
        f"# {'h' * 10_000}\n\n" + "".join(f"## S{number}\n\nx\n\n" for number in range(1000)),
    ],
)
async def test_an_article_of_too_many_sections_is_named(
    library: KnowledgeLibrary, body: str
) -> None:
    with pytest.raises(UnreadableArticle, match="endless"):
        await library.bring_up_to_date("own", [ArticleSource("endless", "Endless", body)])
