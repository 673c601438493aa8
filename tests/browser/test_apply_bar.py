"""The button that applies stays in sight, however long the review is."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.browser.review import CONFIG, apply_button, draft, expect_active

QUEUES = "".join(f"  - name: queue-{number:02}\n" for number in range(40))
RULES = "".join(
    f"  - selector: [{{ key: team, operator: in, values: [team-{number:02}] }}]\n"
    f"    resource_queue: queue-{number:02}\n"
    for number in range(40)
)
LONG = CONFIG.replace("  - name: default\n", f"  - name: default\n{QUEUES}").replace(
    "  - resource_queue: default\n", f"{RULES}  - resource_queue: default\n"
)


@pytest.mark.parametrize("width", [1280, 390])
def test_apply_is_in_sight_at_the_top_of_a_long_review(
    visitors: Visitors, place: Place, width: int
) -> None:
    place.apply(CONFIG)
    page = visitors.page(place, width=width)
    draft(page, place, LONG)
    assert page.evaluate("window.scrollY") == 0
    assert page.evaluate("document.documentElement.scrollHeight") > 1800
    expect(apply_button(page)).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width == 1280:
        # 40 changes fit two screens of 800 pixels.
        box = page.locator(".change").nth(39).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 1600
    apply_button(page).click()
    expect_active(page, 2)
