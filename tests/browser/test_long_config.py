"""A config of 5,000 lines: the page stays short, and links to lines lead to them."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.place import Place

#: The name of the last queue is on line 4,997.
LONG = (
    "resource_queues:\n"
    + "".join(f"  # Queue {number}\n  - name: q-{number:04}\n" for number in range(2498))
    + "scheduling_rules:\n  - resource_queue: q-0000\n"
)


def test_a_long_text_scrolls_by_itself(page: Page, place: Place) -> None:
    place.apply(LONG, "Many queues")
    for path in ("config", "config/v/1"):
        page.goto(place.url(f"{path}#L4997"))
        line = page.locator("#L4997")
        expect(line).to_be_in_viewport()
        expect(line).to_contain_text("name: q-2497")
        assert page.evaluate("document.documentElement.scrollHeight") < 3000
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
