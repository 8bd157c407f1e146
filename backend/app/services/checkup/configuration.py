"""Checks of the settings: what is unsafe, what contradicts itself, what sets nothing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from backend.app.core.setting_names import misspelt
from backend.app.core.settings import CheckpointBackend, Environment, Settings, UnsafeSettings
from backend.app.domain.checkup import Finding, fail, ok, warn
from backend.app.services.checkup.checks import Check

_SHORT_TOKEN = 16
#: A claim must outlive this many missed heartbeats.
_HEARTBEATS_PER_LEASE = 2


def misspelt_settings(names: Iterable[str]) -> Sequence[Finding]:
    """Variables that begin like settings and are none; their values are not looked at."""
    found = misspelt(names)
    if not found:
        return [ok("setting_names", "Every variable that begins like a setting is one.")]
    told = "; ".join(
        f"{name} sets nothing{f' (meant: {meant}?)' if meant else ''}"
        for name, meant in found.items()
    )
    return [warn("setting_names", f"{told}.", "Correct or remove them; see .env.example.")]


@dataclass(frozen=True, slots=True)
class SettingChecks:
    """Looks at the settings as a whole; each by itself was looked at when they were read."""

    settings: Settings
    names: Sequence[str]

    def checks(self) -> list[Check]:
        """Both kinds."""
        return [Check("settings", self.look), Check("setting_names", self.look_at_names)]

    async def look(self) -> Sequence[Finding]:
        """What a start refuses, and what it takes but does not go together."""
        try:
            self.settings.refuse_if_unsafe()
        except UnsafeSettings as error:
            return [fail("settings", f"{error}.", "See On a network in the manual.")]
        found = list(self._doubts())
        return found or [ok("settings", "They are valid, safe and go together.")]

    async def look_at_names(self) -> Sequence[Finding]:
        """Names that set nothing."""
        return misspelt_settings(self.names)

    def _doubts(self) -> Iterator[Finding]:
        for told, advice in self._pairs():
            yield warn("settings", told, advice)

    def _pairs(self) -> Iterator[tuple[str, str]]:
        server, runs = self.settings.server, self.settings.runs
        if server.insecure_http and not server.listens_on_loopback:
            yield (
                "HELPDESK_INSECURE_HTTP: passwords travel in the clear.",
                "Put a proxy that ends TLS in front and set HELPDESK_PUBLIC_URL.",
            )
        if server.is_https and not server.trusted_proxies:
            yield (
                "HELPDESK_PUBLIC_URL is HTTPS and HELPDESK_TRUSTED_PROXIES is not set: all people"
                " share one sign-in limit per source.",
                "Set HELPDESK_TRUSTED_PROXIES to the proxy's network.",
            )
        if runs.lease_seconds < _HEARTBEATS_PER_LEASE * runs.heartbeat_seconds:
            yield (
                f"HELPDESK_RUN_LEASE_SECONDS ({runs.lease_seconds:g}) is less than twice"
                f" HELPDESK_RUN_HEARTBEAT_SECONDS ({runs.heartbeat_seconds:g}): one missed"
                " heartbeat loses a run.",
                "Raise the first or lower the second.",
            )
        backend = self.settings.checkpoints.backend
        if backend is not CheckpointBackend.POSTGRES:
            yield (
                f"HELPDESK_AGENT_CHECKPOINT_BACKEND={backend.value} serves one process only.",
                "Use postgres for more than trying things out.",
            )
        if self.settings.agent.kill_switch:
            yield (
                "HELPDESK_AGENT_KILL_SWITCH=true: nobody can start, answer or confirm.",
                "Unset it when the reason is gone.",
            )
        token = self.settings.observability.metrics_token
        if token is not None and len(token.get_secret_value()) < _SHORT_TOKEN:
            yield (
                f"HELPDESK_METRICS_TOKEN has fewer than {_SHORT_TOKEN} characters.",
                "Take a long random one.",
            )
        if self.settings.traces.tracing_v2 and self.settings.traces.api_key is None:
            yield (
                "LANGCHAIN_TRACING_V2=true without LANGCHAIN_API_KEY: LangSmith takes no traces.",
                "Set the key, or leave tracing off.",
            )
        is_debugging = self.settings.observability.log_level == "debug"
        if is_debugging and server.environment is Environment.PRODUCTION:
            yield (
                "HELPDESK_LOG_LEVEL=debug in production fills the disk.",
                "Set it to info.",
            )
