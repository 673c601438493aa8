"""
Checks of one open page by the rules of `tests.browser.rules`.

Every page is checked at two or more widths, and by axe in both color schemes unless another page of
its route was. A thorough check adds forced colors, print, the focus, and the text spacing of WCAG.
Each width is set once, because the browser lays out the whole page for it.
"""

from __future__ import annotations

from collections.abc import Collection

from playwright.sync_api import Page, ViewportSize

from tests.browser.axe import Looks
from tests.browser.rules import broken, unfold

#: Widths of a phone, a small window, a tablet, laptops and screens up to 4K, in CSS pixels.
ALL_WIDTHS = (3840, 1920, 1280, 1024, 768, 380, 320)

#: The usual width, and that of the smallest phone.
TWO_WIDTHS = (1280, 320)

#: Half of the usual width, as if the page was zoomed to 200 %.
_ENLARGED = 640

_SIZE: ViewportSize = {"width": 1280, "height": 900}

#: The text spacing that a page has to support (WCAG 1.4.12).
_SPACING = """
* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }
p { margin-bottom: 2em !important }
"""

#: The content security policy forbids style elements, but not constructed style sheets.
_STYLE = """css => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
}"""

#: Number of folds of a page that are opened; many folds look the same.
_FOLDS = 12


def complaints(
    page: Page,
    looks: Looks | None,
    *,
    widths: Collection[int] = ALL_WIDTHS,
    thorough: bool = False,
) -> list[str]:
    """
    Return the complaints about the open page, which has the usual size, at *widths*.

    *looks* are those of earlier pages, whose colors are not checked again. Without *looks*, axe
    does not run.
    """
    unfold(page, _FOLDS)
    found = broken(page, "structure")
    if looks is not None:
        found += broken(page, "axe", looks=looks) + _in_the_dark(page, looks)
    if thorough:
        page.keyboard.press("Tab")
        found += broken(page, "focus")
        found += _in_forced_colors(page, looks)
        found += _with_more_space(page, _SIZE["width"])
    # Start with the current width.
    found += _at_width(page, _SIZE["width"])
    for width in widths:
        if width != _SIZE["width"]:
            page.set_viewport_size({"width": width, "height": 900})
            found += _at_width(page, width)
    if thorough:
        found += _with_more_space(page, min(widths)) + _enlarged(page) + _on_paper(page)
    page.set_viewport_size(_SIZE)
    return found


def _at_width(page: Page, width: int) -> list[str]:
    rules = ["width"]
    if width == min(ALL_WIDTHS):
        rules += ["cut", "spills", "targets"]
    elif width == max(ALL_WIDTHS):
        rules += ["lines"]
    return [f"{width} px: {each}" for each in broken(page, *rules)]


def _in_the_dark(page: Page, looks: Looks) -> list[str]:
    page.emulate_media(color_scheme="dark")
    found = [f"dark: {each}" for each in broken(page, "colors", looks=looks)]
    page.emulate_media(color_scheme="light")
    return found


def _in_forced_colors(page: Page, looks: Looks | None) -> list[str]:
    page.emulate_media(forced_colors="active")
    found = broken(page, "own_colors")
    if looks is not None:
        found += [f"forced colors: {each}" for each in broken(page, "colors", looks=looks)]
    page.emulate_media(forced_colors="none")
    return found


def _on_paper(page: Page) -> list[str]:
    # The size of an A4 sheet.
    page.set_viewport_size({"width": 794, "height": 1123})
    page.emulate_media(media="print", color_scheme="dark")
    found = broken(page, "paper")
    page.emulate_media(media="screen", color_scheme="light")
    return found


def _with_more_space(page: Page, width: int) -> list[str]:
    """Return the complaints with the text spacing of WCAG."""
    page.evaluate(_STYLE, _SPACING)
    found = _spread(page, width)
    page.evaluate(_STYLE, "")
    return found


def _enlarged(page: Page) -> list[str]:
    page.set_viewport_size({"width": _ENLARGED, "height": 900})
    return _spread(page, _ENLARGED)


def _spread(page: Page, width: int) -> list[str]:
    return [f"spread, {width} px: {each}" for each in broken(page, "width", "cut", "spills")]
