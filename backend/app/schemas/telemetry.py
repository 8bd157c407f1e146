"""What the page tells of how it is used: closed names with closed properties, and no text."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from backend.app.domain.chat import ChatMode
from backend.app.schemas.base import RequestModel, WireModel

MAX_EVENTS = 20


class ChipKind(StrEnum):
    """What a chip leads to."""

    GET_HELP = "get_help"
    SWITCH_TO_AGENT = "switch_to_agent"
    QUICK_REPLY = "quick_reply"


class FromState(StrEnum):
    """How the session stood when somebody wanted to end it."""

    STARTING = "starting"
    RUNNING = "running"
    AWAITING_USER = "awaiting_user"
    AWAITING_CONFIRM = "awaiting_confirm"
    CONFIRMING = "confirming"
    OTHER = "other"


class ErrorKindShown(StrEnum):
    """Which kind of problem a person was shown."""

    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    CONFLICT = "conflict"
    EXPIRED = "expired"
    LIMIT = "limit"
    UNAVAILABLE = "unavailable"
    FAULT = "fault"
    OTHER = "other"


class ModeSwitched(RequestModel):
    """The mode of a chat was changed."""

    name: Literal["agent.mode_switched"]
    # On the wire the properties have the requirement's names, of which one is a word of Python.
    origin: ChatMode = Field(alias="from")
    to: ChatMode

    def detail(self) -> str:
        """The properties in one label."""
        return f"{self.origin}>{self.to}"


class ChipClicked(RequestModel):
    """A chip was pressed; positions count from one."""

    name: Literal["agent.chip_clicked"]
    chip_kind: ChipKind
    position: int = Field(ge=1, le=9)

    def detail(self) -> str:
        """The properties in one label."""
        return f"{self.chip_kind}:{self.position}"


class ResumedVia(RequestModel):
    """A question was answered."""

    name: Literal["agent.resumed_via"]
    via: Literal["chip", "free_text"]

    def detail(self) -> str:
        """The properties in one label."""
        return self.via


class ModalOpened(RequestModel):
    """The draft's window was opened."""

    name: Literal["agent.modal_opened"]
    trigger: Literal["button"]

    def detail(self) -> str:
        """The properties in one label."""
        return self.trigger


class ModalLeft(RequestModel):
    """The draft's window was left: with a yes, or without one."""

    name: Literal["agent.modal_submitted", "agent.modal_cancelled"]

    def detail(self) -> str:
        """It has no properties."""
        return ""


class CancelClicked(RequestModel):
    """Somebody wanted to end a session."""

    name: Literal["agent.cancel_clicked"]
    from_state: FromState

    def detail(self) -> str:
        """The properties in one label."""
        return self.from_state


class ErrorShown(RequestModel):
    """A person was shown a problem."""

    name: Literal["agent.error_shown"]
    kind: ErrorKindShown

    def detail(self) -> str:
        """The properties in one label."""
        return self.kind


TelemetryEvent = Annotated[
    ModeSwitched | ChipClicked | ResumedVia | ModalOpened | ModalLeft | CancelClicked | ErrorShown,
    Field(discriminator="name"),
]


class TelemetryBatch(RequestModel):
    """What happened in the page since it told the last time."""

    events: list[TelemetryEvent] = Field(min_length=1, max_length=MAX_EVENTS)


class TelemetryTaken(WireModel):
    """Whether more of it is wanted: False when telemetry is switched off."""

    is_wanted: bool
