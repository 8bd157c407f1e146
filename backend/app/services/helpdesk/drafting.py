"""A ticket's text out of what is known: nothing is said that nobody said.

The person's words are quoted, ours are headings and labels. What is posted passes through redaction
and the sanitiser, and ends with a footer that says who wrote and who filed it.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote as quote_address

from backend.app.core.text import clean, shorten
from backend.app.domain.redaction import redact
from backend.app.domain.sessions import (
    MAX_DRAFT_DESCRIPTION_CHARACTERS,
    MAX_DRAFT_TITLE_CHARACTERS,
    Classification,
    ConversationTurn,
    TicketDraft,
)
from backend.app.services.helpdesk.clarifying import NOT_KNOWN
from backend.app.services.helpdesk.facts import MAX_FACT_CHARACTERS
from backend.app.services.helpdesk.pleasantries import without_pleasantries
from backend.app.services.helpdesk.quoting import inline, quote
from backend.app.services.helpdesk.sanitising import as_code, sanitise
from backend.app.services.helpdesk.titling import title_of

MAX_BODY_CHARACTERS = MAX_DRAFT_DESCRIPTION_CHARACTERS
CUT = "(Cut here: the description was too long.)"
FILED_BY = "AI-assisted draft, reviewed and filed by user."
_MAX_ANSWER_CHARACTERS = 800
_MAX_LISTED = 12
_SHORTEST_CUT = 100
_MAX_SUMMARY = 1200
_LONG_ANSWER = 60
#: What may be known of a matter, and how a draft calls it.
LABELS = {
    "product": "Product",
    "error": "Error",
    "system": "System",
    "version": "Version",
    "impact": "Affected",
    "since": "Since",
    "tried": "Tried",
    "expected": "Expected",
    "goal": "Goal",
    "purpose": "Purpose",
}
#: What stands for something in brackets, where a sign behind it would make it a link or its target.
_IN_BRACKETS = re.compile(r"(\[(?:redacted: [a-zA-Z ]{3,22}|[A-Z]{2,7}_\d{1,6})\])(?=[:(\[])")
#: A line that could be taken for the footer's.
_FOOTER_LINE = re.compile(r"(agent|chat)_session(?=\s{0,20}:)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """Everything that a session learned.

    ``answers`` pairs a question that was asked with the reply, ``rejected`` holds the titles of
    proposed fixes that did not help, ``searched`` the places that were looked at, ``pages`` title
    and address of what the web search found.
    """

    question: str
    conversation: tuple[ConversationTurn, ...]
    facts: Mapping[str, str]
    answers: tuple[tuple[str, str], ...]
    rejected: tuple[str, ...]
    searched: tuple[str, ...]
    classification: Classification
    pages: tuple[tuple[str, str], ...] = ()


def _cut(text: str, limit: int) -> str:
    """At most ``limit`` characters of ``text``, cut at a line or a word, the cut said."""
    if len(text) <= limit:
        return text
    room = limit - len(CUT) - 2
    end = max(text.rfind("\n", room // 2, room), text.rfind(" ", room // 2, room))
    return f"{text[: end if end > 0 else room].rstrip()}\n\n{CUT}"


def _messages(matter: Matter) -> list[str]:
    """What the person wrote about the matter, in order, each message once."""
    replies = {reply.strip() for _, reply in matter.answers}
    told = [turn.content.strip() for turn in matter.conversation if turn.role == "user"]
    if matter.question.strip() not in told:
        told.append(matter.question.strip())
    kept: list[str] = []
    for message in told:
        if message and message not in kept and message not in replies:
            kept.append(message)
    telling = [message for message in kept if len(without_pleasantries(message).split()) > 1]
    return telling or kept


def _known(matter: Matter) -> list[str]:
    # A long answer says more than a fact, and stands below with its question.
    told_below = {
        shorten(reply, MAX_FACT_CHARACTERS)
        for _, reply in matter.answers
        if len(reply) > _LONG_ANSWER
    }
    return [
        f"- **{LABELS.get(key, inline(key).capitalize())}:** {inline(value)}"
        for key, value in matter.facts.items()
        if value.strip() and value != NOT_KNOWN and value not in told_below
    ]


def _section(heading: str, lines: list[str]) -> list[str]:
    return [f"## {heading}", "\n".join(lines).rstrip("\n")] if lines else []


def _address(url: str) -> str:
    """An address in which nothing is a mention, a reference or a mark of Markdown's."""
    return quote_address(url.partition("#")[0], safe="%/:?&=+,;.-")


def _reply(reply: str) -> str:
    return _cut(redact(clean(reply)).text.strip() or "-", _MAX_ANSWER_CHARACTERS)


def _rest(matter: Matter) -> str:
    """The description behind the problem itself."""
    asked = [
        f"**{inline(question)}**\n\n{quote(_reply(reply))}\n"
        for question, reply in matter.answers[:_MAX_LISTED]
    ]
    parts = [
        *_section("What is known", _known(matter)),
        *_section("Questions and answers", asked),
        *_section(
            "Did not help", [f"- {inline(title)}" for title in matter.rejected[:_MAX_LISTED]]
        ),
        *_section("Searched", [f"- {inline(place)}" for place in matter.searched[:_MAX_LISTED]]),
        *_section(
            "Found on the web, not checked",
            [f"- {inline(title)}: {_address(url)}" for title, url in matter.pages[:_MAX_LISTED]],
        ),
    ]
    return "\n\n".join(parts)


