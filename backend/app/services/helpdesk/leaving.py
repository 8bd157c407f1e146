"""What a text may be when it leaves the house: into an issue, to a search of the web or a tracker.

Secrets go first, then how people are reached, both by rules and always. Names and addresses of
people go by a model, where there is one; where there is none, that is said at the start and in the
log. A model that is there and does not answer in time holds a text back rather than letting it go.
"""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Protocol

from backend.app.core.errors import Unavailable
from backend.app.domain.placeholders import PLACEHOLDER, Placeholders, by_rules, replaced
from backend.app.domain.principals import UserId
from backend.app.domain.redaction_names import ScoredWord, names_in
from backend.app.domain.sessions import TicketDraft

#: A text is looked at again, for what is named once may be found only when something is gone.
_MOST_ROUNDS = 3
_REMEMBERED = 2048
_AT_ONCE_EACH = 3
_PARAGRAPH_END = re.compile(r"\n[ \t>]*\n\s*")
_PIECE_CHARACTERS = 400


class NamesNotLookedFor(Unavailable):
    """The search for names did not end in time, so the text stays here; try again in a moment."""

    retry_after = timedelta(seconds=2)


class NameModel(Protocol):
    """A model that tells names and addresses."""

    async def scores(self, text: str) -> Sequence[ScoredWord]:
        """The words of a text with their scores."""


@dataclass(frozen=True)
class Leaving:
    """Texts without what must not leave. ``model`` None: names are off. ``stays_here``: what is
    filed leaves nowhere, so only secrets are taken out of it: whoever works on a ticket may have to
    call.
    """

    model: NameModel | None = None
    seconds: float = 7.0
    #: How long a filed issue's text may be, its footer included.
    body_characters: int = 8000
    stays_here: bool = False
    #: Where names stand, by the digest of a piece of text.
    _seen: dict[bytes, tuple[tuple[int, int, str], ...]] = field(default_factory=dict)
    #: How many drafts of each person are being looked through.
    _asking: Counter[UserId] = field(default_factory=Counter)

    async def text(self, text: str, known: Placeholders | None = None) -> str:
        """``text`` with placeholders for people and how they are reached; those in ``known`` keep
        theirs, and new ones are added to it. What has passed once passes unchanged.

        Raises:
            NamesNotLookedFor: the model did not answer in time, or its files are not the known
                ones.
        """
        placeholders = known if known is not None else Placeholders()
        placeholders.make_room([text])
        try:
            async with asyncio.timeout(self.seconds):
                return await self._left(text, placeholders)
        except TimeoutError:
            raise NamesNotLookedFor from None

    async def _left(self, text: str, placeholders: Placeholders) -> str:
        # Secrets are written with the names they belong to, so they go before names do.
        left = by_rules(text, placeholders)
        for _ in range(_MOST_ROUNDS):
            before = left
            left = replaced(left, await self._names(left), placeholders)
            left = replaced(left, placeholders.mentions(left), placeholders)
            left = by_rules(left, placeholders)
            if left == before:
                break
        return left

    async def query(self, text: str) -> str:
        """``text`` as words to search with elsewhere: people are left out altogether.

        Raises:
            NamesNotLookedFor: as for `text`.
        """
        return " ".join(PLACEHOLDER.sub(" ", await self.text(text)).split())

    async def draft(
        self,
        draft: TicketDraft,
        known: Placeholders | None = None,
        *,
        asked_by: UserId | None = None,
    ) -> TicketDraft:
        """A draft as it may be filed; ``known`` as for `text`. There is one model for everybody, so
        whoever asks by a request of their own (``asked_by``) has only a few drafts looked through
        at once.

        Raises:
            NamesNotLookedFor: as for `text`, or this person has too many looked through already.
        """
        if self.stays_here:
            return draft
        placeholders = known if known is not None else Placeholders()
        placeholders.make_room([draft.title, draft.description])
        with self._counted(asked_by):
            # The description tells things in the order in which they were said.
            description = await self.text(draft.description, placeholders)
            title = await self.text(draft.title, placeholders)
        return replace(draft, title=title, description=description)

    @contextmanager
    def _counted(self, person: UserId | None) -> Iterator[None]:
        if person is None:
            yield
            return
        if self._asking[person] >= _AT_ONCE_EACH:
            raise NamesNotLookedFor
        self._asking[person] += 1
        try:
            yield
        finally:
            self._asking[person] -= 1
            if not self._asking[person]:
                del self._asking[person]

    async def _names(self, text: str) -> list[tuple[int, int, str]]:
        if self.model is None:
            return []
        found: list[tuple[int, int, str]] = []
        for start, piece in _pieces(text):
            spans = await self._names_of(self.model, piece)
            found += [(start + begin, start + end, kind) for begin, end, kind in spans]
        return found

    async def _names_of(self, model: NameModel, piece: str) -> tuple[tuple[int, int, str], ...]:
        key = hashlib.sha256(piece.encode("utf-8", "surrogatepass")).digest()
        if key not in self._seen:
            scored = await model.scores(piece)
            while len(self._seen) >= _REMEMBERED:
                self._seen.pop(next(iter(self._seen)))
            self._seen[key] = tuple(
                (one.start, one.end, one.kind.value) for one in names_in(piece, scored)
            )
        return self._seen[key]


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs of ``text`` with where they begin, short ones together: each is remembered, so
    that a text of which little changed is not looked through as a whole again.
    """
    start = 0
    for found in _PARAGRAPH_END.finditer(text):
        if found.end() - start >= _PIECE_CHARACTERS:
            yield start, text[start : found.end()]
            start = found.end()
    if text[start:].strip():
        yield start, text[start:]
