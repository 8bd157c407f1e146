"""What can be set about GitHub; a group of ``Settings``, in a file of its own for room."""

import re
from datetime import timedelta
from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

#: A write begins this soon after it was claimed, or not at all.
BEGIN_SECONDS = 8.0
_REPO = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}")
_MAX_LABEL_CHARACTERS = 50


def is_loopback(host: str | None) -> bool:
    """Whether a host's name or address is this very machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return False


class GitHubSettings(BaseSettings):
    """GitHub as the outside tracker. Without a token and a repository the desk alone is it."""

    # As every group: a variable set to nothing counts as not set.
    model_config = SettingsConfigDict(
        env_prefix="GITHUB_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    token: SecretStr | None = None
    repo: str | None = None
    api_url: str = "https://api.github.com"
    labels: Annotated[tuple[str, ...], NoDecode] = ()
    webhook_secret: SecretStr | None = None
    #: How long one call may take; a write that took longer is looked for before anything else.
    timeout_seconds: float = Field(default=12.0, gt=0, le=15)
    #: How long after a write without an answer an issue may still appear. Only when it has not by
    #: then, the write is done again.
    settle_seconds: float = Field(default=30.0, ge=1, le=3600)

    @field_validator("repo")
    @classmethod
    def _is_a_repository(cls, value: str | None) -> str | None:
        if value is not None and (
            not _REPO.fullmatch(value) or value.split("/")[1].strip(".") == ""
        ):
            raise ValueError("must be owner/name, as in the address of the repository")
        return value

    @field_validator("api_url")
    @classmethod
    def _is_safe_to_send_a_token_to(cls, value: str) -> str:
        parts = urlsplit(value)
        is_safe = parts.scheme == "https" or (
            parts.scheme == "http" and is_loopback(parts.hostname)
        )
        if not is_safe or not parts.hostname or parts.query or parts.fragment or parts.username:
            raise ValueError("must be an https:// address (http:// on this machine only)")
        return value.rstrip("/")

    @field_validator("labels", mode="before")
    @classmethod
    def _split_labels(cls, value: Any) -> Any:
        if isinstance(value, str):
            return [part.strip() for part in value.split(",") if part.strip()]
        return value

    @field_validator("labels")
    @classmethod
    def _are_labels(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any(len(label) > _MAX_LABEL_CHARACTERS for label in value):
            raise ValueError(f"a label has at most {_MAX_LABEL_CHARACTERS} characters")
        return value

    @property
    def is_configured(self) -> bool:
        """Whether there is a repository and a token for it."""
        return self.token is not None and self.repo is not None

    @property
    def is_elsewhere(self) -> bool:
        """Whether something would be written to another machine than this one."""
        return self.is_configured and not is_loopback(urlsplit(self.api_url).hostname)

    @property
    def web_url(self) -> str:
        """Where people see what the API holds."""
        parts = urlsplit(self.api_url)
        if parts.hostname == "api.github.com":
            return "https://github.com"
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def lease(self) -> timedelta:
        """How long one process works on a filing at most, before another may."""
        return timedelta(seconds=self.timeout_seconds + BEGIN_SECONDS)

    @property
    def settle(self) -> timedelta:
        """How long after a write was claimed its issue may still appear; never less than a write
        may take.
        """
        return max(timedelta(seconds=self.settle_seconds), self.lease)
