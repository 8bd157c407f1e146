"""What a text may be when it leaves the house: into an issue, to a search of the web or a tracker.

Secrets go first, then how people are reached, both by rules and always. Names and addresses of
people go by a model, where there is one; where there is none, that is said at the start and in the
log. A model that is there and does not answer in time holds a text back rather than letting it go.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from backend.app.core.errors import Unavailable
from backend.app.domain.placeholders import PLACEHOLDER, Placeholders, by_rules, replaced
from backend.app.domain.redaction_names import ScoredWord, names_in
from backend.app.domain.sessions import TicketDraft

#: A text is looked at again, for what is named once may be found only when something is gone.
_MOST_ROUNDS = 3
_REMEMBERED = 256


class NamesNotLookedFor(Unavailable):
    """The search for names did not end in time, so the text stays here; try again in a moment."""


class NameModel(Protocol):
    """A model that tells names and addresses."""

    async def scores(self, text: str) -> Sequence[ScoredWord]:
        """The words of a text with their scores."""


@dataclass(frozen=True)
class Leaving:
    """Texts without what must not leave. ``model`` None: names are off."""

    model: NameModel | None = None
    seconds: float = 5.0
    #: How long a filed issue's text may be, its footer included.
    body_characters: int = 8000
    #: Where names stand, by text; no text is scored twice in a row.
    _seen: dict[bytes, tuple[tuple[int, int, str], ...]] = field(default_factory=dict)

    @property
    def finds_names(self) -> bool:
        """Whether names and addresses are looked for at all."""
        return self.model is not None

    async def text(self, text: str, known: Placeholders | None = None) -> str:
        """``text`` with placeholders for people and how they are reached; those in ``known`` keep
        theirs, and new ones are added to it. What has passed once passes unchanged.

        Raises:
            NamesNotLookedFor: the model did not answer in time, or its files are not the known
                ones.
        """
        placeholders = known if known is not None else Placeholders()
        placeholders.make_room([text])
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

    async def draft(self, draft: TicketDraft, said: Sequence[str] = ()) -> TicketDraft:
        """A draft as it may be filed. Who is mentioned in ``said``, what was said in the session
        before, in order, is numbered by that, so that a later draft names nobody otherwise.

        Raises:
            NamesNotLookedFor: as for `text`.
        """
        known = Placeholders()
        known.make_room([draft.title, draft.description])
        for told in said:
            await self.text(told, known)
        return replace(
            draft,
            title=await self.text(draft.title, known),
            description=await self.text(draft.description, known),
        )

    async def _names(self, text: str) -> tuple[tuple[int, int, str], ...]:
        if self.model is None or not text.strip():
            return ()
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        if key not in self._seen:
            try:
                async with asyncio.timeout(self.seconds):
                    scored = await self.model.scores(text)
            except TimeoutError:
                raise NamesNotLookedFor from None
            while len(self._seen) >= _REMEMBERED:
                self._seen.pop(next(iter(self._seen)))
            self._seen[key] = tuple(
                (one.start, one.end, one.kind.value) for one in names_in(text, scored)
            )
        return self._seen[key]
