"""Every view for everybody: barriers that axe finds, reflow, and pictures for a person to look at.

The pictures go to ``artifacts/screenshots``, which is not kept under version control.
"""

from functools import cache
from pathlib import Path

import pytest
from playwright.async_api import Page

from scripts.provision import ensure_node, ensure_node_modules
from tests.e2e.support.server import REPOSITORY
from tests.e2e.support.tabs import Look, Visits
from tests.e2e.support.views import VIEWS

pytestmark = pytest.mark.e2e

PICTURES = REPOSITORY / "artifacts" / "screenshots"
LOOKS: list[Look] = ["light", "dark", "phone"]

_RUN = """async () => {
  const rules = { 'target-size': { enabled: true } }
  const { violations } = await axe.run(document, { resultTypes: ['violations'], rules })
  return violations.map(({ id, impact, help, nodes }) => [
    impact, `${impact}: ${id}, ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`
  ])
}"""
_SIDEWAYS = """() => [...document.querySelectorAll('body, body *')]
  .filter((element) => {
    const box = element.getBoundingClientRect()
    const isSeen = box.width > 1 && box.height > 1 && !element.closest('.sr-only')
    const scrolls = element.parentElement?.closest('pre, table, [class*=overflow-x]')
    return isSeen && !scrolls && (box.right > innerWidth + 1 || box.left < -1)
  })
  .map((element) => element.outerHTML.slice(0, 160))"""

_OVERLAPS = """() => {
  const seen = [...document.querySelectorAll('header :is(a, button)')]
    .map((element) => [element.getBoundingClientRect(), element.outerHTML.slice(0, 80)])
    .filter(([box]) => box.width > 1)
  return seen.flatMap(([a, one], index) => seen.slice(index + 1)
    .filter(([b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
    .map(([, other]) => `${one} and ${other}`))
}"""


@cache
def axe_source() -> str:
    modules = REPOSITORY / "frontend-vue" / "node_modules"
    file: Path = modules / "axe-core" / "axe.min.js"
    if not file.is_file():
        ensure_node_modules(modules.parent, ensure_node())
    return file.read_text(encoding="utf-8")


async def findings(page: Page) -> list[list[str]]:
    """What axe finds. Run by the browser's protocol, which the page's policy does not concern."""
    await page.evaluate(axe_source())
    found: list[list[str]] = await page.evaluate(_RUN)
    return found


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("view", VIEWS)
async def test_a_view_has_no_barriers(visits: Visits, view: str, look: Look) -> None:
    tab = await VIEWS[view](visits, look)
    PICTURES.mkdir(parents=True, exist_ok=True)
    await tab.page.screenshot(path=PICTURES / f"{view}-{look}.png")

    found = await findings(tab.page)

    bad = [text for impact, text in found if impact in {"serious", "critical"}]
    assert not bad, "\n".join(text for _, text in found)


@pytest.mark.parametrize("view", VIEWS)
async def test_a_view_fits_into_320_pixels(visits: Visits, view: str) -> None:
    tab = await VIEWS[view](visits, "narrow")
    PICTURES.mkdir(parents=True, exist_ok=True)
    await tab.page.screenshot(path=PICTURES / f"{view}-narrow.png")

    root = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await tab.page.evaluate(root) <= 0
    assert await tab.page.evaluate(_SIDEWAYS) == []
    assert await tab.page.evaluate(_OVERLAPS) == []
