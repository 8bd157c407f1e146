"""What leaves the house names nobody, and waits where that is not known."""

import asyncio
from collections.abc import Sequence
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.app.domain.placeholders import Placeholders
from backend.app.domain.principals import UserId
from backend.app.domain.redaction_names import WORD, ScoredWord
from backend.app.domain.sessions import Category, Impact, Severity, TicketDraft
from backend.app.services.helpdesk.filing import as_filed
from backend.app.services.helpdesk.leaving import Leaving, NamesNotLookedFor

_NAMES = {"Anna", "Schmidt", "Peter", "Maria"}


class _Listed:
    """A model that knows a few names, and counts its texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def scores(self, text: str) -> Sequence[ScoredWord]:
        self.texts.append(text)
        return [
            ScoredWord(*one.span(), float(one[0] in _NAMES), 0.0, 0.0)
            for one in WORD.finditer(text)
        ]


class _Silent:
    """A model that never answers."""

    async def scores(self, text: str) -> Sequence[ScoredWord]:
        await asyncio.Event().wait()
        raise AssertionError(text)


def _draft(title: str, description: str) -> TicketDraft:
    return TicketDraft(title, description, Severity.LOW, Impact.PERSON, Category.OTHER)


async def test_secrets_contacts_and_names_are_gone() -> None:
    left = await Leaving(_Listed()).text("Anna Schmidt (anna@firma.de): my password is hunter22")
    assert left == "[PERSON_1] ([EMAIL_1]): my password is [redacted: password]"


async def test_with_names_off_secrets_and_contacts_are_gone_all_the_same() -> None:
    left = await Leaving().text("Anna (anna@firma.de): password: hunter22")
    assert left == "Anna ([EMAIL_1]): password: [redacted: password]"


async def test_a_query_is_without_people_and_their_placeholders() -> None:
    assert await Leaving(_Listed()).query("Anna cannot  open Excel\n(+49 30 1234567)") == (
        "cannot open Excel ( )"
    )


async def test_a_text_waits_where_names_are_not_known_in_time() -> None:
    with pytest.raises(NamesNotLookedFor):
        await Leaving(_Silent(), seconds=0.01).text("Anna")


async def test_no_text_is_scored_twice() -> None:
    model = _Listed()
    leaving = Leaving(model)
    await leaving.text("no names here")
    await leaving.text("no names here")
    assert model.texts == ["no names here"]


async def test_an_empty_text_asks_nobody() -> None:
    model = _Listed()
    assert await Leaving(model).text(" \n") == " \n"
    assert model.texts == []


async def test_numbers_follow_the_session_and_not_the_draft() -> None:
    leaving, known = Leaving(_Listed()), Placeholders()
    first = await leaving.draft(_draft("Peter", "Maria, then Peter"), known)
    later = await leaving.draft(
        _draft("Anna", "Peter, Anna and Maria"), Placeholders.of_session(known.kept())
    )
    assert (first.title, first.description) == ("[PERSON_2]", "[PERSON_1], then [PERSON_2]")
    assert (later.title, later.description) == (
        "[PERSON_3]",
        "[PERSON_2], [PERSON_3] and [PERSON_1]",
    )


async def test_only_what_changed_is_scored_again() -> None:
    model = _Listed()
    leaving = Leaving(model)
    long = [f"{'word ' * 100}{n}" for n in range(5)]
    await leaving.text("\n\n".join(long))
    before = len(model.texts)
    await leaving.text("\n\n".join([*long[:2], "Anna", *long[2:]]))
    assert before == 5
    assert len(model.texts) - before <= 2


async def test_a_name_added_to_a_draft_takes_the_next_number() -> None:
    left = await Leaving(_Listed()).draft(_draft("[PERSON_1]", "[PERSON_2] and Anna"))
    assert left.description == "[PERSON_2] and [PERSON_3]"


_WORDS = st.sampled_from(
    [
        *(*_NAMES, "Anna Schmidt", "a@b.de", "+49 30 1234567", "password: hunter22", "[PERSON_1]"),
        *("is", ".", "\n", "> ", "**", "'s", "[", "]", "8.8.8.8", "4111 1111 1111 1111"),
    ]
)


@given(st.lists(_WORDS, max_size=15).map(" ".join), st.lists(_WORDS, max_size=15).map("".join))
@settings(deadline=None, max_examples=200)  # the first text loads the parser
def test_what_was_shown_is_what_is_filed(title: str, description: str) -> None:
    async def shown(draft: TicketDraft) -> tuple[TicketDraft, str]:
        preview = as_filed(
            await Leaving(_Listed()).draft(draft), session_id="s", chat_session_hash=None
        )
        return preview.draft, preview.digest

    first, digest = asyncio.run(shown(_draft(title, description)))
    again, same = asyncio.run(shown(first))
    assert (again, same) == (first, digest)
    # Glued to other words a name is none, and a model would not find it.
    assert not _NAMES & set(WORD.findall(first.title))


async def test_the_same_text_has_the_same_placeholders_for_whoever_asks() -> None:
    known = Placeholders()
    leaving = Leaving(_Listed())
    assert await leaving.text("Peter", known) == "[PERSON_1]"
    assert await leaving.text("Maria and Peter", known) == "[PERSON_2] and [PERSON_1]"


async def test_one_person_does_not_keep_everybody_else_waiting() -> None:
    leaving, one, other = Leaving(_Silent(), seconds=60), UserId(uuid4()), UserId(uuid4())
    asked = [
        asyncio.ensure_future(leaving.draft(_draft("Anna", str(number)), asked_by=person))
        for person, number in [(one, 1), (one, 2), (one, 3), (other, 4)]
    ]
    await asyncio.sleep(0)

    with pytest.raises(NamesNotLookedFor):
        await leaving.draft(_draft("Anna", "once too often"), asked_by=one)
    assert not any(one_.done() for one_ in asked)
    for one_ in asked:
        one_.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    again = asyncio.ensure_future(leaving.draft(_draft("Anna", "later"), asked_by=one))
    await asyncio.sleep(0)
    assert not again.done()
    again.cancel()
