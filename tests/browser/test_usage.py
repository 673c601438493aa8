"""Usage over time: accessibility in each theme and width, and without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, m5
from tests.browser.place import Place, wait_until
from tests.browser.walks import broken_pages

_QUEUE = "queues/q-m5-2xlarge-cap3/usage"
_PAGES = (f"{_QUEUE}?range=1h&table=use", f"{_QUEUE}?range=30d&table=waits", "usage?range=24h")


@pytest.fixture(scope="module")
def watched(places: Iterator[Place]) -> Place:
    """A full queue of which the worker has taken a sample, which takes a while."""
    place = next(places)
    place.apply(CAP, "The first")
    place.submit(*(m5(f"m5-{i}") for i in range(5)))

    def is_sampled() -> bool:
        since = datetime.now(UTC) - timedelta(minutes=10)
        points = place.api.get(f"/usage?step=minute&since={since:%Y-%m-%dT%H:%M:%SZ}")["results"]
        return any(point["running"] and point["running"]["peak"] for point in points)

    # Samples are a minute apart.
    wait_until(is_sampled, pause=1)
    return place


def test_pages_keep_the_rules(visitors: Visitors, watched: Place) -> None:
    assert broken_pages(visitors.page(watched), map(watched.url, _PAGES)) == {}


def test_time_range_table_and_export_work_without_scripts(
    visitors: Visitors, watched: Place
) -> None:
    page = visitors.page(watched, scripts=False)
    page.goto(watched.url("queues/q-m5-2xlarge-cap3"))
    page.get_by_role("link", name="Usage over time").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("usage over time")
    page.get_by_role("navigation", name="Time").get_by_role("link", name="1 hour").click()
    use = page.locator("#chart-use")
    expect(use.get_by_role("img")).to_have_accessible_name(re.compile("^Usage of"))
    use.get_by_role("link", name="Show table").click()
    assert "range=1h" in page.url
    assert "table=use" in page.url
    expect(use.locator("tbody tr").last).to_contain_text("1")
    with page.expect_download() as download:
        use.get_by_role("link", name="CSV").click()
    text = Path(download.value.path()).read_text("utf-8")
    assert text.startswith("start,sampled_minutes,own_mean,borrowed_mean")
    page.locator("#chart-use").get_by_role("link", name="Version 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("ersion 1")


def test_keys_and_pointer_select_a_time_and_show_its_values(
    visitors: Visitors, watched: Place
) -> None:
    page = visitors.page(watched)
    # With a fixed end: the last hour would move with each minute.
    until = datetime.now(UTC) + timedelta(minutes=1)
    hour = f"since={until - timedelta(hours=1):%Y-%m-%dT%H:%M}&until={until:%Y-%m-%dT%H:%M}"
    page.goto(watched.url(f"{_QUEUE}?{hour}"))
    use = page.locator("#chart-use")
    readout = use.locator(".chart__readout")
    slider = use.get_by_role("slider", name=re.compile("^Moment of"))
    expect(readout).to_be_hidden()
    page.locator("#chart-use").get_by_role("link", name="CSV").focus()
    page.keyboard.press("Tab")
    # The mark of the version is first.
    page.keyboard.press("Tab")
    expect(slider).to_be_focused()
    expect(readout).to_contain_text("Peak usage")
    last = slider.input_value()
    page.keyboard.press("ArrowLeft")
    expect(slider).not_to_have_value(last)
    expect(slider).to_have_attribute(
        "aria-valuetext", re.compile("^From .+ Minutes sampled .+ Own")
    )
    # The cursor is at the same time in all charts; a line has no width, so Playwright never calls
    # it visible.
    expect(page.locator("#chart-waits .chart__cursor")).not_to_have_attribute("hidden", "")
    page.keyboard.press("Escape")
    expect(readout).to_be_hidden()

    # The values at the cursor are those of the table.
    page.goto(watched.url(f"{_QUEUE}?{hour}&table=use"))
    first = use.locator(".table-scroll tbody tr").first.locator("th").first.text_content()
    use.locator(".chart__plot").hover(position={"x": 5, "y": 40})
    expect(readout.locator("caption")).to_have_text(f"{first} UTC")
    expect(readout).to_have_attribute("data-side", "end")


def test_dragging_selects_the_time_range(visitors: Visitors, watched: Place) -> None:
    page = visitors.page(watched)
    page.goto(watched.url(f"{_QUEUE}?range=1h&flavor=m5"))
    plot = page.locator("#chart-workloads .chart__plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 3 / 4, middle, steps=4)
    page.mouse.up()
    page.wait_for_url("**/usage?*since=*")
    since, until = (page.locator(f"#u-{each}").input_value() for each in ("since", "until"))
    length = datetime.fromisoformat(until) - datetime.fromisoformat(since)
    assert timedelta(minutes=14) <= length <= timedelta(minutes=16)
    assert "range=" not in page.url
    assert "flavor=m5" in page.url
