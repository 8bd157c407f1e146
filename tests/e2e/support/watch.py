"""Listens to a tab: what goes wrong in it without being seen fails the test."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, ConsoleMessage, Page

_REPORT_VIOLATIONS = """
document.addEventListener('securitypolicyviolation', (event) => {
  window.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`)
})
"""
#: How the page finds out that nobody is signed in.
_GUEST = re.compile(r"401 /api/auth/me$")


@dataclass
class Watch:
    """What a browser context reported.

    The console also tells of every answer of 400 and above. Those that a test is about are told
    beforehand with `expect`, and have to come.
    """

    problems: list[str] = field(default_factory=list)
    _expected: dict[str, int] = field(default_factory=dict)

    async def attach(self, context: BrowserContext) -> None:
        """Listen to every page of this context, from its first moment."""

        def report(_source: object, text: str) -> None:
            self.problems.append(f"content security policy: {text}")

        await context.expose_binding("reportViolation", report)
        await context.add_init_script(_REPORT_VIOLATIONS)
        context.on("page", self._listen)

    def expect(self, pattern: str) -> None:
        """Announce a console error such as ``401 /api/auth/login``, a regular expression."""
        self._expected.setdefault(pattern, 0)

    def verdict(self) -> list[str]:
        """Everything that should not have happened, and what did not happen though announced."""
        missing = [f"never came: {one}" for one, count in self._expected.items() if not count]
        return [*self.problems, *missing]

    def _listen(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error.stack}"))
        page.on("crash", lambda _: self.problems.append("the page crashed"))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type not in {"error", "warning"}:
            return
        text = _told(message)
        for pattern in self._expected:
            if re.search(pattern, text):
                self._expected[pattern] += 1
                return
        if not _GUEST.search(text):
            self.problems.append(f"console {message.type}: {text}")


def _told(message: ConsoleMessage) -> str:
    """The message; that of a failed load as status or reason, and path."""
    path = urlsplit(message.location["url"]).path
    if refused := re.search(r"responded with a status of (\d+)", message.text):
        return f"{refused[1]} {path}"
    if failed := re.search(r"Failed to load resource: (net::\S+)", message.text):
        return f"{failed[1]} {path}"
    return message.text
