"""What is asked of a language model, and what it may answer: the port, and the words for it.

Who asks hands over two texts and the form of the answer; who answers hands back JSON values and
what they cost. Everything a model says is data: its form is checked by whoever asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class ModelRole(StrEnum):
    """The closed set of skills that a model is asked for."""

    SUPERVISOR = "supervisor"
    CLARIFIER = "clarifier"
    CLASSIFIER = "classifier"
    PROPOSER = "proposer"
    WRITER = "writer"


class ModelFault(StrEnum):
    """Why a model gave no usable answer; a closed set."""

    UNREACHABLE = "unreachable"
    TIMED_OUT = "timed_out"
    THROTTLED = "throttled"
    #: Credentials, permissions, or a model that does not exist: only a person can help.
    NOT_ALLOWED = "not_allowed"
    #: The provider answered that it cannot, or in a way nobody foresaw.
    BROKEN = "broken"
    #: The model declined, or the provider's filter did.
    DECLINED = "declined"
    TRUNCATED = "truncated"
    #: An answer, but not of the form that was asked for.
    UNUSABLE = "unusable"
    #: Not asked at all: tokens or time of the session are used up.
    SPENT = "spent"

    @property
    def is_away(self) -> bool:
        """Whether asking again soon is of no use."""
        return self in _AWAY


_AWAY = frozenset(
    {
        ModelFault.UNREACHABLE,
        ModelFault.TIMED_OUT,
        ModelFault.THROTTLED,
        ModelFault.NOT_ALLOWED,
        ModelFault.BROKEN,
    }
)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were read and written, by the provider's own count."""

    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def total(self) -> int:
        """Both together."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One question to a model.

    ``system`` says what is to be done and is ours; ``user`` is the material, in which everything
    from outside is fenced. ``schema`` is the JSON schema of the answer, an object with a title.
    ``max_tokens`` bounds the answer; ``seconds`` is how long is waited for it.
    """

    role: ModelRole
    system: str
    user: str
    schema: Mapping[str, Any]
    max_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """JSON values as the model gave them, not yet held against the form, and their cost."""

    data: Any
    usage: Usage = field(default_factory=Usage)


class ModelFailed(Exception):
    """A model gave no answer that could be read; ``usage`` is what that cost."""

    def __init__(self, fault: ModelFault, usage: Usage | None = None) -> None:
        super().__init__(fault.value)
        self.fault = fault
        self.usage = usage or Usage()


class LanguageModel(Protocol):
    """A model, whichever family it is of: one method, one structured call."""

    async def ask(self, call: ModelCall) -> ModelAnswer:
        """What the model answers.

        Raises:
            ModelFailed: it gave no answer in time, or none that is JSON.
        """
