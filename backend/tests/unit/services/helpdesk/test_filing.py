"""A draft as it is shown and filed: without secrets, and the same however often it is looked at."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from backend.app.domain.sessions import Category, Impact, Severity, TicketDraft
from backend.app.services.helpdesk.filing import Preview, as_filed, chat_hash

_SECRET = "my password is Tr0ub4dor&3xyz"
_words = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
    st.lists(
        st.sampled_from([_SECRET, "x" * 50, "\u0301", "e\r\n", "\x00", "@all", "```", "  "])
    ).map(" ".join),
)


def _filed(title: str, description: str) -> Preview:
    draft = TicketDraft(title, description, Severity.LOW, Impact.PERSON, Category.OTHER)
    return as_filed(draft, session_id="s1", chat_session_hash="c1")


@settings(max_examples=400, deadline=None)  # the first text loads the parser
@given(_words, _words)
@example("x" * 100 + " " + _SECRET, "y " * 3990 + _SECRET)
def test_what_was_shown_is_what_is_filed(title: str, description: str) -> None:
    shown = _filed(title, description)

    assert _filed(shown.draft.title, shown.draft.description) == shown
    assert _filed(title, description).digest == shown.digest


@settings(max_examples=400, deadline=None)  # the first text loads the parser
@given(_words, _words)
@example("x" * 88 + " " + _SECRET, "y " * 3980 + _SECRET)
def test_no_secret_and_no_more_than_fits_is_shown(title: str, description: str) -> None:
    shown = _filed(title, description)

    assert "Tr0ub4dor" not in shown.draft.title + shown.draft.description + shown.body
    assert len(shown.draft.title) <= 120
    assert len(shown.draft.description) <= 8000
    assert len(shown.body) <= 8000


def test_every_part_of_a_draft_is_sealed() -> None:
    one = _filed("a", "b")
    assert len({one.digest, _filed("ab", "").digest, _filed("", "ab").digest}) == 3


def test_a_chats_name_in_a_ticket_is_none_of_another_installations() -> None:
    assert chat_hash(b"key", None) is None
    assert chat_hash(b"key", "c1") != chat_hash(b"other", "c1")  # type: ignore[arg-type]
