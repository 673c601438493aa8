"""The lists of queues and workloads: rows per screen, names in one line, and narrow screens."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place, wait_until

#: Width and height of a screen, and the least number of rows that it shows completely.
SCREENS = [(1280, 800, 18), (1920, 1080, 28)]
LONG = "q-39-a-name-that-is-longer-than-its-column-and-that-goes-on"

#: Counts the rows that are completely inside the window.
_VISIBLE = """rows => rows.filter(row => {
  const box = row.getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight;
}).length"""

#: Returns the names that take more than one line or reach beyond their cell.
_BROKEN = """names => names.filter(name => {
  const cell = name.closest("th").getBoundingClientRect();
  return name.getClientRects().length !== 1 || name.getBoundingClientRect().right > cell.right;
}).map(name => name.textContent)"""


def _fill(place: Place) -> None:
    """Create 40 queues with one running and one pending workload each."""
    names = [LONG if number == 39 else f"q-{number:02}" for number in range(40)]
    queues = "".join(
        f"  - name: {name}\n    resource_groups:\n      - covered_resources: [gpu]\n"
        "        flavors: [{ name: any, resources: [{ name: gpu, nominal_quota: 2 }] }]\n"
        for name in names
    )
    rules = "".join(
        f"  - resource_queue: {name}\n"
        f"    selector: [{{ key: team, operator: in, values: [{name}] }}]\n"
        for name in names
    )
    place.apply(
        f"resource_flavors: [{{ name: any }}]\nresource_queues:\n{queues}scheduling_rules:\n{rules}"
    )
    place.submit(
        *(
            {
                "name": f"w-{name}",
                "user": "ann",
                "project": "vision",
                "tags": {"team": name},
                "requests": {"gpu": 2},
            }
            for name in names
            for _ in range(2)
        )
    )
    wait_until(lambda: place.api.get(f"/queues/{LONG}")["counts"]["running"] == 1)


def _check(page: Page, rows: str, least: int) -> None:
    expect(page.locator(f"{rows} tr").first).to_be_visible()
    assert page.locator(f"{rows} tr").evaluate_all(_VISIBLE) >= least
    assert page.locator(f"{rows} a[data-row]").evaluate_all(_BROKEN) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


LISTS = [
    ("queues?sort=name", "#queue-rows"),
    ("queues", "#queue-rows"),
    ("workloads", "#workload-rows"),
]


def test_a_screen_shows_many_rows(visitors: Visitors, place: Place) -> None:
    _fill(place)
    page = visitors.page(place)
    for path, rows in LISTS:
        page.goto(place.url(path))
        for width, height, least in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            _check(page, rows, least)
        page.set_viewport_size({"width": 390, "height": 800})
        _check(page, rows, 1)
    for path in ("queues", "workloads"):
        page.goto(place.url(path))
        assert page.evaluate("document.documentElement.scrollHeight") <= 3000
