"""What can be set of language models."""

from enum import StrEnum

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class ModelProvider(StrEnum):
    """Who answers; ``rules`` needs nobody."""

    RULES = "rules"
    BEDROCK = "bedrock"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"


class ModelSettings(BaseSettings):
    """Which language models the agent thinks with. Without any it goes by rules."""

    model_config = SettingsConfigDict(
        env_prefix="HELPDESK_MODEL_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    provider: ModelProvider = ModelProvider.RULES
    #: The model of every skill that has none of its own, by the provider's name or id for it.
    default: str | None = None
    supervisor: str | None = None
    clarifier: str | None = None
    classifier: str | None = None
    proposer: str | None = None
    writer: str | None = None
    #: Another address than the provider's own, such as that of Ollama, llama.cpp or vLLM.
    base_url: str | None = None
    #: Of Bedrock; unset: as the AWS libraries find it.
    region: str | None = None
    #: Of Anthropic and OpenAI-compatible providers; unset: as their libraries find it.
    api_key: SecretStr | None = None
    #: Of Bedrock; unset: as the AWS libraries find them (profile, role, instance).
    aws_access_key_id: SecretStr | None = None
    aws_secret_access_key: SecretStr | None = None
    aws_session_token: SecretStr | None = None
    #: How long one answer may take; less where the session has less time left.
    timeout_seconds: float = Field(default=15.0, ge=0.05, le=300)
    connect_timeout_seconds: float = Field(default=3.0, ge=0.05, le=60)
    #: Questions to models that one process has open at the same time.
    at_once: int = Field(default=16, ge=1, le=256)

    @property
    def is_live(self) -> bool:
        """Whether a model is asked at all."""
        return self.provider is not ModelProvider.RULES

    def model_of(self, role: str) -> str | None:
        """The model for a skill."""
        own: str | None = getattr(self, role)
        return own or self.default

    def lacking(self) -> str | None:
        """What must be set before a model can be asked, in a sentence; None when nothing is."""
        if not self.is_live:
            return None
        roles = ("supervisor", "clarifier", "classifier", "proposer", "writer")
        if not all(self.model_of(role) for role in roles):
            return (
                f"HELPDESK_MODEL_DEFAULT must name a model of HELPDESK_MODEL_PROVIDER="
                f"{self.provider.value}"
            )
        if (self.aws_access_key_id is None) != (self.aws_secret_access_key is None):
            return (
                "HELPDESK_MODEL_AWS_ACCESS_KEY_ID and HELPDESK_MODEL_AWS_SECRET_ACCESS_KEY"
                " must be set together"
            )
        return None
