"""stub"""

from dataclasses import dataclass
from backend.app.schemas.helpdesk import AgentStep, AgentTurn


@dataclass(frozen=True, slots=True)
class Told:
    seq: int
    event: AgentStep | AgentTurn


class HelpdeskSessions: ...
