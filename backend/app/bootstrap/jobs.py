"""The background jobs."""

from backend.app.core.settings import Settings
from backend.app.db.uow import UnitOfWork
from backend.app.services.facts import FactReaders
from backend.app.services.helpdesk.duplicates import TICKET_VECTORS_JOB, Duplicates
from backend.app.services.helpdesk.github import JOB as FILE_ISSUE
from backend.app.services.helpdesk.github import IssueWriter
from backend.app.services.helpdesk_graph.sweeps import SessionSweeps
from backend.app.services.identity.sweeps import IdentitySweeps
from backend.app.services.jobs.runner import Jobs

_EVERY_HOUR = "0 * * * *"
_EVERY_MINUTE = "* * * * *"


def every_job(
    uow: UnitOfWork,
    settings: Settings,
    sweeps: IdentitySweeps,
    sessions: SessionSweeps,
    issues: IssueWriter,
    duplicates: Duplicates,
    facts: FactReaders,
) -> Jobs:
    """Every job there is: whoever works must know them all."""
    jobs = Jobs(uow, settings.jobs, settings.database)
    jobs.register("identity_sweep", sweeps.run, cron=_EVERY_HOUR)
    jobs.register("session_sweep", sessions.run, cron=_EVERY_MINUTE)
    jobs.register(FILE_ISSUE, issues.advance)
    jobs.register("issue_sweep", issues.sweep, cron=_EVERY_MINUTE)
    jobs.register(TICKET_VECTORS_JOB, duplicates.index, cron=_EVERY_MINUTE)
    jobs.register("fact_retention", facts.forget_old, cron=_EVERY_HOUR)
    jobs.register("job_retention", jobs.forget_old, cron=_EVERY_HOUR)
    return jobs
