"""
Rules that a page keeps, put to it in the browser that shows it.

`axe` is axe-core with everything that WCAG 2.2 asks at the levels A and AA, and `colors` what
of it depends on the color scheme. The others are files beside this one, each with what it
returns in its first line; they hold what axe does not know.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from playwright.sync_api import Page, expect

from tests.browser.axe import COLORS, Looks, audit

_FOLDER: Final = Path(__file__).parent

#: What is on its way into a page by itself.
_LATE: Final = "main :is(.htmx-request, [hx-trigger=load][hx-swap^=outerHTML], [aria-busy=true])"

#: Answers polls of a live page, which say what it shows already, as if nothing were new. A route of
#: the driver would do the same, and have the browser load every script and style sheet anew.
_HOLD: Final = """(() => {
  const { fetch } = window;
  window.fetch = (url, options) => (/[?&]v=/.test(url)
    ? Promise.resolve(new Response(null, { status: 204 })) : fetch(url, options));
})()"""

#: Opens folds; what one asks for when it is opened, it asks for a moment later.
_UNFOLD: Final = """most => {
  const folds = [...document.querySelectorAll("main details:not([data-menu])")];
  for (const one of folds.slice(0, most ?? folds.length)) one.open = true;
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}"""


def hold_still(page: Page) -> None:
    """Answer polls of *page* from its next opening on: nothing may move while it is judged."""
    page.add_init_script(_HOLD)


def settle(page: Page) -> None:
    """Wait for what a page with scripts asks for by itself: nothing moves while it is judged."""
    expect(page.locator(_LATE)).to_have_count(0)


def unfold(page: Page, most: int | None = None) -> None:
    """Open the folds of a page, the first *most* of them, and wait for what they ask for."""
    page.evaluate(_UNFOLD, most)
    settle(page)


def broken(page: Page, *rules: str, looks: Looks | None = None) -> list[str]:
    """
    Return a sentence for each thing on *page* that breaks one of *rules*.

    With *looks*, colors that were judged before are not judged again.
    """
    found: list[str] = []
    for rule in rules:
        if rule in ("axe", "colors"):
            found += audit(page, *(COLORS if rule == "colors" else ()), looks=looks)
        else:
            script = (_FOLDER / f"{rule}.js").read_text("utf-8")
            found += [f"{rule}: {' '.join(str(each).split())}" for each in page.evaluate(script)]
    return found
