"""The rule-based answer: what it quotes stands in the article, what it does not know it says."""

import re
import subprocess
import sys
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from backend.app.domain.chat import Answer
from backend.app.domain.knowledge import (
    MAX_QUOTE_CHARACTERS,
    ArticleId,
    Collection,
    CollectionId,
    Hit,
    Passage,
    SearchResult,
)
from backend.app.services.chat.answering import NOTHING_FOUND, compose
from backend.app.services.knowledge.chunking import chunks

BODY = "Short answer first.\n\n## Steps\n\n1. Do this.\n2. Then that.\n\n## Else\n\nAsk us."
TRAVELS = MAX_QUOTE_CHARACTERS + 1
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

    def passage(ordinal: int) -> Passage | None:
        if ordinal >= len(parts):
            return None
        chunk = parts[ordinal]
        return Passage(chunk.heading, chunk.start, body[chunk.start : chunk.end][:TRAVELS])

    first = parts[0] if parts else None
    return Hit(
        article_id=ArticleId(uuid4()),
        title=title,
        collection=SAMPLE,
        opening=Passage(first.heading, first.start, body[first.start : first.first_end][:TRAVELS])
        if first
        else None,
        passage=passage(part),
        following=passage(1) if part == 0 else None,
        score=score,
        matched=frozenset(terms.split()),
        in_chunk=frozenset(terms.split()),
    )


def result(*hits: Hit, asked: str = "vpn slow today") -> SearchResult:
    return SearchResult(hits, dict.fromkeys(asked.split(), 2.0))


def assert_quotes_stand_in(answer: Answer, *bodies_of: tuple[Hit, str]) -> None:
    bodies = {one.article_id: body for one, body in bodies_of}
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
    assert_quotes_stand_in(answer, (found, BODY))
    assert [source.sample for source in answer.sources] == [True, True]


def test_when_the_opening_itself_fits_best_what_follows_is_quoted_too() -> None:
    assert "1. Do this." in compose(result(hit(part=0))).content


def test_a_second_article_that_fits_as_well_is_named_and_quoted() -> None:
    best = hit(terms="vpn slow today")
    second = hit(score=9.5, title="Other", terms="vpn slow")
    answer = compose(result(best, second))

    assert "**Other**" in answer.content
    assert len({source.article_id for source in answer.sources}) == 2
    assert_quotes_stand_in(answer, (best, BODY), (second, BODY))


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
    assert_quotes_stand_in(answer, (found, BODY))


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
            *("```\n" + "word [1]\n" * 200 + "```\n\n", "- " + "two words " * 300 + "\n\n"),
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

    assert_quotes_stand_in(answer, (found, body))
    assert all(len(source.quote) <= MAX_QUOTE_CHARACTERS for source in answer.sources)
    said = [token.content for token in MarkdownIt().parse(answer.content) if not token.markup]
    cited = {int(number) for number in re.findall(r"(?<!\\)\[(\d+)\]", "\n".join(said))}
    assert cited == {source.number for source in answer.sources}


def test_a_long_opening_is_cut_at_a_word_also_where_it_only_comes_near() -> None:
    body = "word " * 100_000 + "\n\n## Steps\n\nDo this."
    found = hit(body=body)
    answer = compose(result(found))
    near = compose(result(hit(body=body, score=2.0)))

    assert "Do this." in answer.content
    assert len(answer.content) < 600
    assert answer.sources[0].quote.endswith(" word")
    assert_quotes_stand_in(answer, (found, body))
    assert len(near.sources[0].quote) <= 500


def test_a_block_too_long_to_quote_is_cut_at_a_line_end() -> None:
    line = "a word " * 14 + "x"
    body = "Opening.\n\n## Log\n\n" + "\n".join([line] * 40)
    answer = compose(result(hit(body=body)))

    assert answer.sources[1].quote.split("\n") == [line] * 14


@pytest.mark.parametrize(
    ("mark", "margin", "fence"),
    [
        ("", "", "```"),
        ("", "", "~~~~"),
        ("1. ", "   ", "```"),
        ("- ", "  ", "~~~"),
        ("> ", "> ", "```"),
    ],
)
def test_a_code_block_that_is_cut_is_closed_in_the_answer_but_not_in_the_quote(
    mark: str, margin: str, fence: str
) -> None:
    code = f"\n{margin}run this with [1]" * 200
    body = f"Opening.\n\n## Log\n\n{mark}{fence}{code}\n{margin}{fence}\n"
    found = hit(body=body)
    answer = compose(result(found))
    tokens = MarkdownIt("commonmark").parse(answer.content)

    assert_quotes_stand_in(answer, (found, body))
    assert [token.content for token in tokens if token.type == "inline"][-1] == "[2]"
    assert not answer.sources[1].quote.endswith(("```", "~~~"))


def test_a_fence_shown_as_indented_code_is_not_closed() -> None:
    body = "Opening.\n\n## Write\n\nBegin with this line:\n\n    ```\n\nand go on."
    assert compose(result(hit(body=body))).content.endswith("and go on. [2]")


def test_an_article_of_nothing_but_headings_is_no_answer() -> None:
    assert compose(result(hit(body="# Head\n\n## Sub"))) == Answer(NOTHING_FOUND, False)


def test_asking_needs_no_markdown_parser() -> None:
    module = "backend.app.services.chat.answering"
    code = f"import sys, {module}; sys.exit('markdown_it' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
