"""The tree of queues in a browser: arrow keys, folds in the address, and narrow screens."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place


def _config(queues: int) -> str:
    listed = "".join(
        f"  - name: q-{number:02}\n    cohort_name: {'ml' if number % 2 else 'web'}\n"
        "    resource_groups:\n      - covered_resources: [gpu]\n"
        "        flavors: [{ name: any, resources: [{ name: gpu, nominal_quota: 2 }] }]\n"
        for number in range(queues)
    )
    return f"resource_flavors: [{{ name: any }}]\nresource_queues:\n{listed}"


def _focused(page: Page) -> str:
    return page.evaluate("document.activeElement.closest('tr')?.querySelector('[data-row]').title")


def test_arrow_keys_move_fold_and_unfold(visitors: Visitors, place: Place) -> None:
    place.apply(_config(6))
    page = visitors.page(place)
    page.goto(place.url("queues?group=tree&sort=name&levels=1"))
    rows = page.locator("#tree-rows tr")
    expect(rows).to_have_count(2)
    page.get_by_role("link", name="ml", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(rows).to_have_count(5)
    expect(page).to_have_url(re.compile(r"[?&]open=ml(&|$)"))
    # The focus stays on the row, and moves to its first child.
    page.wait_for_function("document.activeElement.title === 'ml · cohort'")
    page.keyboard.press("ArrowRight")
    assert _focused(page) == "q-01"
    page.keyboard.press("ArrowDown")
    assert _focused(page) == "q-03"
    page.keyboard.press("End")
    assert _focused(page) == "web · cohort"
    page.keyboard.press("ArrowUp")
    assert _focused(page) == "q-05"
    page.keyboard.press("ArrowLeft")
    assert _focused(page) == "ml · cohort"
    # One link is in the tab order.
    assert page.locator("#tree-rows a:not([tabindex='-1'])").count() == 1
    page.keyboard.press("ArrowLeft")
    expect(rows).to_have_count(2)
    page.go_back()
    expect(rows).to_have_count(5)


def test_the_tree_shows_many_rows_and_fits_a_phone(visitors: Visitors, place: Place) -> None:
    place.apply(_config(36))
    page = visitors.page(place)
    page.goto(place.url("queues?group=tree&sort=name"))
    rows = page.locator("#tree-rows tr")
    expect(rows).to_have_count(38)
    for width, height, least in ((1280, 800, 18), (1920, 1080, 28), (390, 800, 1)):
        page.set_viewport_size({"width": width, "height": height})
        visible = rows.evaluate_all(
            "rows => rows.filter(row => row.getBoundingClientRect().bottom <= innerHeight).length"
        )
        assert visible >= least
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate("document.documentElement.scrollHeight") <= 3000
