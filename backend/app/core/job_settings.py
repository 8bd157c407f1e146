"""What can be set about background jobs; a group of ``Settings``, in a file of its own for room."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class JobSettings(BaseSettings):
    """Background jobs and their worker."""

    # As every group: a variable set to nothing counts as not set.
    model_config = SettingsConfigDict(
        env_prefix="HELPDESK_JOBS_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    #: Off: this process does no jobs, and a worker of its own is needed.
    run_in_process: bool = True
    #: How many jobs one worker does at a time.
    concurrency: int = Field(default=4, ge=1, le=100)
    pool_size: int = Field(default=4, ge=2, le=100)
    #: How often a worker looks for jobs without being woken; retries are found by this alone.
    poll_seconds: float = Field(default=5.0, ge=0.05, le=300)
    #: A worker that was silent for so long is dead, and its jobs are another's.
    stalled_seconds: float = Field(default=30.0, ge=0.4, le=3600)
    #: How long a stop waits for running jobs before it hands them back.
    drain_seconds: float = Field(default=5.0, ge=0, le=600)
    failed_kept_days: int = Field(default=14, ge=1, le=366)

    @property
    def stalled(self) -> timedelta:
        """How long a living worker may be silent."""
        return timedelta(seconds=self.stalled_seconds)

    @property
    def failed_kept(self) -> timedelta:
        """How long a job that failed can be looked at."""
        return timedelta(days=self.failed_kept_days)
