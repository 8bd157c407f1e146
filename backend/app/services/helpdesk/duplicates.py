"""Whether a matter was filed before: the nearest tickets, how likely each is the same, and why.

Odds come from two small logistic regressions, fitted once on the dev half of a public set of
support questions (tests/bench/test_duplicates.py). Such a fit carries from site to site poorly:
the order does, the odds are a guide, and nothing is ever linked because of them.
"""

import asyncio
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from backend.app.core.errors import AppError
from backend.app.core.logging import described, get_logger
from backend.app.core.text import clean
from backend.app.db.repositories.ticket_search import Around
from backend.app.db.uow import UnitOfWork
from backend.app.domain.embeddings import Embeddings, Vector
from backend.app.domain.principals import UserId
from backend.app.domain.sessions import CandidateSource
from backend.app.domain.tickets import Candidate, NearTicket, Sameness, TicketStatus

#: The job that gives new tickets their vectors.
TICKET_VECTORS_JOB = "ticket_vectors"
#: What a search reads of a text; a report says what it is about long before.
MAX_TEXT_CHARACTERS = 20_000
#: Beyond this, being further ahead of the others tells no more.
_MAX_LEAD = 0.4
_SOLVED = frozenset({TicketStatus.RESOLVED, TicketStatus.CLOSED})
_MAX_EVIDENCE = 8
_BATCH = 32
#: Error codes, versions, file names, constants: what two reports of one matter share literally.
_IDENTIFIER = re.compile(
    r"(?<![\w.])(?:0x[0-9a-fA-F]{3,16}|[A-Z]{2,8}[-_]?\d{2,8}|[A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{1,40}"
    r"|\d{1,4}(?:\.\d{1,6}){1,3}|[1-5]\d\d|\w{1,30}\.(?:exe|dll|sys|log|ini|conf|py|js|xml|json)"
    r"|[A-Z][a-z]{1,30}[A-Za-z]{0,30}(?:Exception|Error))(?![\w])"
)


@dataclass(frozen=True, slots=True)
class _Fit:
    """A logistic regression over what is measured of a pair."""

    constant: float
    cosine: float
    share: float
    lead: float
    since: float
    #: Odds from which a pair is called the same: on the data it was fitted on, scored on folds that
    #: were left out, at least 95 of a hundred such pairs were.
    telling: float

    def odds(self, near: NearTicket, lead: float) -> float:
        """How likely both are about the same, 0 to 1."""
        evidence = (
            self.constant
            + self.cosine * (near.cosine or 0.0)
            + self.share * near.share
            + self.lead * lead
            + self.since * math.log1p(near.since)
        )
        return 1 / (1 + math.exp(-evidence))


_WITH_MEANING = _Fit(constant=-2.5, cosine=4.15, share=3.9, lead=6.35, since=-0.64, telling=0.9)
_BY_WORDS = _Fit(constant=-1.28, cosine=0.0, share=8.7, lead=7.9, since=-0.53, telling=0.95)


def _lead(near: NearTicket, found: Sequence[NearTicket]) -> float:
    """How far ahead of all others it is, by what both are measured with."""

    def likeness(one: NearTicket) -> float:
        return one.share if near.cosine is None else one.share + (one.cosine or 0.0)

    others = [likeness(one) for one in found if one.number != near.number]
    ahead = likeness(near) - max(others, default=likeness(near))
    return max(-_MAX_LEAD, min(_MAX_LEAD, ahead))


def _evidence(text: str, near: NearTicket) -> tuple[str, ...]:
    theirs = set(_IDENTIFIER.findall(f"{near.title}\n{near.text}"))
    identifiers = [one for one in dict.fromkeys(_IDENTIFIER.findall(text)) if one in theirs]
    said = {one.casefold() for one in identifiers}
    words = [word for word in near.words if word not in said]
    return tuple((identifiers[: _MAX_EVIDENCE // 2] + words)[:_MAX_EVIDENCE])


def judge(text: str, found: Sequence[NearTicket], *, limit: int) -> list[Candidate]:
    """The best of ``found`` with odds, what is said of them, and why."""
    candidates = []
    for near in found[:limit]:
        fit = _WITH_MEANING if near.cosine is not None else _BY_WORDS
        odds = fit.odds(near, _lead(near, found))
        is_solved = near.status in _SOLVED
        if odds < fit.telling or near.status is TicketStatus.CANCELLED:
            sameness = Sameness.RELATED
        else:
            sameness = Sameness.CAME_BACK if is_solved else Sameness.SAME
        candidates.append(
            Candidate(
                source=CandidateSource.DESK,
                number=near.number,
                title=near.title,
                status=near.status,
                url=f"/my/tickets/{near.id}",
                odds=round(odds, 3),
                evidence=_evidence(text, near),
                created_at=near.created_at,
                sameness=sameness,
            )
        )
    return candidates


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Searches tickets, and keeps their vectors up to date."""

    uow: UnitOfWork
    embeddings: Embeddings
    search_seconds: float = 5.0
    #: How long a query waits for its vector before it does without.
    embedding_patience: timedelta = timedelta(seconds=3)

    async def search(
        self,
        text: str,
        person: UserId,
        *,
        everybodys: bool,
        limit: int,
        before: int | None = None,
    ) -> list[Candidate]:
        """Tickets that may be about the same, best first: the person's own, or everybody's.

        Args:
            text: title and body, or whatever is known; its beginning counts.
            before: only tickets below this number.

        Raises:
            SearchTooSlow: the database takes too long.
        """
        cleaned = clean(text[:MAX_TEXT_CHARACTERS])
        vector = await self._vector(cleaned)
        around = Around(
            text=cleaned,
            person=person,
            everybodys=everybodys,
            before=before,
            model=self.embeddings.name,
            vector=vector,
        )
        async with self.uow() as work:
            found = await work.ticket_search.near(
                around, limit=limit, within_seconds=self.search_seconds
            )
        return judge(cleaned, found, limit=limit)

    async def _vector(self, text: str) -> Vector | None:
        if self.embeddings.name is None:
            return None
        try:
            async with asyncio.timeout(self.embedding_patience.total_seconds()):
                return (await self.embeddings.embed([text]))[0]
        except (AppError, TimeoutError) as error:
            get_logger("duplicates").warning("searched_by_words_only", **described(error))
            return None

    async def index(self) -> int:
        """Give every ticket that has none a vector; how many got one. Goes on where it stopped."""
        model = self.embeddings.name
        done = 0
        before: list[int] = []
        while model is not None:
            async with self.uow() as work:
                waiting = await work.ticket_search.unindexed(model, limit=_BATCH)
            numbers = [one.number for one in waiting]
            # The same again: they change faster than they are embedded; the next run has them.
            if not waiting or numbers == before:
                break
            before = numbers
            vectors = await self.embeddings.embed([one.text for one in waiting])
            async with self.uow() as work:
                pairs = list(zip(waiting, vectors, strict=True))
                await work.ticket_search.put_vectors(model, pairs)
            done += len(waiting)
        return done
