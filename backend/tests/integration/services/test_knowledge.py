"""The knowledge base: import as a set difference, search by BM25."""

import asyncio
import math
from dataclasses import replace

import pytest

from backend.app.bootstrap import Container
from backend.app.domain.knowledge import (
    MAX_QUOTE_CHARACTERS,
    ArticleId,
    ArticleSource,
    ImportReport,
    Passage,
)
from backend.app.services.knowledge.library import (
    ArticleNotFound,
    CollectionNotFound,
    KnowledgeLibrary,
    RepeatedArticle,
    ReservedCollection,
)
from backend.app.services.knowledge.reading import UnreadableArticle

VPN = ArticleSource("vpn", "VPN is slow", "Restart the router.", questions=("tunnel crawls",))
MAIL = ArticleSource("mail", "Mailbox is full", "Delete large mails, then empty the bin.")
PRINT = ArticleSource("print", "Printer offline", "Switch the printer off and on.")


@pytest.fixture
def library(container: Container) -> KnowledgeLibrary:
    return container.library


async def _titles(library: KnowledgeLibrary, question: str) -> list[str]:
    return [hit.title for hit in (await library.search(question)).hits]


async def test_an_import_makes_the_collection_hold_exactly_what_is_given(
    library: KnowledgeLibrary,
) -> None:
    first = await library.bring_up_to_date("own", [VPN, MAIL])
    kept = (await library.search("mailbox")).hits[0].article_id
    second = await library.bring_up_to_date("own", [replace(VPN, body="New text."), MAIL, PRINT])
    third = await library.bring_up_to_date("own", [MAIL])

    assert first == ImportReport(added=2)
    assert second == ImportReport(added=1, changed=1, unchanged=1)
    assert third == ImportReport(unchanged=1, removed=2)
    assert await _titles(library, "vpn printer mailbox") == ["Mailbox is full"]
    assert (await library.article(kept)).title == "Mailbox is full"


async def test_a_changed_article_keeps_its_id_and_loses_its_old_words(
    library: KnowledgeLibrary,
) -> None:
    await library.bring_up_to_date("own", [VPN])
    before = (await library.search("router")).hits[0].article_id
    await library.bring_up_to_date("own", [replace(VPN, body="Ask the helpdesk.")])

    assert await _titles(library, "router") == []
    assert (await library.search("vpn")).hits[0].article_id == before


async def test_a_bad_article_imports_nothing(library: KnowledgeLibrary) -> None:
    await library.bring_up_to_date("own", [MAIL])

    def half() -> object:
        yield VPN
        raise UnreadableArticle("line 2 is not valid JSON.")

    with pytest.raises(UnreadableArticle):
        await library.bring_up_to_date("own", half())  # type: ignore[arg-type]
    with pytest.raises(RepeatedArticle, match="vpn"):
        await library.bring_up_to_date("own", [VPN, VPN])

    assert await _titles(library, "vpn mailbox") == ["Mailbox is full"]


async def test_two_imports_at_once_end_in_one_of_the_two_states(library: KnowledgeLibrary) -> None:
    await asyncio.gather(
        library.bring_up_to_date("own", [VPN, MAIL]),
        library.bring_up_to_date("own", [VPN, PRINT]),
    )
    titles = set(await _titles(library, "vpn mailbox printer"))

    assert titles in ({"VPN is slow", "Mailbox is full"}, {"VPN is slow", "Printer offline"})


async def test_the_samples_are_a_collection_of_their_own(library: KnowledgeLibrary) -> None:
    await library.bring_up_to_date("sample", [VPN], sample=True)
    await library.bring_up_to_date("own", [MAIL])
    hits = (await library.search("vpn mailbox")).hits

    assert {hit.title: hit.collection.sample for hit in hits} == {
        "VPN is slow": True,
        "Mailbox is full": False,
    }
    with pytest.raises(ReservedCollection):
        await library.bring_up_to_date("sample", [MAIL])
    assert await library.remove("sample") == 1
    assert await _titles(library, "vpn") == []
    with pytest.raises(CollectionNotFound):
        await library.remove("sample")


async def test_an_article_is_found_by_its_questions_too(library: KnowledgeLibrary) -> None:
    await library.bring_up_to_date("own", [VPN, MAIL])

    assert await _titles(library, "my tunnel crawls") == ["VPN is slow"]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "   ",
        "the and of",
        "& | ! <-> ( ) : *",
        "'; DROP TABLE users; --",
        "\\ % _ $1 :name",
        "😀",
        "a" * 8000,
        "word " * 1600,
        "(((" * 2000,
    ],
)
async def test_any_text_can_be_asked(library: KnowledgeLibrary, question: str) -> None:
    await library.bring_up_to_date("own", [VPN])

    assert (await library.search(question)).hits == ()


async def test_the_score_is_bm25_over_title_and_body(library: KnowledgeLibrary) -> None:
    await library.bring_up_to_date(
        "own",
        [
            ArticleSource("a", "Alpha", "zebra zebra yak"),
            ArticleSource("b", "Beta", "yak"),
            ArticleSource("c", "Zebra", "gnu gnu gnu gnu"),
        ],
    )
    hits = {hit.title: hit for hit in (await library.search("zebra")).hits}

    # By hand, with k1 1.2 and b 0.75: bodies of 3, 1 and 4 terms (mean 8/3), titles of one term.
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    body = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / (8 / 3)))
    title = idf * 1 * 2.2 / (1 + 1.2)
    assert hits["Alpha"].score == pytest.approx(body)
    assert hits["Zebra"].score == pytest.approx(title)
    assert set(hits) == {"Alpha", "Zebra"}


async def test_the_chunk_is_the_one_that_tells_what_was_asked(library: KnowledgeLibrary) -> None:
    body = "All about the VPN.\n\n## Setup\n\nInstall it.\n\n## Hotel\n\nOpen the captive portal."
    await library.bring_up_to_date("own", [ArticleSource("vpn", "VPN", body)])
    hit = (await library.search("vpn in a hotel, captive page")).hits[0]

    start = body.index("Open")
    assert hit.passage == Passage("Hotel", start, "Open the captive portal.")
    assert hit.opening == Passage("", 0, "All about the VPN.")
    assert hit.following is None


async def test_an_unknown_article_is_not_found(container: Container) -> None:
    with pytest.raises(ArticleNotFound):
        await container.library.article(ArticleId(container.library.ids.uuid()))


async def test_questions_are_those_that_articles_name(library: KnowledgeLibrary) -> None:
    await library.bring_up_to_date("own", [VPN, MAIL])

    assert await library.questions(limit=5) == ["tunnel crawls"]


async def test_of_a_long_article_only_what_may_be_quoted_travels(library: KnowledgeLibrary) -> None:
    body = f"😀 {'opening ' * 50_000}\n\n## Next\n\nü after that. {'more ' * 1000}"
    await library.bring_up_to_date("own", [ArticleSource("long", "Long one", body)])
    hit = (await library.search("long one")).hits[0]

    longest = MAX_QUOTE_CHARACTERS + 1
    start = body.index("ü")
    assert hit.opening == hit.passage == Passage("", 0, body[:longest])
    assert hit.following == Passage("Next", start, body[start : start + longest])
