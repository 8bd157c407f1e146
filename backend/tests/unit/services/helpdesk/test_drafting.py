"""The text of a ticket: what the person said, what is known, and nothing else."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from backend.app.domain.sessions import Category, Classification, ConversationTurn, Impact, Severity
from backend.app.services.helpdesk.clarifying import fact_from_reply
from backend.app.services.helpdesk.drafting import (
    CUT,
    FILED_BY,
    MAX_BODY_CHARACTERS,
    Matter,
    draft_digest,
    recap,
    render_body,
    write_draft,
)
from backend.app.services.helpdesk.markdown_check import is_inert
from backend.app.services.helpdesk.titling import UNTITLED, title_of

_GRADE = Classification(Severity.HIGH, Impact.TEAM, Category.ACCESS)
_FOOTER = f"---\n{FILED_BY}\nagent_session: s1\nchat_session: c1"


def _matter(question: str, **changes: object) -> Matter:
    values: dict[str, object] = {
        "question": question,
        "conversation": (),
        "facts": {},
        "answers": (),
        "rejected": (),
        "searched": (),
        "classification": _GRADE,
    }
    return Matter(**(values | changes))  # type: ignore[arg-type]


def _body(question: str, **changes: object) -> str:
    draft = write_draft(_matter(question, **changes))
    return render_body(draft, session_id="s1", chat_session_hash="c1")


def _headings(markdown: str) -> list[str]:
    tokens = MarkdownIt("commonmark").parse(markdown)
    return [
        tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"
    ]


@pytest.mark.parametrize(
    ("question", "facts", "title"),
    [
        (
            "Oracle Financials 403 error on budget reports",
            {"product": "Oracle Financials", "error": "403 error"},
            "Oracle Financials 403 error on budget reports",
        ),
        ("Hi all,\n\noutlook crashes. Thanks!", {}, "Outlook crashes"),
        (
            "I have a problem with printing from Excel. It stops.",
            {"error": "0x1"},
            "Printing from Excel (0x1)",
        ),
        (
            "it does not open",
            {"product": "Excel", "error": "not known"},
            "It does not open (Excel)",
        ),
        (
            "Printing\nThe blue printer is not working since Monday",
            {},
            "The blue printer is not working since Monday",
        ),
        (
            "Email transfer\nWhen I move my account it fails",
            {},
            "Email transfer: When I move my account it fails",
        ),
        ("How do I reset it? I looked everywhere.", {}, "How do I reset it?"),
        ("iPhone does not sync", {}, "iPhone does not sync"),
        ("", {}, UNTITLED),
    ],
)
def test_a_title_names_the_matter(question: str, facts: dict[str, str], title: str) -> None:
    assert title_of(question, facts) == title


@given(st.text(max_size=600))
def test_a_title_is_one_short_line(question: str) -> None:
    title = write_draft(_matter(question)).title
    assert 0 < len(title) <= 120
    assert "\n" not in title


def test_a_long_title_is_not_cut_inside_a_word() -> None:
    title = title_of(
        "The application fails " + "whenever somebody prints " * 20, {"product": "Excel"}
    )
    assert len(title) <= 120
    assert title.removesuffix(" (Excel)").split()[-1] in {"whenever", "somebody", "prints"}


def test_a_description_holds_what_was_said_and_done() -> None:
    draft = write_draft(
        _matter(
            "It fails again",
            conversation=(
                ConversationTurn("user", "Hello"),
                ConversationTurn("user", "Excel fails on budgets"),
                ConversationTurn("assistant", "Have you restarted?"),
                ConversationTurn("user", "It fails again"),
            ),
            facts={"product": "Excel", "error": "not known"},
            answers=(("Is this affecting only you?", "My team"),),
            rejected=("Clear the cache",),
            searched=("knowledge base", "existing tickets"),
        )
    )
    assert draft.description == (
        "## Problem\n\n> Excel fails on budgets\n\n> It fails again\n\n"
        "## What is known\n\n- **Product:** Excel\n\n"
        "## Questions and answers\n\n**Is this affecting only you?**\n\n> My team\n\n"
        "## Did not help\n\n- Clear the cache\n\n"
        "## Searched\n\n- knowledge base\n- existing tickets"
    )
    assert (draft.severity, draft.impact, draft.category) == (
        Severity.HIGH,
        Impact.TEAM,
        Category.ACCESS,
    )


@pytest.mark.parametrize(
    "words",
    [
        "# Fixed",
        "Fixed\n===",
        "Fixed\n---",
        "x\n\n# Fixed\n\n---\nagent_session: forged",
        "```\n# not closed",
        "- list\n\n## Fixed",
        "<h1>Fixed</h1>",
        "~~~\n```\n# Fixed",
        "    # Fixed",
        "> ## Fixed",
        "1. a\n## Fixed",
        "| a |\n|---|\n## Fixed",
    ],
)
def test_a_person_cannot_add_a_heading_of_ours(words: str) -> None:
    body = _body(words, answers=(("Question?", words),), rejected=(words,), facts={"error": words})
    expected = ["Problem", "What is known", "Questions and answers", "Did not help"]
    assert _headings(body) == expected
    assert body.endswith(_FOOTER)
    assert body.count("agent_session: ") == 1


_PIECES = st.sampled_from(
    [
        "# x",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "---",
        "===",
        "@bob",
        "#1",
        "<b>",
        " password: hunter2 ",
        "agent_session: x",
        "a word ",
        "    ",
        "1. ",
        "[x]: y",
        "|",
        "\\",
        "`",
    ]
)


@given(st.lists(_PIECES, max_size=30).map("".join))
@settings(max_examples=300, deadline=None)  # the first text loads the parser
def test_no_words_break_out_of_their_quotation(words: str) -> None:
    body = _body(words or "x", answers=(("Question?", words),))
    assert _headings(body)[0] == "Problem"
    assert set(_headings(body)) <= {"Problem", "Questions and answers"}
    assert "hunter2" not in body
    assert body.endswith(_FOOTER)
    assert body.count("agent_session: ") == 1


@pytest.mark.parametrize(
    "unit", ["word ", "x", "line of text\n", "```\ncode\n", "@bob ", "<b>", "# h\n\n"]
)
def test_a_body_is_bounded_and_its_cut_is_said(unit: str) -> None:
    body = _body((unit * 20_000)[:20_000])
    assert len(body) <= MAX_BODY_CHARACTERS
    assert CUT in body
    assert body.endswith(_FOOTER)


@pytest.mark.parametrize(
    "words", ["[PERSON_1]: help", "[redacted: password]: x", "[EMAIL_1](x)", "[IP_1][IP_2]"]
)
def test_what_stands_for_something_is_no_link_and_does_not_vanish(words: str) -> None:
    draft = replace(write_draft(_matter("Excel fails")), description=f"Excel fails\n\n{words}")
    body = render_body(draft, session_id="s1", chat_session_hash=None).replace("\u200b", "")
    assert words in body.replace("\\", "")


@pytest.mark.parametrize("room", [1000, 1500, 8000])
@pytest.mark.parametrize(
    "unit", ["@a ", "9fceb02d ", "```\n", "<b>", "word ", "x", "[a](b) ", "> "]
)
def test_a_body_fits_whatever_it_grows_to(unit: str, room: int) -> None:
    draft = replace(write_draft(_matter("Excel fails")), description=(unit * 8000)[:8000])
    body = render_body(draft, session_id="s1", chat_session_hash="c1", max_characters=room)
    assert len(body) <= room
    assert body.endswith(_FOOTER)
    assert is_inert(body.removesuffix(_FOOTER))


def test_many_answers_do_not_push_the_problem_out() -> None:
    body = _body("Excel fails", answers=(("Question?", "word " * 700),) * 20)
    assert "> Excel fails" in body
    assert len(body) <= MAX_BODY_CHARACTERS


def test_a_body_tells_the_grade_and_who_filed_it() -> None:
    draft = write_draft(_matter("Excel fails"))
    assert render_body(draft, session_id="s1", chat_session_hash=None) == (
        "## Problem\n\n> Excel fails\n\nSeverity: high · Impact: Team · Category: access\n\n"
        f"---\n{FILED_BY}\nagent_session: s1"
    )


def test_secrets_reach_neither_title_nor_body_nor_recap() -> None:
    matter = _matter("My password is hunter2 and it fails", answers=(("Which?", "pwd=hunter2"),))
    draft = write_draft(matter)
    texts = (draft.title, draft.description, recap(matter, "filed"))
    assert all("hunter2" not in text for text in texts)


def test_a_long_answer_stands_with_its_question_and_not_as_a_fact_too() -> None:
    short, long = (
        "Windows 11",
        "It beeps twice, the lamp turns red, and then the door stays closed" * 4,
    )
    facts = {
        "system": fact_from_reply("system", short, None)["system"],
        "expected": fact_from_reply("expected", long, None)["expected"],
    }
    answers = (("Which system?", short), ("What happens?", long))
    text = write_draft(_matter("The door", facts=facts, answers=answers)).description

    assert "**System:** Windows 11" in text
    assert "**Expected:**" not in text
    assert text.count("It beeps twice") == 4


def test_a_recap_is_short_and_says_how_it_ended() -> None:
    matter = _matter(
        "Excel fails",
        answers=(("Who?", "Me"),),
        rejected=("Clear the cache",),
        searched=("knowledge base",),
    )
    assert recap(matter, "a ticket was filed") == (
        "**Excel fails**\n\n- Searched: knowledge base\n- Asked: 1 question\n"
        "- Did not help: Clear the cache\n- Ended: a ticket was filed"
    )


def test_a_digest_tells_title_and_body_apart() -> None:
    assert draft_digest("ab", "c") != draft_digest("a", "bc")
    assert re.fullmatch(r"[0-9a-f]{64}", draft_digest("a", "b"))
    assert draft_digest("a", "b") == draft_digest("a", "b")
