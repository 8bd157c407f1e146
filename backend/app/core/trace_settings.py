"""What can be set about traces; a group of ``Settings``, in a file of its own for room."""

import os

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class TraceSettings(BaseSettings):
    """Traces of the agent's runs, sent to LangSmith under the names that it has always had."""

    # As every group: a variable set to nothing counts as not set.
    model_config = SettingsConfigDict(
        env_prefix="LANGCHAIN_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    #: Off: no trace is made and nothing is sent, whatever the libraries' own variables say.
    tracing_v2: bool = False
    endpoint: str = Field(default="https://api.smith.langchain.com", pattern="^https?://[^/@]+")
    api_key: SecretStr | None = None
    project: str = "helpdesk-agent"


#: Under these, an old kind of tracing was switched on; the libraries refuse every run when they are
#: set and the new kind is off.
_OLD_NAMES = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")


def forget_old_names() -> None:
    """Take variables out of the process that would make the libraries refuse to work."""
    for name in _OLD_NAMES:
        os.environ.pop(name, None)  # noqa: TID251 -- not read, and nobody else can be told
