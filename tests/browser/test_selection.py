"""Many workloads are selected in the list, withdrawn and resubmitted."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import audit
from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, m5
from tests.browser.place import Place, wait_until


def _counts(place: Place) -> tuple[int, int]:
    """Return the number of pending and of withdrawn workloads."""
    pending = place.api.get("/workloads?state=pending&limit=1000")["results"]
    withdrawn = place.api.get("/workloads?state=withdrawn&limit=1000")["results"]
    return len(pending), len(withdrawn)


def test_twenty_selected_workloads_are_withdrawn_in_three_actions(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(*(m5(f"batch-{number:02}") for number in range(23)))
    page.goto(place.url("workloads?state=pending"))
    bar = page.get_by_role("form", name="Selected workloads")
    expect(bar).to_be_hidden()
    actions = 0

    page.get_by_role("checkbox", name="Select all workloads of this page").check()
    actions += 1
    expect(bar).to_contain_text("20 selected")
    # On a screen that shows the whole page, neither the bar nor the top bar covers a control.
    page.set_viewport_size({"width": 1280, "height": 1400})
    assert audit(page) == []
    bar.get_by_role("button", name="Withdraw").click()
    actions += 1
    question = page.get_by_role("region", name="Withdraw 20 workloads?")
    expect(question.get_by_role("heading")).to_be_focused()
    expect(question).to_contain_text("Selected: 20 pending.")
    assert audit(page) == []
    question.get_by_role("button", name="Withdraw 20 workloads").click()
    actions += 1

    result = page.get_by_role("region", name="20 withdrawn.")
    expect(result.get_by_role("heading")).to_be_focused()
    expect(result.locator("tbody tr")).to_have_count(20)
    expect(result.locator("tbody tr").first).to_contain_text("The workload is withdrawn.")
    expect(bar).to_be_hidden()
    assert actions <= 3
    assert audit(page) == []
    wait_until(lambda: _counts(place) == (0, 20))
    # The list itself is still open, and the results are closed without leaving it.
    result.get_by_role("link", name="Back to the list").click()
    expect(result).to_have_count(0)
    assert page.url.endswith("workloads?state=pending")


def test_rows_are_selected_by_keys_and_ranges_and_stay_selected(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(*(m5(f"row-{number}") for number in range(6)))
    page.goto(place.url("workloads"))
    bar = page.get_by_role("form", name="Selected workloads")
    for key in ("j", "x", "j", "x"):
        page.keyboard.press(key)
    expect(bar).to_contain_text("2 selected")
    page.keyboard.press("x")
    expect(bar).to_contain_text("1 selected")
    bar.get_by_role("button", name="Clear").click()
    expect(bar).to_be_hidden()
    page.get_by_role("checkbox", name="Select row-4").click()
    page.get_by_role("checkbox", name="Select row-1").click(modifiers=["Shift"])
    expect(bar).to_contain_text("4 selected")
    head = page.get_by_role("checkbox", name="Select all workloads of this page")
    assert head.evaluate("box => box.indeterminate")
    # New rows are shown, and the selection stays.
    place.submit(m5("row-6"))
    page.locator("[data-rows-bar=workload-rows]").get_by_role("button", name="Show").click()
    expect(page.get_by_role("checkbox", name="Select row-6")).to_be_visible()
    expect(bar).to_contain_text("4 selected")
    expect(page.locator("[data-row-pick]:checked")).to_have_count(4)
    bar.get_by_role("button", name="Resubmit").click()
    question = page.get_by_role("region", name="Resubmit 4 workloads?")
    expect(question).to_contain_text("Not possible in their state, so unchanged: 4.")
    question.get_by_role("link", name="Cancel").click()
    expect(question).to_have_count(0)
    expect(bar).to_contain_text("4 selected")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_selection_needs_no_scripts_and_fits_a_small_screen(
    visitors: Visitors, place: Place, scheme: str
) -> None:
    place.apply(CAP)
    uids = place.submit(*(m5(f"plain-{number}") for number in range(4)))
    page = visitors.page(place, scheme=scheme, width=390, scripts=False)
    page.goto(place.url("workloads"))
    for number in (1, 3):
        page.get_by_role("checkbox", name=f"Select plain-{number}").check()
    page.get_by_role("form", name="Selected workloads").get_by_role(
        "button", name="Withdraw"
    ).click()
    page.get_by_role("button", name="Withdraw 2 workloads").click()
    expect(page.get_by_role("region", name="2 withdrawn.")).to_contain_text("plain-3")
    wait_until(lambda: place.state(uids[3]) == "withdrawn")
    page.get_by_role("link", name="Back to the list").click()
    box = page.locator("#main").bounding_box()
    assert box is not None
    assert box["width"] <= 390


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_workloads_get_another_priority(
    visitors: Visitors, place: Place, scheme: str, width: int
) -> None:
    place.apply(CAP)
    uids = place.submit(*(m5(f"line-{number}") for number in range(7)))
    page = visitors.page(place, scheme=scheme, width=width)
    page.goto(place.url("workloads?state=pending"))
    for number in (4, 5):
        page.get_by_role("checkbox", name=f"Select line-{number}").check()
    bar = page.get_by_role("form", name="Selected workloads")
    bar.get_by_role("button", name="Change priority…").click()
    question = page.get_by_role("region", name="Change the priority of 2 workloads?")
    question.get_by_label("New priority").fill("60")
    # Elsewhere the bar covers a part of a row, which a reader scrolls into sight.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert audit(page) == []
    question.get_by_role("button", name="Change the priority of 2 workloads").click()
    result = page.get_by_role("region", name="2 changed.")
    expect(result.locator("tbody tr").first).to_contain_text("The priority becomes 60.")
    wait_until(lambda: _priority(place, uids[5]) == 60)

    page.goto(place.url(f"workloads/{uids[6]}"))
    expect(page.locator("#changes")).not_to_contain_text("Search for changes that would start it")
    page.get_by_text("Change priority…").click()
    page.get_by_label("New priority").fill("70")
    assert audit(page) == []
    page.get_by_role("button", name="Change the priority", exact=True).click()
    expect(page.get_by_text("Changing the priority to 70.")).to_be_visible()
    wait_until(lambda: _priority(place, uids[6]) == 70)
    expect(page.locator("#facts")).to_contain_text("position 1")
    page.goto(place.url(f"workloads/{uids[6]}?tab=timeline"))
    changed = "The priority of line-6 was changed from 50 to 70"
    expect(page.locator("#main")).to_contain_text(changed)


def _priority(place: Place, uid: str) -> int:
    found: int = place.api.get(f"/workloads/{uid}")["priority"]["effective"]
    return found
