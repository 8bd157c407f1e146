"""What can be set about the search of the web; a group of ``Settings``, in a file of its own for
room.
"""

from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class WebSearchProvider(StrEnum):
    """Who searches: nobody, Tavily over the network, or a folder of pages on this machine."""

    OFF = "off"
    TAVILY = "tavily"
    LOCAL = "local"


class WebSearchSettings(BaseSettings):
    """The search of the web. Off until somebody chooses one: a query leaves the house."""

    # As every group: a variable set to nothing counts as not set.
    model_config = SettingsConfigDict(
        env_prefix="HELPDESK_WEB_SEARCH_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    provider: WebSearchProvider = WebSearchProvider.OFF
    #: Tavily's key; never taken from anywhere else.
    api_key: SecretStr | None = None
    base_url: str = Field(default="https://api.tavily.com", max_length=500)
    #: Folder of pages, or one file of them, for the provider ``local``.
    path: Path | None = None

    @field_validator("base_url")
    @classmethod
    def _is_safe(cls, value: str) -> str:
        parts = urlsplit(value)
        if not parts.hostname or parts.username or parts.query or parts.fragment:
            raise ValueError("must be an address such as https://search.example.org")
        if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(value)):
            raise ValueError("must begin with https://; the key would travel in the clear")
        return value.rstrip("/")

    @model_validator(mode="after")
    def _is_whole(self) -> "WebSearchSettings":
        if self.provider is WebSearchProvider.TAVILY and self.api_key is None:
            raise ValueError(
                "HELPDESK_WEB_SEARCH_PROVIDER=tavily needs HELPDESK_WEB_SEARCH_API_KEY"
            )
        if self.provider is WebSearchProvider.LOCAL and self.path is None:
            raise ValueError("HELPDESK_WEB_SEARCH_PROVIDER=local needs HELPDESK_WEB_SEARCH_PATH")
        return self

    @property
    def leaves_this_machine(self) -> bool:
        """Whether a query goes to another machine."""
        return self.provider is WebSearchProvider.TAVILY and not _is_loopback(self.base_url)


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
