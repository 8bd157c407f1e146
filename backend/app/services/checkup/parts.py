"""Checks of the parts that are set up or not: what decides, searches, files and looks for names.

Each is made the way a start makes it, so that what a start would refuse is found here first. Nobody
but the tracker is asked anything: of a model or a search, a call would cost.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from backend.app.core.errors import AppError
from backend.app.core.settings import Environment, Settings, UnsafeSettings
from backend.app.core.web_search_settings import WebSearchProvider
from backend.app.domain.checkup import Finding, fail, not_checked, ok, warn
from backend.app.domain.language_models import ModelRole
from backend.app.services.checkup.checks import Check

_OK, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 200, 401, 403, 404


@dataclass(frozen=True, slots=True)
class PartChecks:
    """Looks at what can be set up.

    Attributes:
        settings: as they are set.
        model: opens the models that are set; raises `UnsafeSettings` where they cannot be had.
        web_search: opens the search that is set; raises an `AppError` where it cannot be had.
        tracker: asks for the tracker's repository once; the HTTP status of the answer.
        has_names: whether the model for names is there, and is the known one.
        lacks_meaning: why there is no embedding model, or None where there is one.
    """

    settings: Settings
    model: Callable[[], AbstractAsyncContextManager[object]]
    web_search: Callable[[], AbstractAsyncContextManager[object]]
    tracker: Callable[[], Awaitable[int]]
    has_names: Callable[[], Awaitable[bool]]
    lacks_meaning: Callable[[], str | None]

    def checks(self) -> list[Check]:
        """One for each part."""
        looks = {
            "model": self.look_at_model,
            "tracker": self.look_at_tracker,
            "web_search": self.look_at_web_search,
            "names": self.look_at_names,
            "semantic_search": self.look_at_semantic_search,
        }
        return [Check(part, look) for part, look in looks.items()]

    async def look_at_model(self) -> Sequence[Finding]:
        """Whether the models are named and their library is installed; none is asked."""
        model = self.settings.model
        if not model.is_live:
            return [ok("model", "No model is set up: the rules decide.")]
        try:
            async with self.model():
                pass
        except UnsafeSettings as error:
            advice = "Correct it, or unset HELPDESK_MODEL_PROVIDER to go by rules."
            return [fail("model", f"{error}.", advice)]
        named: dict[str, list[str]] = {}
        for role in ModelRole:
            named.setdefault(str(model.model_of(role.value)), []).append(role.value)
        told = "; ".join(f"{name} ({', '.join(roles)})" for name, roles in named.items())
        return [ok("model", f"{model.provider.value}: {told}. None was asked.")]

    async def look_at_tracker(self) -> Sequence[Finding]:
        """Whether the tracker accepts our token and shows the repository to it."""
        part, github = "tracker", self.settings.github
        if github.token is None and github.repo is None:
            told = "No outside tracker is set up: tickets stay on our own desk."
            return [ok(part, told)]
        if not github.is_configured:
            lacking = "GITHUB_TOKEN" if github.token is None else "GITHUB_REPO"
            told = f"{lacking} is not set: tickets stay on our own desk."
            return [warn(part, told, f"Set {lacking}, or unset the other.")]
        if self.settings.server.environment is Environment.TEST and github.is_elsewhere:
            told = "HELPDESK_ENVIRONMENT=test asks nobody outside this machine."
            return [not_checked(part, told)]
        try:
            status = await self.tracker()
        except AppError:
            told = f"{github.api_url} gave no answer. What is filed waits for it."
            advice = "See whether it is away, or whether this machine may reach it."
            return [warn(part, told, advice)]
        return [_of_repository(part, str(github.repo), status)]

    async def look_at_web_search(self) -> Sequence[Finding]:
        """Whether its key or its pages are there; it is not asked."""
        part, chosen = "web_search", self.settings.web_search
        if chosen.provider is WebSearchProvider.OFF:
            return [not_checked(part, "None is set up; the agent does without.")]
        try:
            async with self.web_search():
                pass
        except AppError as error:
            advice = "Correct it, or HELPDESK_WEB_SEARCH_PROVIDER=off."
            return [fail(part, f"{error.detail}.", advice)]
        if chosen.provider is WebSearchProvider.LOCAL:
            return [ok(part, f"local: the pages of {chosen.path} can be read.")]
        return [ok(part, f"{chosen.provider.value}: a key is set. It was not asked.")]

    async def look_at_names(self) -> Sequence[Finding]:
        """Whether names of people are found in what leaves the house."""
        part, settings = "names", self.settings
        if settings.leaving.enabled and await self.has_names():
            return [ok(part, "The model's files are there, and are the known ones.")]
        if not (settings.github.is_configured or settings.web_search.leaves_this_machine):
            return [ok(part, "Names are not looked for; nothing leaves the house.")]
        if not settings.leaving.enabled:
            told = "HELPDESK_NAMES_ENABLED=false: names of people leave the house."
            return [warn(part, told, "Unset it, unless that is what you want.")]
        told = "The model's files are missing or not the known ones: names leave the house."
        advice = "Install the packages of this version's lock file; see HELPDESK_NAMES_MODEL_DIR."
        return [warn(part, told, advice)]

    async def look_at_semantic_search(self) -> Sequence[Finding]:
        """Whether tickets are compared by meaning too."""
        part = "semantic_search"
        if not self.settings.semantic.enabled:
            return [ok(part, "Switched off: tickets are compared by their words.")]
        lacking = self.lacks_meaning()
        if lacking is None:
            told = "Tickets are compared by words and meaning; articles are found by words."
            return [ok(part, told)]
        advice = (
            "Install the packages of this version's lock file; see HELPDESK_SEMANTIC_MODEL_PATH."
        )
        return [warn(part, f"Tickets are compared by their words alone: {lacking}.", advice)]


def _of_repository(part: str, repo: str, status: int) -> Finding:
    if status == _OK:
        return ok(part, f"The token is accepted, and shows {repo}.")
    if status == _UNAUTHORIZED:
        told = "The tracker does not accept GITHUB_TOKEN."
        return fail(part, told, "Make a new token, and restart the servers with it.")
    if status in {_FORBIDDEN, _NOT_FOUND}:
        told = f"There is no {repo}, or not for this token (HTTP {status})."
        return fail(part, told, "Correct GITHUB_REPO, or give the token access to its issues.")
    told = f"The tracker answered HTTP {status} for {repo}. What is filed waits for it."
    return warn(part, told, "Look again later; if it stays, see GITHUB_API_URL and GITHUB_REPO.")
