"""Writing a confirmed ticket into the outside tracker: once, whatever breaks in between.

A filing is taken by a lease, marked as sent before anything is, and settled by what is known
afterwards. Whatever may have arrived is looked for, by the lines at the end of its body, before it
is sent again. Every step may be the last one of its process: a job goes on where the row stands.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from backend.app.core.clock import Clock
from backend.app.core.errors import AppError
from backend.app.core.github_settings import BEGIN_SECONDS, GitHubSettings
from backend.app.core.ids import IdSource
from backend.app.core.settings import AgentSettings
from backend.app.core.tasks import Tasks
from backend.app.db.uow import UnitOfWork, Work
from backend.app.domain.sessions import AgentSessionId
from backend.app.domain.tickets import FilingState
from backend.app.domain.tracker import (
    FilingRecord,
    FilingStep,
    IssueTracker,
    NewIssue,
    NotSent,
    OpenFiling,
    Refused,
    Unsure,
    Written,
    next_step,
)
from backend.app.schemas.helpdesk import AgentTurn
from backend.app.services.helpdesk.flags import Flag, Flags
from backend.app.services.helpdesk.issue_news import IssueNews

#: The name of the job that goes on with one filing.
JOB = "file_issue"
#: A confirm waits for the tracker this long, and no longer.
CONFIRM_SECONDS = 15.0
#: Changes of an issue are looked for from a little earlier on: the tracker's clock is another's.
_SKEW = timedelta(hours=3)
_FIRST_WAIT = timedelta(seconds=5)
_LONGEST_WAIT = timedelta(seconds=40)
#: How soon it is looked whether what was switched off is on again.
_SWITCHED_OFF = timedelta(seconds=30)
_LOOK_SECONDS = 15.0
_AT_ONCE = 50
_DELIVERIES_KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class IssueWriter:
    """Takes filings to the tracker, one step after the other."""

    uow: UnitOfWork
    ids: IdSource
    clock: Clock
    tasks: Tasks
    tracker: IssueTracker | None
    github: GitHubSettings
    agent: AgentSettings
    news: IssueNews

    async def is_on(self, work: Work) -> bool:
        """Whether a ticket that is filed in this transaction is written into the tracker too."""
        if self.tracker is None:
            return False
        flags = Flags(self.agent, await work.switches.all_until_commit())
        return flags.is_on(Flag.TOOL_FILE_TICKET)

    def take_up(self, session_id: AgentSessionId) -> asyncio.Task[AgentTurn | None] | None:
        """Go on with a filing that was just reserved, whoever waits for it; None without a tracker.

        The task ends within the time of a confirm, with the turn as it stands then.
        """
        if self.tracker is None:
            return None
        return self.tasks.start(self._for_a_while(session_id))

    async def _for_a_while(self, session_id: AgentSessionId) -> AgentTurn | None:
        work = self.tasks.start(self.advance(session_id))
        await asyncio.wait({work}, timeout=CONFIRM_SECONDS)
        async with self.uow() as unit:
            session = await unit.sessions.session_unscoped(session_id)
        return AgentTurn.model_validate(session.turn) if session and session.turn else None

    async def advance(self, session_id: AgentSessionId) -> None:
        """Take a filing as far as it goes now. Does nothing when another does, or it is not due."""
        if self.tracker is None:
            return
        began = self.clock.monotonic()
        async with self.uow() as work:
            record = await work.filings.claim(session_id, self.ids.uuid(), lease=self.github.lease)
        if record is None:
            return
        if next_step(record.state) is FilingStep.LOOK:
            await self._look(self.tracker, record)
        else:
            await self._send(self.tracker, record, began)

    async def _look(self, tracker: IssueTracker, record: FilingRecord) -> None:
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                found = await tracker.find(record.marker, since=record.confirmed_at - _SKEW)
        except (AppError, TimeoutError) as error:
            asked = error.retry_after if isinstance(error, AppError) else None
            await self._put_off(record, _state_of(record), wait=asked or _backoff(record.tries))
            return
        if found is not None:
            await self._written(record, Written(found.number, found.url), was_found=True)
            return
        left = self._still_may_appear(record)
        if left is not None:
            await self._put_off(record, FilingState.UNKNOWN, wait=left)
            return
        await self._send(tracker, record, self.clock.monotonic())

    def _still_may_appear(self, record: FilingRecord) -> timedelta | None:
        """How long what is not there yet may take to appear; None when it surely is not there."""
        if record.was_sent is None:
            return None
        left = self.github.settle - record.was_sent
        if left > timedelta(0):
            return min(left, _LONGEST_WAIT)
        # Whoever sent it last may only just have lost it.
        return timedelta(0) if record.state is FilingState.SENT else None

    async def _send(self, tracker: IssueTracker, record: FilingRecord, began: float) -> None:
        sent = await self._begun(record)
        if sent is None:
            return
        record, issue = sent
        sending = self.clock.monotonic()
        attempt = await tracker.create(issue, begin_by=began + BEGIN_SECONDS)
        took = round((self.clock.monotonic() - sending) * 1000)
        match attempt:
            case Written():
                await self._written(record, attempt, took=took)
            case Refused(status):
                await self._refused(tracker, record, status, took)
            case Unsure(status):
                await self._put_off(
                    record,
                    FilingState.UNKNOWN,
                    wait=_backoff(record.tries),
                    answered=status,
                    took=took,
                )
            case NotSent(status, asked):
                wait = asked or _backoff(record.tries)
                await self._put_off(
                    record,
                    FilingState.UNKNOWN,
                    wait=wait,
                    answered=status,
                    took=took,
                    did_not_arrive=True,
                )

    async def _begun(self, record: FilingRecord) -> tuple[FilingRecord, NewIssue] | None:
        """The filing marked as sent, and what to send; None when it must not be sent now."""
        async with self.uow() as work:
            flags = Flags(self.agent, await work.switches.all_until_commit())
            if flags.is_on(Flag.KILL_SWITCH) or not flags.is_on(Flag.TOOL_FILE_TICKET):
                off = await work.filings.put_off(record, record.state, wait=_SWITCHED_OFF)
                await self._later(work, off)
                return None
            ticket = await work.tickets.ticket_unscoped(record.ticket_id)
            begun = await work.filings.begin_sending(record, lease=self.github.lease)
            if ticket is None or begun is None:
                return None
            return begun, NewIssue(ticket.title, ticket.body)

    async def _refused(
        self, tracker: IssueTracker, record: FilingRecord, status: int, took: int
    ) -> None:
        """It said no. Should it hold the issue all the same, that counts and not what it said."""
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                found = await tracker.find(record.marker, since=record.confirmed_at - _SKEW)
        except (AppError, TimeoutError):
            if record.attempts > 1:  # an earlier attempt may have arrived after all
                await self._put_off(record, FilingState.UNKNOWN, wait=_backoff(record.tries))
                return
            found = None
        if found is not None:
            await self._written(record, Written(found.number, found.url), was_found=True)
            return
        async with self.uow() as work:
            told = await self.news.prepare(work, record)
            if await work.filings.refused(record, status):
                await self.news.tell(work, told, outcome=FilingState.REFUSED, took=took)

    async def _written(
        self, record: FilingRecord, issue: Written, *, was_found: bool = False, took: int = 0
    ) -> None:
        async with self.uow() as work:
            told = await self.news.prepare(work, record)
            if await work.filings.written(record, issue.number, issue.url):
                await self.news.tell(
                    work, told, outcome=FilingState.FILED, took=took, was_found=was_found
                )

    async def _put_off(
        self,
        record: FilingRecord,
        state: FilingState,
        *,
        wait: timedelta,
        answered: int | None = None,
        took: int | None = None,
        did_not_arrive: bool = False,
    ) -> None:
        async with self.uow() as work:
            told = await self.news.prepare(work, record)
            off = await work.filings.put_off(
                record, state, wait=wait, answered=answered, did_not_arrive=did_not_arrive
            )
            await self._later(work, off)
            if off is not None and (took is not None or state is not record.state):
                await self.news.tell(work, told, outcome=state, took=took)

    async def _later(self, work: Work, off: FilingRecord | None) -> None:
        if off is not None and off.due_at is not None:
            await self._job(work, off.session_id, off.due_at)

    async def ask_for(self, work: Work, session_id: AgentSessionId, *, at: datetime) -> None:
        """Ask, in the transaction that reserves a filing ``at`` this time, for the job that goes on
        with it should nobody else.
        """
        await self._job(work, session_id, at + self.github.lease)

    async def _job(self, work: Work, session_id: AgentSessionId, at: datetime | None) -> None:
        lock = f"{JOB}:{session_id}"
        await work.jobs.defer(JOB, {"session_id": session_id}, queueing_lock=lock, at=at)

    async def sweep(self) -> None:
        """Ask for the jobs of filings that are due, should one have been lost."""
        async with self.uow() as work:
            await work.filings.forget_deliveries(older_than=_DELIVERIES_KEPT)
            for session_id in await work.filings.due(limit=_AT_ONCE):
                await self._job(work, session_id, None)

    async def not_written(self, *, limit: int) -> Sequence[OpenFiling]:
        """Tickets that should be in the tracker and are not, newest first: for administrators."""
        async with self.uow() as work:
            return await work.filings.not_written(limit=limit)

    async def reopen(self, ticket_number: int) -> bool:
        """Let a ticket that the tracker refused be tried again; False when it was not refused."""
        async with self.uow() as work:
            session_id = await work.filings.reopen(ticket_number)
            if session_id is not None:
                await self._job(work, session_id, None)
        return session_id is not None


def _state_of(record: FilingRecord) -> FilingState:
    """The state in which a filing waits that could not be looked for."""
    return FilingState.UNKNOWN if record.state is FilingState.SENT else record.state


def _backoff(tries: int) -> timedelta:
    doublings: int = 2 ** min(tries, 10)
    return min(_FIRST_WAIT * doublings, _LONGEST_WAIT)
