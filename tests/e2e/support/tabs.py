"""Opening browsers the way the people of these tests have them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Request

from tests.e2e.support.server import Helpdesk
from tests.e2e.support.watch import Watch

Look = Literal["light", "dark", "phone", "narrow"]

_PATIENCE_MS = 30_000
_SIZES = {"light": (1280, 800), "dark": (1280, 800), "phone": (390, 844), "narrow": (320, 640)}


@dataclass(frozen=True)
class Tab:
    """A page in a browser of its own, and the helpdesk it looks at."""

    helpdesk: Helpdesk
    context: BrowserContext
    page: Page
    watch: Watch

    async def go(self, path: str) -> None:
        """Open an address of the helpdesk."""
        await self.page.goto(f"{self.helpdesk.address}{path}")

    async def another(self) -> "Tab":
        """A second tab of the same browser."""
        return Tab(self.helpdesk, self.context, await self.context.new_page(), self.watch)

    async def protocol(self) -> CDPSession:
        """The browser's own protocol, for what a page object cannot do."""
        return await self.context.new_cdp_session(self.page)

    @property
    def path(self) -> str:
        """The address shown, without the origin."""
        return self.page.url.removeprefix(self.helpdesk.address)


@dataclass
class Visits:
    """The browsers of one test, each with cookies and storage of its own."""

    helpdesk: Helpdesk
    chromium: Browser
    _contexts: list[tuple[BrowserContext, Watch]] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    async def guest(self, look: Look = "light") -> Tab:
        """A tab of somebody who is not signed in, still empty."""
        width, height = _SIZES[look]
        is_phone = look in {"phone", "narrow"}
        context = await self.chromium.new_context(
            base_url=self.helpdesk.address,
            viewport={"width": width, "height": height},
            color_scheme="dark" if look == "dark" else "light",
            reduced_motion="reduce",
            locale="en-GB",
            timezone_id="UTC",
            has_touch=is_phone,
            is_mobile=is_phone,
            device_scale_factor=2 if is_phone else 1,
        )
        context.set_default_timeout(_PATIENCE_MS)
        watch = Watch()
        self._contexts.append((context, watch))
        await watch.attach(context)
        return Tab(self.helpdesk, context, await context.new_page(), watch)

    async def person(self, username: str = "maya", look: Look = "light") -> Tab:
        """A tab of somebody signed in, without conversations at first, still empty."""
        person = self.helpdesk.people[username]
        if username not in self._known:
            await self.helpdesk.forget_conversations_of(person)
            self._known.add(username)
        tab = await self.guest(look)
        answer = await tab.context.request.post(
            "/api/auth/login", data={"username": username, "password": person.password}
        )
        assert answer.ok, await answer.text()
        return tab

    async def end(self) -> None:
        """Close all; fails for what went wrong unseen."""
        problems = []
        for context, watch in self._contexts:
            await context.close()
            problems += watch.verdict()
        assert not problems, "The browser reported:\n" + "\n".join(problems)


@contextmanager
def requests_made(page: Page, method: str, ending: str) -> Iterator[list[str]]:
    """The addresses with this ending that are asked for meanwhile with this method."""
    made: list[str] = []

    def note(request: Request) -> None:
        if request.method == method and request.url.endswith(ending):
            made.append(request.url)

    page.on("request", note)
    try:
        yield made
    finally:
        page.remove_listener("request", note)
