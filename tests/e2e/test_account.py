"""The account page: who one is, and access tokens for programs."""

import pytest
from playwright.async_api import expect

from tests.e2e.support.tabs import Tab

pytestmark = pytest.mark.e2e


async def test_the_account_page_says_who_one_is(maya: Tab) -> None:
    await maya.go("/account")
    profile = maya.page.get_by_role("region", name="Profile")
    for fact in ("Maya Rowan", "maya", "Requester"):
        await expect(profile.get_by_text(fact, exact=True)).to_be_visible()


async def test_a_token_made_here_lets_a_program_in_until_it_is_revoked(maya: Tab) -> None:
    page = maya.page
    await maya.go("/account")
    tokens = page.get_by_role("region", name="API tokens")
    await tokens.get_by_role("button", name="Create token").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label("Name")).to_be_focused()
    await dialog.get_by_label("Name").fill("nightly report")
    await dialog.get_by_label("Valid for").select_option("30 days")
    await dialog.get_by_role("button", name="Create token").click()
    secret = await dialog.get_by_label("New token").input_value()

    async with maya.helpdesk.client(secret) as program:
        me = await program.get("/api/auth/me")
        assert me.status_code == 200
        assert me.json()["user"]["username"] == "maya"

        await dialog.get_by_role("button", name="Done").click()
        await expect(dialog).to_have_count(0)
        assert secret not in await page.content()
        await page.reload()
        entry = tokens.get_by_role("listitem").filter(has_text="nightly report")
        await expect(entry).to_contain_text("Last used")
        assert secret not in await page.content()

        await entry.get_by_role("button", name="Revoke").click()
        confirmation = page.get_by_role("alertdialog", name="Revoke “nightly report”?")
        await confirmation.get_by_role("button", name="Revoke").click()
        # What lies under a dialog is hidden from role queries: only then is it really gone.
        await expect(confirmation).to_have_count(0)
        await expect(entry).to_have_count(0)

        refused = await program.get("/api/auth/me")
        assert refused.status_code == 401
        assert refused.json()["error"] == "sign_in_required"


async def test_the_theme_is_kept_and_there_before_the_first_paint(maya: Tab) -> None:
    await maya.go("/account")
    await maya.page.get_by_role("button", name="Theme").click()
    await maya.page.get_by_role("menuitemradio", name="Dark").click()
    root = maya.page.locator("html")
    await expect(root).to_have_attribute("data-theme", "dark")

    await maya.page.route("**/assets/*.js", lambda route: route.abort())
    maya.watch.expect("net::ERR_FAILED /assets/")
    await maya.page.reload()
    await expect(root).to_have_attribute("data-theme", "dark")
