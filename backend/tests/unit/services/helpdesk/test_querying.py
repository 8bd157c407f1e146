"""What is searched for after a person answered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.app.services.helpdesk.pleasantries import without_pleasantries
from backend.app.services.helpdesk.querying import search_query


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Hi all, hope you're well. Outlook crashes.", "Outlook crashes."),
        ("Hello,\n\nthe VPN is slow\n\nBest regards\nBob Miller\nSales", "the VPN is slow"),
        ("I was wondering if anyone can help with Outlook crashing", "Outlook crashing"),
        ("Hallo zusammen, der Drucker druckt nicht. Vielen Dank", "der Drucker druckt nicht."),
        ("Bonjour, l'imprimante ne marche pas. Merci d'avance", "l'imprimante ne marche pas."),
        ("Hola, la impresora no funciona. Gracias", "la impresora no funciona."),
        ("Good morning team!\nExcel is slow. Thanks, Anna", "Excel is slow."),
        ("Excel is slow.\n\nSent from my iPhone", "Excel is slow."),
        ("Thanks", "Thanks"),
        ("History of the file is lost", "History of the file is lost"),
        ("Best practice for backups?", "Best practice for backups?"),
    ],
)
def test_politeness_is_left_out(text: str, bare: str) -> None:
    assert without_pleasantries(text) == bare


def test_a_query_holds_question_facts_and_replies() -> None:
    query = search_query(
        "Hi, it crashes when I print, please help",
        {"product": "Excel", "error": "0x80070005", "system": "not known", "impact": "My team"},
        ["My team", "I don't know", "only with the blue template"],
    )
    assert query == "it crashes when I print Excel 0x80070005 only with the blue template"


def test_what_the_question_holds_is_not_said_twice() -> None:
    assert search_query("Excel is slow", {"product": "excel"}, []) == "Excel is slow"


def test_a_headline_that_the_text_repeats_counts_once() -> None:
    assert (
        search_query("Mail is stuck\nMail is stuck in the outbox", {}, [])
        == "Mail is stuck in the outbox"
    )


@given(st.text(max_size=3000), st.lists(st.text(max_size=500), max_size=3))
def test_a_query_is_one_line_of_bounded_length(question: str, replies: list[str]) -> None:
    query = search_query(question, {"error": "E1"}, replies)
    assert len(query) <= 1000
    assert "\n" not in query
