"""The rule-based answer: what it quotes stands in the article, what it does not know it says."""

import re
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.app.domain.chat import Answer
from backend.app.domain.knowledge import (
    ArticleId,
    Chunk,
    Collection,
    CollectionId,
    Hit,
    SearchResult,
)
from backend.app.services.chat.answering import NOTHING_FOUND, compose
from backend.app.services.knowledge.chunking import chunks

BODY = "Short answer first.\n\n## Steps\n\n1. Do this.\n2. Then that.\n\n## Else\n\nAsk us."
SAMPLE = Collection(CollectionId(uuid4()), "sample", True)


def hit(
    *,
    score: float = 10.0,
    terms: str = "vpn slow",
    body: str = BODY,
    part: int = 1,
    title: str = "T",
) -> Hit:
    parts = chunks(body)
    return Hit(
        article_id=ArticleId(uuid4()),
        title=title,
        body=body,
        collection=SAMPLE,
        chunk=parts[part] if parts else Chunk("", 0, 0),
        score=score,
        matched=frozenset(terms.split()),
        in_chunk=frozenset(terms.split()),
    )


def result(*hits: Hit, asked: str = "vpn slow today") -> SearchResult:
    return SearchResult(hits, dict.fromkeys(asked.split(), 2.0))


def assert_quotes_stand_in(answer: Answer, *hits: Hit) -> None:
    bodies = {one.article_id: one.body for one in hits}
    numbers = [source.number for source in answer.sources]
    assert numbers == list(range(1, len(numbers) + 1))
    for source in answer.sources:
        assert bodies[source.article_id][source.start : source.end] == source.quote
        assert f"[{source.number}]" in answer.content


def test_an_answer_quotes_the_opening_and_the_chunk_that_fits() -> None:
    found = hit()
    answer = compose(result(found))

    assert answer.kb_resolved
    assert answer.content == (
        "Short answer first. [1]\n\n**Steps**\n\n1. Do this.\n2. Then that. [2]"
    )
    assert_quotes_stand_in(answer, found)
    assert [source.sample for source in answer.sources] == [True, True]


def test_when_the_opening_itself_fits_best_what_follows_is_quoted_too() -> None:
    assert "1. Do this." in compose(result(hit(part=0))).content


def test_a_second_article_that_fits_as_well_is_named_and_quoted() -> None:
    best = hit(terms="vpn slow today")
    second = hit(score=9.5, title="Other", terms="vpn slow")
    answer = compose(result(best, second))

    assert "**Other**" in answer.content
    assert len({source.article_id for source in answer.sources}) == 2
    assert_quotes_stand_in(answer, best, second)


LONG = " ".join(f"word{number}" for number in range(30))


def test_to_a_long_question_an_article_that_stands_out_is_an_answer() -> None:
    best, second = hit(score=55.0, terms="word1 word2"), hit(score=40.0, terms="word1 word2")

    assert compose(result(best, second, asked=LONG)).kb_resolved
    assert not compose(result(best, hit(score=50.0), asked=LONG)).kb_resolved
    assert not compose(result(hit(score=40.0, terms="word1 word2"), asked=LONG)).kb_resolved


def test_nothing_found_is_said_and_no_source_claimed() -> None:
    assert compose(result()) == Answer(NOTHING_FOUND, False)


@pytest.mark.parametrize(
    "found",
    [
        hit(terms="vpn", score=20.0),  # one word of three
        hit(score=2.0),  # too weak a score for the question's weight
    ],
)
def test_a_weak_hit_is_no_answer(found: Hit) -> None:
    assert not compose(result(found)).kb_resolved


def test_two_articles_alike_are_no_clear_answer() -> None:
    answer = compose(result(hit(), hit(score=9.9)))

    assert not answer.kb_resolved
    assert answer.content.startswith(NOTHING_FOUND)
    assert len(answer.sources) == 2


def test_what_comes_close_is_named_but_not_passed_off_as_an_answer() -> None:
    found = hit(score=2.0, title="VPN setup")
    answer = compose(result(found))

    assert not answer.kb_resolved
    assert "- VPN setup [1]" in answer.content
    assert_quotes_stand_in(answer, found)


def test_behind_a_code_block_or_a_table_the_number_stands_apart() -> None:
    body = "Intro.\n\n## Fix\n\n```sh\nipconfig /flushdns\n```"
    content = compose(result(hit(body=body))).content

    assert content.endswith("```\n\n[2]")


def test_a_bracketed_number_of_the_article_is_not_taken_for_a_source() -> None:
    body = "Intro.\n\n## Fix\n\nSee note [1] and `row[2]`."
    content = compose(result(hit(body=body))).content

    assert content.endswith("See note \\[1\\] and `row[2]`. [2]")


_BODIES = st.lists(
    st.sampled_from(
        [
            *("Opening.\n\n", "## Head\n\n", "1. step\n2. step\n\n", "```\ncode\n```\n\n"),
            *("x" * 900 + "\n\n", "| a |\n|---|\n| 1 |\n\n", "😀 ü text\n\n"),
        ]
    ),
    min_size=1,
    max_size=12,
).map("".join)


@given(_BODIES, st.integers(min_value=0, max_value=11), st.floats(min_value=0, max_value=30))
def test_whatever_the_article_every_number_has_a_source_that_stands_there(
    body: str, part: int, score: float
) -> None:
    found = hit(
        body=body, part=part % max(1, len(chunks(body))) if chunks(body) else 0, score=score
    )
    answer = compose(result(found))

    assert_quotes_stand_in(answer, found)
    cited = {int(number) for number in re.findall(r"\[(\d+)\]", answer.content)}
    assert cited == {source.number for source in answer.sources}
