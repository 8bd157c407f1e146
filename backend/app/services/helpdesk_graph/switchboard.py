"""Setting switches while the program runs."""

from dataclasses import dataclass

from backend.app.core.settings import AgentSettings
from backend.app.db.uow import UnitOfWork
from backend.app.domain.agent_events import SwitchSet
from backend.app.domain.principals import UserId
from backend.app.domain.runs import AbortReason, GraphKind
from backend.app.services.helpdesk.flags import Flag, Flags


@dataclass(frozen=True, slots=True)
class Switchboard:
    """Reads and sets switches; the kill switch also ends what runs."""

    uow: UnitOfWork
    settings: AgentSettings

    async def positions(self) -> dict[Flag, bool]:
        """Where every switch stands."""
        async with self.uow() as work:
            flags = Flags(self.settings, await work.switches.all())
        return {flag: flags.is_on(flag) for flag in Flag}

    async def may_start(self, person: UserId) -> bool:
        """Whether sessions are switched on, for this person; the page offers no help else."""
        allowed = self.settings.enabled_user_ids
        is_on = (await self.positions())[Flag.ENABLED]
        return is_on and (not allowed or person in allowed)

    async def set(self, flag: Flag, *, is_on: bool | None) -> None:
        """Set a switch, on every replica from its next step on; None: as the settings say."""
        async with self.uow() as work:
            await work.switches.set(flag.value, is_on=is_on)
            await work.facts.tell(SwitchSet(name=flag.value, is_on=is_on))
            if flag is Flag.KILL_SWITCH and is_on:
                await work.runs.request_abort_all(GraphKind.HELPDESK, AbortReason.KILL_SWITCH)
