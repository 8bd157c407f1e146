"""Text that means harm is text: in a question, in the list, in an article."""

import json

import pytest
from playwright.async_api import Page, expect

from tests.e2e.support.pages import Chat, article_page
from tests.e2e.support.tabs import Tab

pytestmark = pytest.mark.e2e

HARM = (
    "<script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'>"
    "<svg onload='window.harmed = 1'> [click](javascript:window.harmed=1) {{ 7 * 7 }} "
)
#: Right-to-left override, isolates, zero-width space and joiners, soft hyphen, stacked accents.
STRANGE = (
    "\u202egnp.exe\u202c \u2066a\u2069 zero\u200bwidth\u200d\u2060 soft\u00adhyphen z\u0310\u0310 "
)
LONGEST = 8_000


async def is_unharmed(page: Page) -> None:
    assert await page.evaluate("window.harmed") is None
    assert await page.locator("#app :is(script, iframe, object, img)").count() == 0
    assert await page.locator("a[href^='javascript:' i]").count() == 0
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(sideways) <= 0


async def test_a_hostile_question_is_shown_as_it_was_written(maya: Tab) -> None:
    text = (HARM + STRANGE + "W" * 7_900)[:7_900]
    chat = await Chat.opened(maya)
    await chat.ask(text)
    shown = chat.questions.first.locator("div").first
    assert (await shown.text_content() or "").strip() == text
    await expect(chat.list.get_by_role("link")).to_contain_text("<script>")
    await is_unharmed(maya.page)

    await maya.page.reload()
    assert (await shown.text_content() or "").strip() == text
    await is_unharmed(maya.page)


async def test_a_text_that_is_too_long_is_counted_and_not_sent(maya: Tab) -> None:
    chat = await Chat.opened(maya)
    await chat.composer.fill("x" * (LONGEST + 2_000))
    await expect(maya.page.get_by_text("2000 characters too long")).to_be_visible()
    await expect(maya.page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
    await chat.composer.fill("x" * LONGEST)
    await expect(maya.page.get_by_text("0 characters left")).to_be_visible()
    await expect(maya.page.get_by_role("button", name="Send", exact=True)).to_be_enabled()


async def test_a_hostile_article_is_shown_inert(maya: Tab) -> None:
    article = {
        "id": "quagga",
        "title": "<img src=x onerror='window.harmed = 1'> Quagga quarantine",
        "text": f"Quagga quarantine needs a zebra stamp. {HARM}\n\n<iframe src='/'></iframe>\n",
    }
    file = maya.helpdesk.data / "hostile.jsonl"
    file.write_text(json.dumps(article) + "\n")
    maya.helpdesk.admin("knowledge", "import", "--jsonl", str(file), "--collection", "hostile")
    try:
        chat = await Chat.opened(maya)
        await chat.ask("quagga quarantine zebra stamp")
        await expect(chat.citations.first).to_be_visible()
        await is_unharmed(maya.page)
        await chat.citations.first.click()
        await expect(chat.source.title).to_contain_text("<img src=x")
        await is_unharmed(maya.page)
        link = chat.source.box.get_by_role("link", name="Open in a new tab")
        await maya.go(await link.get_attribute("href") or "")
        await expect(article_page(maya.page).title).to_contain_text("<img src=x")
        await is_unharmed(maya.page)
    finally:
        maya.helpdesk.admin("knowledge", "remove", "--collection", "hostile")