def write_draft(matter: Matter) -> TicketDraft:
    """A ticket about the matter for the person to check, edit and file."""
    title = redact(title_of(redact(clean(matter.question)).text, matter.facts)).text
    rest = _cut(redact(_rest(matter)).text, MAX_DRAFT_DESCRIPTION_CHARACTERS // 2)
    room = MAX_DRAFT_DESCRIPTION_CHARACTERS - len(rest) - len("## Problem\n\n\n\n")
    problem = "\n\n".join(quote(clean(redact(message).text)) for message in _messages(matter))
    description = f"## Problem\n\n{_cut(problem, room)}\n\n{rest}".rstrip()
    grade = matter.classification
    return TicketDraft(
        title=title[:MAX_DRAFT_TITLE_CHARACTERS],
        description=description,
        severity=grade.severity,
        impact=grade.impact,
        category=grade.category,
    )


def with_summary(draft: TicketDraft, title: str, summary: str) -> TicketDraft:
    """A draft under another title, with a summary above what the person wrote; of both texts as
    much as a draft may hold.
    """
    head = f"## Summary\n\n{sanitise(summary)}\n\n"
    rest = _cut(draft.description, MAX_DRAFT_DESCRIPTION_CHARACTERS - len(head))
    return replace(
        draft, title=title[:MAX_DRAFT_TITLE_CHARACTERS], description=f"{head}{rest}".rstrip()
    )


def recap(matter: Matter, ending: str) -> str:
    """A few lines for the chat about what was done and how it ended."""
    lines = [f"**{inline(title_of(redact(matter.question).text, matter.facts))}**", ""]
    if matter.searched:
        lines.append(f"- Searched: {', '.join(inline(place) for place in matter.searched)}")
    if matter.answers:
        count = len(matter.answers)
        lines.append(f"- Asked: {count} question{'s' if count > 1 else ''}")
    lines += [f"- Did not help: {inline(title)}" for title in matter.rejected[:_MAX_LISTED]]
    lines.append(f"- Ended: {inline(ending)}")
    return sanitise(redact("\n".join(lines)).text)


def summarise(matter: Matter) -> str:
    """What a conversation is about in a few lines, for whoever has not read it."""
    said = _cut("\n\n".join(redact(message).text for message in _messages(matter)), _MAX_SUMMARY)
    grade = matter.classification
    known = [
        *_known(matter),
        f"- **Graded:** {grade.severity.value}, {grade.impact.value}, {grade.category.value}",
    ]
    return sanitise(redact(f"{quote(clean(said))}\n\n" + "\n".join(known)).text)


def _footer(session_id: str, chat_session_hash: str | None) -> str:
    lines = ["---", FILED_BY, f"agent_session: {session_id}"]
    if chat_session_hash is not None:
        lines.append(f"chat_session: {chat_session_hash}")
    return "\n".join(lines)


def marker_of(body: str) -> str:
    """The lines of a rendered body by which it is known wherever it was posted: who it is of, and
    the hash that only this installation can make.
    """
    at = body.rfind("\nagent_session: ")
    return body[at + 1 :] if at >= 0 else ""


def render_body(
    draft: TicketDraft,
    *,
    session_id: str,
    chat_session_hash: str | None,
    max_characters: int = MAX_BODY_CHARACTERS,
) -> str:
    """The body exactly as it is posted, ``max_characters`` long at most; whatever is cut, its
    footer stays whole.
    """
    grade = (
        f"Severity: {draft.severity.value} · Impact: {draft.impact.value} · "
        f"Category: {draft.category.value}"
    )
    end = f"\n\n{grade}\n\n{_footer(session_id, chat_session_hash)}"
    unsigned = _FOOTER_LINE.sub(r"\1 session", redact(draft.description).text)
    unsigned = _IN_BRACKETS.sub("\\1\u200b", unsigned)
    room = max_characters - len(end)
    # Cut before it is made safe, so that what is posted is what was looked at; what takes the place
    # of a mention or a sign is longer than that, so it may have to be cut shorter.
    safe, allowed = sanitise(_cut(unsigned, room)), room
    while len(safe) > room and allowed > _SHORTEST_CUT:
        allowed -= len(safe) - room + _SHORTEST_CUT
        safe = sanitise(_cut(unsigned, max(allowed, _SHORTEST_CUT)))
    return f"{safe if len(safe) <= room else as_code(CUT)}{end}".lstrip()


def without_footer(body: str) -> str:
    """A rendered body as it stands above its footer."""
    return body[: body.rfind(f"\n\n---\n{FILED_BY}")]


def draft_digest(title: str, body: str) -> str:
    """What a person's yes is bound to: a digest of title and body that no other pair has."""
    encoded = title.encode("utf-8", "surrogatepass"), body.encode("utf-8", "surrogatepass")
    sealed = b"".join(len(part).to_bytes(8, "big") + part for part in encoded)
    return hashlib.sha256(sealed).hexdigest()
