"""
Rules that every page satisfies, checked in the browser.

`axe` are the rules of axe-core for WCAG 2.2 at the levels A and AA, and `colors` those that depend
on the color scheme. Each other rule is a file in this folder, whose first line states its result.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from playwright.sync_api import Page, expect

from tests.browser.axe import COLORS, Looks, audit

_FOLDER: Final = Path(__file__).parent

#: Elements that a page is still loading.
_LATE: Final = "main :is(.htmx-request, [hx-trigger=load][hx-swap^=outerHTML], [aria-busy=true])"

#: Answers polls of live pages as unchanged. A route of the driver could do this too, but then the
#: browser would load every script and style sheet again.
_HOLD: Final = """(() => {
  const { fetch } = window;
  window.fetch = (url, options) => (/[?&]v=/.test(url)
    ? Promise.resolve(new Response(null, { status: 204 })) : fetch(url, options));
})()"""

#: Opens folds, and waits until they have started to load their content.
_UNFOLD: Final = """most => {
  const folds = [...document.querySelectorAll("main details:not([data-menu])")];
  for (const one of folds.slice(0, most ?? folds.length)) one.open = true;
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""


def hold_still(page: Page) -> None:
    """Stop the updates of *page* from its next load on, so that checks see one state."""
    page.add_init_script(_HOLD)


def settle(page: Page) -> None:
    """Wait until *page* has loaded its parts, so that it does not change during checks."""
    expect(page.locator(_LATE)).to_have_count(0)


def unfold(page: Page, most: int | None = None) -> None:
    """Open the first *most* folds of *page*, or all, and wait until their content is loaded."""
    page.evaluate(_UNFOLD, most)
    settle(page)


def broken(page: Page, *rules: str, looks: Looks | None = None) -> list[str]:
    """
    Return a sentence for each violation of one of *rules* on *page*.

    With *looks*, colors that were checked on earlier pages are not checked again.
    """
    found: list[str] = []
    for rule in rules:
        if rule in ("axe", "colors"):
            found += audit(page, *(COLORS if rule == "colors" else ()), looks=looks)
        else:
            script = (_FOLDER / f"{rule}.js").read_text("utf-8")
            found += [f"{rule}: {' '.join(str(each).split())}" for each in page.evaluate(script)]
    return found
