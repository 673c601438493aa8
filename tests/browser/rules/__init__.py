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

from tests.browser.axe import COLORS, audit

_FOLDER: Final = Path(__file__).parent


#: What is on its way into a page by itself.
_LATE: Final = "main :is(.htmx-request, [hx-trigger=load][hx-swap^=outerHTML], [aria-busy=true])"


def settle(page: Page) -> None:
    """Wait for what a page with scripts asks for by itself: nothing moves while it is judged."""
    expect(page.locator(_LATE)).to_have_count(0)


def broken(page: Page, *rules: str) -> list[str]:
    """Return a sentence for each thing on *page* that breaks one of *rules*."""
    found: list[str] = []
    for rule in rules:
        if rule in ("axe", "colors"):
            found += audit(page, *(COLORS if rule == "colors" else ()))
        else:
            script = (_FOLDER / f"{rule}.js").read_text("utf-8")
            found += [f"{rule}: {' '.join(str(each).split())}" for each in page.evaluate(script)]
    return found
