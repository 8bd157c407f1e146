"""What can be set, one frozen class per concern.

Read once, in ``main`` or a script, and passed down by group; nothing else reads the environment.
`.env.example` lists every name with its default, held equal to these fields by a test. Switches
that must act on running work are no settings but rows in the database.
"""

from datetime import timedelta
from enum import StrEnum
from ipaddress import IPv4Network, IPv6Network, ip_address
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from backend.app.core.checkpoint_settings import CheckpointBackend as CheckpointBackend
from backend.app.core.checkpoint_settings import CheckpointSettings as CheckpointSettings
from backend.app.core.database_url import for_the_driver
from backend.app.core.github_settings import GitHubSettings
from backend.app.core.job_settings import JobSettings
from backend.app.core.leaving_settings import GitHubTextSettings, LeavingSettings
from backend.app.core.model_settings import ModelSettings
from backend.app.core.semantic_settings import SemanticSettings
from backend.app.core.trace_settings import TraceSettings
from backend.app.core.web_search_settings import WebSearchSettings


class UnsafeSettings(Exception):
    """A combination of settings that must not serve people; the message names the setting."""


class Environment(StrEnum):
    """Where the program runs; production refuses what is only fit for one person's machine."""

    DEVELOPMENT = "development"
    PRODUCTION = "production"
    TEST = "test"


def _group(prefix: str) -> SettingsConfigDict:
    # A variable set to nothing counts as not set, or an empty token would open what it guards.
    return SettingsConfigDict(env_prefix=prefix, frozen=True, extra="ignore", env_ignore_empty=True)


def _listed(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]


