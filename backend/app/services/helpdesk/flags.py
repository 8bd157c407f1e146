"""Switches over running work: the settings give where they start, the database where they stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from backend.app.core.settings import AgentSettings
from backend.app.domain.budgets import Tools


class Flag(StrEnum):
    """What can be switched while the program runs."""

    ENABLED = "enabled"
    KILL_SWITCH = "kill_switch"
    TOOL_KB_RETRY = "tool_kb_retry"
    TOOL_WEB_SEARCH = "tool_web_search"
    TOOL_GITHUB_SEARCH = "tool_github_search"
    TOOL_FILE_TICKET = "tool_file_ticket"


@dataclass(frozen=True, slots=True)
class Flags:
    """Where every switch stands: ``switched`` is what was set, the settings give the rest."""

    settings: AgentSettings
    switched: Mapping[str, bool]

    def is_on(self, flag: Flag) -> bool:
        """Whether a switch is on. The kill switch is when either says so."""
        start = bool(getattr(self.settings, flag.value))
        if flag is Flag.KILL_SWITCH:
            return start or self.switched.get(flag, False)
        return self.switched.get(flag, start)

    @property
    def tools(self) -> Tools:
        """The tools that are switched on."""
        return Tools(
            retry_kb=self.is_on(Flag.TOOL_KB_RETRY),
            web_search=self.is_on(Flag.TOOL_WEB_SEARCH),
            search_duplicates=self.is_on(Flag.TOOL_GITHUB_SEARCH),
        )
