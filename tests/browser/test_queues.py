"""Pages of queues: keys, comparison, hold and resume, and steps in a row; also without scripts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP
from tests.browser.place import Place, wait_until

NAME = "q-m5-2xlarge-cap3"


def work(number: int) -> dict[str, object]:
    return {"name": f"w{number}", "instance_type": "m5.2xlarge", "requests": {"cpu": 8}}


def fill(place: Place) -> None:
    """Let three workloads run and two wait."""
    place.apply(CAP)
    place.submit(*(work(i) for i in range(5)))
    counts = {"running": 3, "pending": 2, "cannot_run": 0}
    wait_until(lambda: place.api.get(f"/queues/{NAME}")["counts"] == counts)


def test_queues_are_chosen_compared_and_held_by_keys(page: Page, place: Place) -> None:
    fill(place)
    page.goto(place.url("queues"))
    expect(page.locator("#queue-rows tr")).to_have_count(2)
    # The queue with pending workloads is first.
    expect(page.locator("#queue-rows tr").first).to_contain_text("2 waiting for quota")
    for _ in range(2):
        page.keyboard.press("j")
        page.keyboard.press("x")
    expect(page.locator("[data-row-pick]:checked")).to_have_count(2)
    page.keyboard.press("c")
    expect(page).to_have_url(re.compile(r"\?compare=[^&]+&compare=[^&]+$"))
    expect(page.locator("#compared thead th")).to_have_count(3)

    page.goto(place.url("queues"))
    page.keyboard.press("j")
    page.keyboard.press("h")
    expect(page).to_have_url(re.compile(r"/queues/[^/]+\?hold=1$"))
    page.get_by_label("Reason").fill("moving racks")
    page.get_by_label("For", exact=True).select_option("1h")
    page.get_by_role("button", name="Hold this queue").click()
    expect(page.locator("#queue-state")).to_contain_text("Held")
    expect(page.locator("#queue-notices")).to_contain_text("then it resumes automatically")
    # Keys are handled once the scripts have run.
    page.wait_for_load_state()
    page.keyboard.press("h")
    expect(page.get_by_label("Reason")).to_be_focused()
    expect(page.get_by_label("Reason")).to_have_value("moving racks")


def test_expired_hold_disappears_from_the_open_page(page: Page, place: Place) -> None:
    fill(place)
    end = datetime.now(UTC) + timedelta(seconds=4)
    held = {"reason": "a moment", "until": end.isoformat()}
    place.api.post(f"/queues/{NAME}/hold", held, expect=200)
    page.goto(place.url(f"queues/{NAME}"))
    expect(page.locator("#queue-state")).to_contain_text("Accepting")
    assert place.api.get(f"/queues/{NAME}")["held"] is None


def test_the_steps_open_in_the_row_and_stay_when_the_page_updates(page: Page, place: Place) -> None:
    fill(place)
    page.goto(place.url(f"queues/{NAME}"))
    rows = page.locator("#pending-rows tr")
    expect(rows.first).to_contain_text("Available quota ends here")
    rows.nth(1).locator("summary").click()
    steps = rows.nth(1).locator(".why__body")
    expect(steps).to_contain_text("Outcome")
    # The steps are taller than most screens, so the name of the workload stays beside their
    # beginning.
    row = rows.nth(1).bounding_box()
    name = rows.nth(1).locator("a[data-row]").bounding_box()
    assert row is not None
    assert name is not None
    assert row["height"] > 400
    assert name["y"] - row["y"] < 30
    place.submit(work(9))
    expect(page.locator("[data-rows-bar=pending-rows]")).to_contain_text("1 new")
    expect(steps).to_contain_text("Outcome")


def test_a_queue_without_scripts(visitors: Visitors, place: Place) -> None:
    fill(place)
    page = visitors.page(place, scripts=False)
    page.goto(place.url("queues?sort=name"))
    for name in (NAME, "default"):
        page.get_by_label(f"Compare {name}").check()
    page.get_by_role("button", name="Compare selected").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Compare queues")
    page.get_by_role("link", name=NAME).click()
    page.get_by_role("link", name=re.compile("Waiting for quota")).click()
    expect(page.locator("#pending-rows tr")).to_have_count(2)
    page.locator("#pending-rows summary").first.click()
    page.get_by_role("link", name="Step by step").first.click()
    expect(page.get_by_role("main")).to_contain_text("Outcome")
    page.go_back()
    page.get_by_role("link", name=re.compile("^Running")).click()
    expect(page.locator("#running-rows tr")).to_have_count(3)
    page.get_by_role("link", name="Newest first").click()
    expect(page.locator("#running-rows tr").first).to_contain_text("w2")
    page.get_by_role("link", name="Rules", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("Rules that route here")
    page.get_by_role("link", name="History", exact=True).click()
    expect(page.locator("#history")).to_contain_text("added")
    page.locator("summary", has_text="Hold").click()
    page.get_by_label("Reason").fill("checks")
    page.get_by_role("button", name="Hold this queue").click()
    expect(page.locator("#queue-state")).to_contain_text("Held")
    page.get_by_role("button", name="Resume admission").click()
    expect(page.locator("#queue-state")).to_contain_text("Accepting")


@pytest.mark.parametrize("width", [320, 1000])
def test_no_content_is_cut_off(width: int, visitors: Visitors, place: Place) -> None:
    fill(place)
    page = visitors.page(place, width=width)
    for path in (
        "queues?group=cohort",
        f"queues?compare={NAME}&compare=default",
        f"queues/{NAME}",
        f"queues/{NAME}?tab=running",
        f"queues/{NAME}?tab=rules",
        f"queues/{NAME}?tab=history",
    ):
        page.goto(place.url(path))
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
