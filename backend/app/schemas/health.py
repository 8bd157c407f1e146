"""How the helpdesk is."""

from typing import Literal

from backend.app.schemas.base import WireModel


class HealthReport(WireModel):
    """Whether the helpdesk can serve people right now."""

    status: Literal["ok", "unavailable"]
    version: str
    database: Literal["ok", "unavailable"]
    ui: Literal["built", "missing", "off"]
    #: Whether texts are compared by meaning too; off: by their words alone.
    semantic: Literal["on", "off"]


class Liveness(WireModel):
    """The process answers; nothing is said of what it depends on."""

    status: Literal["ok"]
