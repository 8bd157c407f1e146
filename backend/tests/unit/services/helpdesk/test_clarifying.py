"""What a text states, and what is worth asking."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.app.services.helpdesk.clarifying import (
    NOT_KNOWN,
    ClarifyingQuestion,
    fact_from_reply,
    facts_from,
    next_question,
)

_SENTINEL = "Oracle Financials 403 error on budget reports"


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        (_SENTINEL, "error", "403 error"),
        (_SENTINEL, "product", "Oracle Financials"),
        ("Update fails with 0x80070005", "error", "0x80070005"),
        ("ORA-01017 when I log in", "error", "ORA-01017"),
        ("Firefox shows SSL_ERROR_BAD_CERT_DOMAIN", "error", "SSL_ERROR_BAD_CERT_DOMAIN"),
        ('It says "The server is not responding" all day', "error", "The server is not responding"),
        ("Es kommt die Fehlermeldung „Zugriff nicht möglich“", "error", "Zugriff nicht möglich"),
        ("java.lang.NullPointerException in the log", "error", "java.lang.NullPointerException"),
        ("Setup stops: error code: 1603", "error", "error code: 1603"),
        ("I get access denied", "error", "access denied"),
        ("Microsoft Teams has no sound", "product", "Microsoft Teams"),
        ("my outlook is slow", "product", "outlook"),
        ("QuickBooks will not open", "product", "QuickBooks"),
        ("the printer is offline", "product", "printer"),
        ("I am on Windows 11 Pro", "system", "Windows 11 Pro"),
        ("using macOS Sonoma 14.2", "system", "macOS Sonoma 14.2"),
        ("on my iPhone 15", "system", "iPhone 15"),
        ("Android 14 phone", "system", "Android 14"),
        ("Thunderbird 115.12.2 crashes", "version", "115.12.2"),
        ("it is version 4.2 of the app", "version", "version 4.2"),
        ("My team cannot open it", "impact", "My team"),
        ("it is only me", "impact", "only me"),
        ("broken since yesterday", "since", "since yesterday"),
        ("it broke after the last update", "since", "after the last update"),
        ("geht seit gestern nicht", "since", "seit gestern"),
        ("ne marche plus depuis hier", "since", "depuis hier"),
        ("I restarted the laptop twice, but no luck", "tried", "I restarted the laptop twice"),
        ("I have already tried reinstalling it.", "tried", "I have already tried reinstalling it"),
        ("J'ai redémarré le poste", "tried", "J'ai redémarré le poste"),
    ],
)
def test_a_fact_is_a_span_of_the_text(text: str, key: str, value: str) -> None:
    assert facts_from(text)[key] == value


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Please call me back", "error"),
        ("We sold 403 chairs", "error"),
        ("My windows are dirty", "system"),
        ("server 192.168.1.20 is slow", "version"),
        ("Microsoft Teams has no sound", "impact"),
        ("How do I print?", "since"),
        ("I try to print", "tried"),
    ],
)
def test_what_is_not_stated_is_no_fact(text: str, key: str) -> None:
    assert key not in facts_from(text)


@given(st.text(max_size=400))
def test_facts_are_short_and_stand_in_the_text(text: str) -> None:
    line = " ".join(text.split())
    for value in facts_from(text).values():
        assert 0 < len(value) <= 200
        assert value in line


def _key(
    text: str, facts: dict[str, str] | None = None, asked: list[str] | None = None
) -> str | None:
    question = next_question(text, facts or {}, asked or [])
    return question.key if question else None


def test_the_scripted_question_asks_first_who_is_affected() -> None:
    assert next_question(_SENTINEL, {}, []) == ClarifyingQuestion(
        "impact",
        "Is this affecting only you or your team?",
        ("Only me", "My team", "Everyone"),
    )


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Excel cannot open the file", "error"),
        ("VPN does not connect", "error"),
        ("Outlook shows error 0x800CCC0E when I send mails", "impact"),
        ("The window jumps to the left side whenever I move it in Excel, wrong place", "expected"),
        ("printer", "expected"),
        ("help", "expected"),
        ("All my calendar entries have disappeared from Outlook", "since"),
        ("How do I add a signature to every message?", "product"),
        ("How do I add a signature in Outlook?", None),
        ("I need access to the finance folder", "product"),
        ("Please install Visio on my machine", "purpose"),
        ("The battery of my laptop is broken", "expected"),
        ("Ich kann mich nicht anmelden", "error"),
        ("Je ne peux pas me connecter, erreur 403 error", "impact"),
    ],
)
def test_the_first_question_fits_the_matter(text: str, key: str | None) -> None:
    assert _key(text) == key


@pytest.mark.parametrize(
    "text",
    [
        "How do I change my password?",
        "Where can I find the guide?",
        "Wie ändere ich meine Signatur?",
    ],
)
def test_who_asks_how_to_is_not_asked_for_an_error(text: str) -> None:
    asked: list[str] = []
    while (key := _key(text, None, asked)) is not None:
        asked.append(key)
    assert {"error", "impact", "tried"}.isdisjoint(asked)


def test_nothing_is_asked_twice_nor_when_it_is_known() -> None:
    assert _key(_SENTINEL, {}, ["impact"]) != "impact"
    assert _key(_SENTINEL, {"impact": "My team"}, []) != "impact"
    assert _key("My team gets a 403 error in Oracle Financials", {}, []) != "impact"


@given(st.text(max_size=300))
def test_the_questions_come_to_an_end(text: str) -> None:
    asked: list[str] = []
    while (key := _key(text, None, asked)) is not None:
        assert key not in asked
        asked.append(key)
    assert len(asked) <= 8


def test_choices_are_short() -> None:
    seen = [
        next_question(text, {}, []) for text in ("it fails", "Excel cannot open", "lost emails")
    ]
    assert all(len(choice) <= 24 for question in seen if question for choice in question.choices)


@pytest.mark.parametrize(
    "reply",
    [
        "I don't know",
        "no idea",
        "not sure",
        "keine Ahnung",
        "weiß ich nicht",
        "je ne sais pas",
        "no sé",
        "",
    ],
)
def test_an_answer_that_gives_none_is_remembered(reply: str) -> None:
    facts = fact_from_reply("error", reply, None)
    assert facts == {"error": NOT_KNOWN}
    assert _key("Excel cannot open the file", facts) != "error"


def test_an_answer_adds_what_it_tells_besides() -> None:
    assert fact_from_reply("error", "It says 0x80070005 on Windows 11 since yesterday", None) == {
        "error": "0x80070005",
        "system": "Windows 11",
        "since": "since yesterday",
    }


def test_a_choice_is_the_fact() -> None:
    assert fact_from_reply("impact", "My team", "My team") == {"impact": "My team"}


def test_a_long_answer_is_shortened() -> None:
    assert len(fact_from_reply("purpose", "because " * 100, None)["purpose"]) <= 200
