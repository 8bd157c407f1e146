"""What can be set about checkpoints; a group of ``Settings``, in a file of its own for room."""

from datetime import timedelta
from enum import StrEnum
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class CheckpointBackend(StrEnum):
    """Where the agent's checkpoints are kept; only PostgreSQL serves more than one process."""

    POSTGRES = "postgres"
    SQLITE = "sqlite"
    MEMORY = "memory"


class CheckpointSettings(BaseSettings):
    """The agent's checkpoints."""

    # As every group: a variable set to nothing counts as not set.
    model_config = SettingsConfigDict(
        env_prefix="HELPDESK_AGENT_CHECKPOINT_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    backend: CheckpointBackend = CheckpointBackend.POSTGRES
    sqlite_path: Path = Path("helpdesk_agent_checkpoints.sqlite")
    pool_size: int = Field(default=8, ge=1, le=100)
    pool_timeout_seconds: float = Field(default=5.0, gt=0, le=60)
    ttl_seconds: int = Field(default=86_400, ge=60, le=31_536_000)

    @property
    def ttl(self) -> timedelta:
        """How long a session that nobody goes on with is kept."""
        return timedelta(seconds=self.ttl_seconds)
