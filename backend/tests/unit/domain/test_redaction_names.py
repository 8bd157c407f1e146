"""From a model's scores to names; and what stands in their place."""

import re
from itertools import pairwise

import pytest

from backend.app.domain.placeholders import Placeholders, replaced, without_contacts
from backend.app.domain.redaction_names import WORD, ScoredWord, names_in


def _scored(text: str, person: float = 0.0, **of_word: float) -> list[ScoredWord]:
    """The words of a text; each has what ``of_word`` says for it, before it the letter p, s or l
    for person, street or place, as in ``p_Anna=0.9``.
    """
    return [
        ScoredWord(
            *found.span(),
            of_word.get(f"p_{found[0]}", person),
            of_word.get(f"s_{found[0]}", 0.0),
            of_word.get(f"l_{found[0]}", 0.0),
        )
        for found in WORD.finditer(text)
    ]


def _names(text: str, person: float = 0.0, **of_word: float) -> list[str]:
    return [text[one.start : one.end] for one in names_in(text, _scored(text, person, **of_word))]


@pytest.mark.parametrize(
    ("text", "scores", "names"),
    [
        ("ask Anna now", {"p_Anna": 0.9}, ["Anna"]),
        ("ask Anna Schmidt now", {"p_Anna": 0.9, "p_Schmidt": 0.2}, ["Anna Schmidt"]),
        ("ask Ken N. Fukuda now", {"p_Ken": 0.9, "p_Fukuda": 0.9}, ["Ken N. Fukuda"]),
        ("Jan van der Berg", {"p_Jan": 0.9, "p_Berg": 0.9}, ["Jan van der Berg"]),
        ("ask anna now", {"p_anna": 0.8}, []),
        ("ask anna now", {"p_anna": 0.95}, ["anna"]),
        ("use Thunderbird now", {"p_Thunderbird": 0.99}, []),
        ("Mozilla's page", {"p_Mozilla's": 0.99}, []),
        ("on Dell5420 now", {"p_Dell5420": 0.99}, []),
        ("Anna. I tried", {"p_Anna": 0.9}, ["Anna"]),
        ("Anna and Peter", {"p_Anna": 0.9, "p_Peter": 0.9}, ["Anna", "Peter"]),
        ("Anna\nPeter", {"p_Anna": 0.9, "p_Peter": 0.9}, ["Anna", "Peter"]),
        ("by Müller-Lüdenscheidt", {"p_Müller-Lüdenscheidt": 0.9}, ["Müller-Lüdenscheidt"]),
        ("A B C", {"p_A": 0.9}, []),
        ("", {}, []),
    ],
)
def test_a_name_is_whole_words(text: str, scores: dict[str, float], names: list[str]) -> None:
    assert _names(text, **scores) == names


@pytest.mark.parametrize(
    ("text", "scores", "names"),
    [
        ("at 12 Baker Street, London", {"s_12": 0.9, "s_Baker": 0.9, "s_Street": 0.9}, 1),
        ("at Baker Street", {"s_Baker": 0.9, "s_Street": 0.9}, 0),
        ("Thunderbird 115", {"s_Thunderbird": 0.9, "s_115": 0.9}, 0),
        ("port 993", {"s_port": 0.9, "s_993": 0.9}, 0),
        ("only London", {"l_London": 0.99}, 0),
    ],
)
def test_an_address_is_a_street_with_a_number(
    text: str, scores: dict[str, float], names: int
) -> None:
    assert len(_names(text, **scores)) == names


def test_a_place_beside_a_street_belongs_to_the_address() -> None:
    scores = {"s_12": 0.9, "s_Baker": 0.9, "s_Street": 0.9, "l_London": 0.9}
    assert _names("at 12 Baker Street, London now", **scores) == ["12 Baker Street, London"]


def test_names_do_not_overlap_whatever_the_scores() -> None:
    text = "Anna Schmidt, 12 Baker Street, London and Peter"
    found = names_in(text, [ScoredWord(*one.span(), 1.0, 1.0, 1.0) for one in WORD.finditer(text)])
    assert all(one.end <= next_.start for one, next_ in pairwise(found))


def test_one_person_has_one_placeholder() -> None:
    known = Placeholders()
    assert known.for_value("PERSON", "Anna Schmidt") == "[PERSON_1]"
    assert known.for_value("PERSON", "Peter") == "[PERSON_2]"
    assert known.for_value("PERSON", "anna  SCHMIDT") == "[PERSON_1]"
    assert known.for_value("PERSON", "Schmidt") == "[PERSON_1]"
    assert known.for_value("EMAIL", "a@b.de") == "[EMAIL_1]"


def test_what_is_kept_with_a_session_goes_on_counting() -> None:
    known = Placeholders()
    known.for_value("PERSON", "Anna")
    again = Placeholders.of_session(known.kept())
    assert again.for_value("PERSON", "Peter") == "[PERSON_2]"
    assert again.for_value("PERSON", "Anna") == "[PERSON_1]"


def test_a_number_that_stands_in_a_text_is_not_given_twice() -> None:
    known = Placeholders()
    known.make_room(["ask [PERSON_3]"])
    assert known.for_value("PERSON", "Anna") == "[PERSON_4]"


def test_a_name_is_put_back_for_its_own_session_only() -> None:
    known = Placeholders()
    text = replaced("ask Anna and [PERSON_9]", [(4, 8, "PERSON")], known)
    assert text == "ask [PERSON_1] and [PERSON_9]"
    assert known.restored(text) == "ask anna and [PERSON_9]"
    assert Placeholders().restored(text) == text


def test_a_known_name_is_found_again_without_a_model() -> None:
    known = Placeholders()
    known.for_value("PERSON", "Anna Schmidt")
    text = "Anna's laptop, Schmidt said, in annals and an anna"
    assert replaced(text, known.mentions(text), known) == (
        "[PERSON_1]'s laptop, [PERSON_1] said, in annals and an anna"
    )


def test_nothing_is_replaced_inside_a_placeholder_or_a_redaction() -> None:
    text = "[PERSON_1] [redacted: password] Anna"
    spans = [(one.start(), one.end(), "PERSON") for one in re.finditer(r"\w+", text)]
    left = replaced(text, spans, Placeholders())
    assert left.startswith("[PERSON_1] [redacted: password] [PERSON_")


def test_contacts_become_placeholders_that_stay() -> None:
    once = without_contacts("a@b.de, A@B.de or +49 30 1234567", Placeholders())
    assert once == "[EMAIL_1], [EMAIL_1] or [PHONE_1]"
    assert without_contacts(once, Placeholders()) == once
