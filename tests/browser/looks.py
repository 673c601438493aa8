"""
One page that is open, looked at in many ways, by the rules of `tests.browser.rules`.

All pages are put to axe and to what holds at any width. A thorough look adds the dark scheme,
forced colors, paper, the focus, and a reader's own spacing.
"""

from __future__ import annotations

from playwright.sync_api import Page, ViewportSize

from tests.browser.rules import broken, unfold

#: Widths of a phone, a small window, a tablet, laptops and screens up to 4K, in CSS pixels.
_WIDTHS = (320, 380, 768, 1024, 1280, 1920, 3840)

_SIZE: ViewportSize = {"width": 1280, "height": 900}

#: What WCAG 1.4.12 lets a reader choose.
_SPACING = """
* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }
p { margin-bottom: 2em !important }
"""

#: The policy forbids style elements, and knows no sheets that are made so.
_STYLE = """css => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
}"""

#: Of many folds that are alike the first few are looked into.
_FOLDS = 12


def complaints(page: Page, *, thorough: bool) -> list[str]:
    """Return what is wrong with the page that is open."""
    unfold(page, _FOLDS)
    found = broken(page, "axe", "structure") + _at_widths(page)
    if thorough:
        page.keyboard.press("Tab")
        found += broken(page, "focus")
        found += _in_the_dark(page) + _in_forced_colors(page) + _on_paper(page)
        found += _with_more_space(page)
    return found


def _at_widths(page: Page) -> list[str]:
    found = []
    for width in _WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        rules = ["width"]
        if width == min(_WIDTHS):
            rules += ["cut", "spills", "targets"]
        elif width == max(_WIDTHS):
            rules += ["lines"]
        found += [f"{width} px: {each}" for each in broken(page, *rules)]
    page.set_viewport_size(_SIZE)
    return found


def _in_the_dark(page: Page) -> list[str]:
    page.emulate_media(color_scheme="dark")
    found = [f"dark: {each}" for each in broken(page, "colors")]
    page.emulate_media(color_scheme="light")
    return found


def _in_forced_colors(page: Page) -> list[str]:
    page.emulate_media(forced_colors="active")
    found = broken(page, "own_colors")
    page.emulate_media(forced_colors="none")
    return found


def _on_paper(page: Page) -> list[str]:
    # As wide as a sheet of A4.
    page.set_viewport_size({"width": 794, "height": 1123})
    page.emulate_media(media="print", color_scheme="dark")
    found = broken(page, "paper")
    page.emulate_media(media="screen", color_scheme="light")
    page.set_viewport_size(_SIZE)
    return found


def _with_more_space(page: Page) -> list[str]:
    """Return what breaks when a reader spreads the text, or enlarges the page to twice its size."""
    found = []
    for width, css in ((320, _SPACING), (1280, _SPACING), (640, "")):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(_STYLE, css)
        found += [f"spread, {width} px: {each}" for each in broken(page, "width", "cut", "spills")]
    page.set_viewport_size(_SIZE)
    return found
