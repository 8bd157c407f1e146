"""Issues of the outside tracker that may be about the same, by the measure that tickets have."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from backend.app.core.errors import AppError
from backend.app.core.text import clean, shorten
from backend.app.db.uow import UnitOfWork
from backend.app.domain.principals import UserId
from backend.app.domain.sessions import MAX_DRAFT_TITLE_CHARACTERS, CandidateSource
from backend.app.domain.tickets import Candidate
from backend.app.domain.tracker import IssueTracker, TrackedIssue

#: Before the one repetition of a search that got no usable answer.
_AGAIN_AFTER_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class IssueSearch:
    """Searches the tracker and weighs what it finds: its own ranking says nothing of likeness."""

    tracker: IssueTracker
    uow: UnitOfWork

    async def candidates(self, question: str, actor: UserId) -> Sequence[Candidate]:
        """Issues that share words with the question, the likeliest first; those left out that the
        person's own tickets were written as.

        Raises:
            AppError: the tracker gave no usable answer; which is not that there is none.
        """
        found = await self._search(question)
        if not found:
            return []
        async with self.uow() as work:
            texts = [(clean(one.title), clean(one.body)) for one in found]
            weighed = await work.tickets.likeness(clean(question), texts)
            own = await work.tickets.written_as([one.number for one in found], actor)
        candidates = [
            _candidate(issue, odds, words)
            for issue, (odds, words) in zip(found, weighed, strict=True)
            if issue.number not in own
        ]
        return sorted(candidates, key=lambda one: (-one.odds, -one.number))

    async def _search(self, question: str) -> Sequence[TrackedIssue]:
        try:
            return await self.tracker.search(question)
        except AppError as error:
            if error.retry_after is not None:
                raise  # it wants to be left alone
            await asyncio.sleep(_AGAIN_AFTER_SECONDS)
            return await self.tracker.search(question)


def _candidate(issue: TrackedIssue, odds: float, words: tuple[str, ...]) -> Candidate:
    return Candidate(
        source=CandidateSource.GITHUB,
        number=issue.number,
        title=shorten(clean(issue.title), MAX_DRAFT_TITLE_CHARACTERS),
        status=issue.status,
        url=issue.url,
        odds=odds,
        evidence=words,
        created_at=issue.created_at,
    )
