"""What can be set about meaning beside words; a group of ``Settings``, in a file of its own for
room.
"""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class SemanticSettings(BaseSettings):
    """The embedding model. Off or missing, texts are compared by their words alone."""

    # As every group: a variable set to nothing counts as not set.
    model_config = SettingsConfigDict(
        env_prefix="HELPDESK_SEMANTIC_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    enabled: bool = True
    #: An ONNX file of all-MiniLM-L6-v2; unset: the one of the installed package.
    model_path: Path | None = None
    #: Digest of the file at ``model_path``; unset: the one of the package's file.
    model_sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    #: The model's WordPiece vocabulary, one entry a line; unset: the one that ships.
    vocabulary_path: Path | None = None