class ServerSettings(BaseSettings):
    """Address, exposure and limits of the HTTP edge."""

    model_config = _group("HELPDESK_")

    environment: Environment = Environment.DEVELOPMENT
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    #: The address people type, e.g. ``https://help.example.org``. HTTPS makes cookies ``__Host-``
    #: and ``Secure``.
    public_url: str | None = None
    #: Serve people other than on loopback without TLS. Passwords then travel in the clear.
    insecure_http: bool = False
    #: Networks of reverse proxies whose ``X-Forwarded-For`` is believed; comma-separated.
    trusted_proxies: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = ()
    max_body_bytes: int = Field(default=1_048_576, ge=1024, le=104_857_600)
    #: How long a request may take until its answer begins, whatever it waits for.
    request_seconds: float = Field(default=9.0, gt=0, le=600)
    #: Requests that are worked on at the same time; the others wait their turn.
    requests_at_once: int = Field(default=40, ge=1, le=10_000)
    #: Built web page; unset: the one in the source tree.
    ui_dir: Path | None = None
    ui_enabled: bool = True

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _split_networks(cls, value: Any) -> Any:
        return _listed(value) if isinstance(value, str) else value

    @field_validator("public_url")
    @classmethod
    def _is_an_origin(cls, value: str | None) -> str | None:
        if value is None or value == "":
            return None
        parts = urlsplit(value)
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or parts.path not in {"", "/"}
            or parts.query
            or parts.username
        ):
            raise ValueError("must be an origin such as https://help.example.org, without a path")
        # As a browser writes an origin: lower case, without the scheme's own port.
        default_port = {"http": 80, "https": 443}[parts.scheme]
        port = "" if parts.port in {None, default_port} else f":{parts.port}"
        name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return f"{parts.scheme}://{name}{port}"

    @property
    def is_https(self) -> bool:
        """Whether people reach the page by HTTPS, as far as the settings say."""
        return self.public_url is not None and self.public_url.startswith("https://")

    @property
    def listens_on_loopback(self) -> bool:
        """Whether only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def allowed_hosts(self) -> frozenset[str] | None:
        """Host names that requests may carry (against DNS rebinding); None when any is taken."""
        if self.insecure_http and self.public_url is None:
            return None
        names = {"localhost", "127.0.0.1", "::1"}
        if self.public_url is not None:
            names.add(urlsplit(self.public_url).hostname or "")
        return frozenset(names)


class DatabaseSettings(BaseSettings):
    """The one database. Without a URL the program starts an embedded server of its own."""

    model_config = _group("DATABASE_")

    url: SecretStr | None = None
    pool_size: int = Field(default=10, ge=1, le=200)
    pool_timeout_seconds: float = Field(default=5.0, gt=0, le=60)
    connect_timeout_seconds: float = Field(default=5.0, gt=0, le=60)
    statement_timeout_seconds: float = Field(default=10.0, gt=0, le=600)

    @field_validator("url")
    @classmethod
    def _is_for_the_driver(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None or not value.get_secret_value():
            return None
        return SecretStr(for_the_driver(value.get_secret_value()))


class IdentitySettings(BaseSettings):
    """Sign-in, browser sessions and access tokens."""

    model_config = _group("HELPDESK_AUTH_")

    session_idle_hours: int = Field(default=72, ge=1, le=8760)
    session_max_days: int = Field(default=30, ge=1, le=366)
    sign_in_attempts: int = Field(default=10, ge=1, le=1000)
    sign_in_window_seconds: int = Field(default=300, ge=1, le=86_400)

    @property
    def session_idle(self) -> timedelta:
        """How long an unused session stays valid."""
        return timedelta(hours=self.session_idle_hours)

    @property
    def session_max(self) -> timedelta:
        """How long a session stays valid at most."""
        return timedelta(days=self.session_max_days)

    @property
    def sign_in_window(self) -> timedelta:
        """The window in which sign-in attempts are counted."""
        return timedelta(seconds=self.sign_in_window_seconds)


class ChatSettings(BaseSettings):
    """The chat and its answers."""

    model_config = _group("HELPDESK_CHAT_")

    default_mode: str = Field(default="agent", pattern="^(ask|agent)$")
    messages_per_minute: int = Field(default=30, ge=1, le=10_000)


class AgentSettings(BaseSettings):
    """The intake agent: who may use it, and what one session may spend.

    What is said here of switches holds until one is set while the program runs (``switches``);
    the kill switch is on when either says so.
    """

    model_config = _group("HELPDESK_AGENT_")

    enabled: bool = True
    #: Only these accounts (ids, comma-separated) may start sessions; empty: everybody.
    enabled_user_ids: Annotated[tuple[UUID, ...], NoDecode] = ()
    kill_switch: bool = False
    max_turns: int = Field(default=8, ge=1, le=50)
    max_questions: int = Field(default=2, ge=0, le=10)
    max_tool_retries: int = Field(default=2, ge=0, le=10)
    max_tokens_per_session: int = Field(default=20_000, ge=0, le=10_000_000)
    #: Active time of a session; the time in which a person thinks is not counted.
    deadline_seconds: float = Field(default=60.0, gt=0, le=3600)
    max_sessions_per_user_per_day: int = Field(default=10, ge=1, le=100_000)
    tool_kb_retry: bool = True
    tool_web_search: bool = True
    tool_github_search: bool = True
    tool_file_ticket: bool = True
    #: Of every block of outside text that a model is shown.
    tool_output_max_chars: int = Field(default=4000, ge=200, le=100_000)

    @field_validator("enabled_user_ids", mode="before")
    @classmethod
    def _split_ids(cls, value: Any) -> Any:
        return _listed(value) if isinstance(value, str) else value

    @property
    def deadline(self) -> timedelta:
        """The active time of a session."""
        return timedelta(seconds=self.deadline_seconds)


class RunSettings(BaseSettings):
    """How runs are owned: by a lease that is renewed, and swept up when it lapses."""

    model_config = _group("HELPDESK_RUN_")

    lease_seconds: float = Field(default=6.0, ge=0.3, le=300)
    heartbeat_seconds: float = Field(default=2.0, ge=0.05, le=100)
    sweep_seconds: float = Field(default=2.0, ge=0.05, le=300)
    takeovers: int = Field(default=1, ge=0, le=10)
    #: Runs that one process drives at the same time; others wait their turn.
    at_once: int = Field(default=32, ge=1, le=10_000)
    abort_wait_seconds: float = Field(default=1.0, ge=0.05, le=60)
    #: How long a run may go on past its allowance in order to end in good order.
    grace_seconds: float = Field(default=20.0, ge=0.05, le=300)
    max_clock_skew_seconds: float = Field(default=0.5, ge=0.05, le=60)

    @property
    def lease(self) -> timedelta:
        """How long a claim holds without a heartbeat."""
        return timedelta(seconds=self.lease_seconds)


class ObservabilitySettings(BaseSettings):
    """Logs, the audit file and metrics."""

    model_config = _group("HELPDESK_")

    log_level: str = Field(default="info", pattern="^(debug|info|warning|error)$")
    log_format: str = Field(default="auto", pattern="^(auto|text|json)$")
    #: Folder of the audit file; unset: ``logs`` below the data folder.
    log_dir: Path | None = None
    metrics_token: SecretStr | None = None
    fact_poll_seconds: float = Field(default=1.0, gt=0, le=60)
    facts_kept_days: int = Field(default=365, ge=1, le=3660)
    page_telemetry: bool = True


class Settings(BaseModel):
    """Everything that can be set, by group. Has no names of its own in the environment."""

    model_config = ConfigDict(frozen=True)

    server: ServerSettings = Field(default_factory=ServerSettings)
    database: DatabaseSettings = Field(default_factory=DatabaseSettings)
    identity: IdentitySettings = Field(default_factory=IdentitySettings)
    chat: ChatSettings = Field(default_factory=ChatSettings)
    agent: AgentSettings = Field(default_factory=AgentSettings)
    leaving: LeavingSettings = Field(default_factory=LeavingSettings)
    github_text: GitHubTextSettings = Field(default_factory=GitHubTextSettings)
    checkpoints: CheckpointSettings = Field(default_factory=CheckpointSettings)
    runs: RunSettings = Field(default_factory=RunSettings)
    jobs: JobSettings = Field(default_factory=JobSettings)
    web_search: WebSearchSettings = Field(default_factory=WebSearchSettings)
    model: ModelSettings = Field(default_factory=ModelSettings)
    github: GitHubSettings = Field(default_factory=GitHubSettings)
    semantic: SemanticSettings = Field(default_factory=SemanticSettings)
    observability: ObservabilitySettings = Field(default_factory=ObservabilitySettings)
    traces: TraceSettings = Field(default_factory=TraceSettings)

    def refuse_if_unsafe(self) -> None:
        """Raise `UnsafeSettings` for a combination that would expose people's passwords or data."""
        server = self.server
        if lacking := self.model.lacking():
            raise UnsafeSettings(lacking)
        if not server.listens_on_loopback and not server.is_https and not server.insecure_http:
            raise UnsafeSettings(
                f"HELPDESK_HOST={server.host} would serve other machines without TLS: set"
                " HELPDESK_PUBLIC_URL to the https:// address of the proxy in front, or"
                " HELPDESK_INSECURE_HTTP=true to accept the risk"
            )
        if server.environment is Environment.TEST and self.github.is_elsewhere:
            raise UnsafeSettings("GITHUB_API_URL is refused with HELPDESK_ENVIRONMENT=test")
        if server.environment is Environment.PRODUCTION:
            if server.insecure_http:
                raise UnsafeSettings(
                    "HELPDESK_INSECURE_HTTP=true is refused with HELPDESK_ENVIRONMENT=production"
                )
            if self.database.url is None:
                raise UnsafeSettings(
                    "DATABASE_URL must be set with HELPDESK_ENVIRONMENT=production"
                )


#: Every group, by which an error's title is traced to the names in the environment.
SETTINGS_GROUPS: tuple[type[BaseSettings], ...] = (
    ServerSettings,
    DatabaseSettings,
    IdentitySettings,
    ChatSettings,
    AgentSettings,
    LeavingSettings,
    GitHubTextSettings,
    CheckpointSettings,
    RunSettings,
    JobSettings,
    WebSearchSettings,
    ModelSettings,
    GitHubSettings,
    SemanticSettings,
    ObservabilitySettings,
    TraceSettings,
)
