"""The pages, as people see them: found by role and name."""

import re
from dataclasses import dataclass

from playwright.async_api import Locator, Page, expect

from tests.e2e.support.tabs import Tab

#: A question that no article answers.
UNRESOLVED = "Oracle Financials 403 error on budget reports"
#: Questions that one does.
VPN = "How do I install the VPN on my new laptop?"
PRINTER = "My printer shows offline, what can I do?"


@dataclass(frozen=True)
class SignIn:
    """The sign-in page."""

    page: Page

    @property
    def title(self) -> Locator:
        """The heading."""
        return self.page.get_by_role("heading", name="Sign in", exact=True)

    async def submit(self, username: str, password: str) -> None:
        """Fill in the form and send it."""
        await self.page.get_by_label("User name").fill(username)
        await self.page.get_by_label("Password", exact=True).fill(password)
        await self.page.get_by_role("button", name="Sign in").click()


@dataclass(frozen=True)
class Chat:
    """The chat page."""

    page: Page

    @classmethod
    async def opened(cls, tab: Tab, path: str = "/chat") -> "Chat":
        """The chat at this address."""
        await tab.go(path)
        chat = cls(tab.page)
        await expect(chat.composer).to_be_visible()
        return chat

    @property
    def composer(self) -> Locator:
        """Where one writes."""
        return self.page.get_by_role("textbox", name="Message")

    @property
    def questions(self) -> Locator:
        """One's own messages."""
        return self.page.get_by_role("article", name="You")

    @property
    def answers(self) -> Locator:
        """The answers, also one that is still arriving."""
        return self.page.get_by_role("article", name="Knowledge base")

    @property
    def stored_answers(self) -> Locator:
        """The answers that are complete."""
        return self.answers.filter(has=self.page.get_by_role("group", name="Was this helpful?"))

    @property
    def citations(self) -> Locator:
        """The numbers in the text that open a source."""
        return self.answers.get_by_role("button", name=re.compile(r"^Source \d+: "))

    @property
    def list(self) -> Locator:
        """The list of conversations."""
        return self.page.get_by_role("navigation", name="Conversations")

    @property
    def source(self) -> "Source":
        """The source that is open."""
        return Source(self.page, self.page.get_by_label("Source", exact=True))

    @property
    def missing(self) -> Locator:
        """Says that a conversation does not exist."""
        return self.page.get_by_text("This conversation does not exist")

    def mode(self, name: str) -> Locator:
        """One half of the switch between Ask and Agent."""
        return self.page.get_by_role("group", name="Mode").get_by_role("button", name=name)

    async def choose_mode(self, name: str) -> None:
        """Switch."""
        await self.mode(name).click()
        await expect(self.mode(name)).to_have_attribute("aria-pressed", "true")

    async def ask(self, question: str) -> Locator:
        """Send a question; its complete answer."""
        count = await self.stored_answers.count()
        await self.composer.fill(question)
        await self.composer.press("Enter")
        answer = self.stored_answers.nth(count)
        await expect(answer).to_be_visible()
        # The conversation has its address by now, so that a reload finds it.
        await expect(self.page).to_have_url(re.compile(r"/chat/[0-9a-f-]{36}$"))
        return answer

    async def open_account_menu(self) -> None:
        """The menu behind one's initials."""
        await self.page.get_by_role("button", name=re.compile("^Signed in as")).click()


@dataclass(frozen=True)
class Agent:
    """The agent in a chat."""

    page: Page

    @classmethod
    async def asked(cls, tab: Tab, question: str = UNRESOLVED) -> "Agent":
        """A new chat in which the agent was asked for help."""
        chat = await Chat.opened(tab)
        await chat.choose_mode("Agent")
        await chat.ask(question)
        agent = cls(tab.page)
        await agent.get_help.click()
        return agent

    @classmethod
    async def with_question(cls, tab: Tab) -> "Agent":
        """The agent waiting for an answer."""
        agent = await cls.asked(tab)
        await expect(agent.choice("My team")).to_be_visible()
        return agent

    @classmethod
    async def with_draft(cls, tab: Tab) -> "Agent":
        """The agent waiting for a yes to its draft."""
        agent = await cls.with_question(tab)
        await agent.choice("My team").click()
        await expect(agent.review).to_be_visible()
        return agent

    @property
    def chat(self) -> Chat:
        """The chat it is in."""
        return Chat(self.page)

    @property
    def get_help(self) -> Locator:
        """Asks for it."""
        return self.page.get_by_role("button", name="Get help", exact=True)

    @property
    def message(self) -> Locator:
        """What it does and says, one for each session."""
        return self.page.get_by_role("article", name="Agent")

    @property
    def bar(self) -> Locator:
        """How the open session stands."""
        return self.page.get_by_role("region", name="Agent session")

    @property
    def draft(self) -> Locator:
        """The draft in the log."""
        return self.page.get_by_role("region", name="Draft ticket")

    @property
    def review(self) -> Locator:
        """Opens the draft's window."""
        return self.draft.get_by_role("button", name="Review and file")

    @property
    def window(self) -> Locator:
        """The draft's window."""
        return self.page.get_by_role("dialog", name="Review before filing")

    @property
    def ticket(self) -> Locator:
        """The way from the outcome to the ticket."""
        outcome = self.message.get_by_role("region", name="Outcome")
        return outcome.get_by_role("link", name=re.compile(r"^Ticket #\d+$"))

    def choice(self, name: str) -> Locator:
        """An answer to pick; its number may stand in front."""
        return self.message.get_by_role("button", name=name)

    async def file(self) -> None:
        """Look the draft over and file it unchanged."""
        await self.review.click()
        await self.window.get_by_role("button", name="File it").click()
        await expect(self.ticket).to_be_visible()


@dataclass(frozen=True)
class Source:
    """An article with its cited passage, beside the chat, over it or as a page of its own."""

    page: Page
    box: Locator

    @property
    def title(self) -> Locator:
        """The title of the article."""
        return self.box.get_by_role("heading").first

    @property
    def highlight(self) -> Locator:
        """The words that are marked."""
        return self.box.locator("mark")

    async def marked_text(self) -> str:
        """All marked words."""
        await expect(self.highlight.first).to_be_in_viewport()
        return " ".join(" ".join(await self.highlight.all_inner_texts()).split())

    async def close(self) -> None:
        """By its button."""
        await self.box.get_by_role("button", name="Close").click()


def article_page(page: Page) -> Source:
    """An article at an address of its own."""
    return Source(page, page.get_by_role("main"))
