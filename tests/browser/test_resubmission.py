"""Advised changes are made with a button, and workloads are submitted again with changes."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.axe import audit
from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, RESERVATION, m5
from tests.browser.place import Place, wait_until

STRICT = RESERVATION.replace("  - resource_queue: default\n", "")


def test_a_rejected_workload_is_resubmitted_with_the_advised_change_in_two_actions(
    page: Page, place: Place
) -> None:
    place.apply(STRICT)
    (uid,) = place.submit(
        {
            "name": "lost",
            "tags": {"use-reservation": "treu"},
            "instance_type": "a4-highgpu-8g",
            "requests": {"gpu": 1},
        }
    )
    page.goto(place.url(f"workloads/{uid}"))
    expect(page.locator("#headline")).to_contain_text("Rejected")
    advice = page.get_by_role("region", name="How to get it accepted")
    expect(advice.locator("li").first).to_contain_text("set use-reservation to true")
    assert audit(page) == []
    actions = 0

    advice.get_by_role("link", name="Resubmit with use-reservation=true").click()
    actions += 1
    expect(page.locator("#repeated")).to_contain_text("with use-reservation=true")
    assert audit(page) == []
    page.get_by_role("button", name="Submit", exact=True).click()
    actions += 1

    expect(page).not_to_have_url(re.compile(uid))
    expect(page.locator("#headline")).to_contain_text("Admitted")
    assert actions <= 2
    page.get_by_role("link", name="Timeline").click()
    expect(page.get_by_role("main")).to_contain_text(f"it repeats the workload {uid}")


def test_a_workload_that_can_never_run_is_replaced_by_a_smaller_one(
    visitors: Visitors, place: Place
) -> None:
    place.apply(CAP)
    (uid,) = place.submit(m5("huge", requests={"cpu": 99, "memory_gb": 1}))
    page = visitors.page(place, width=390)
    page.goto(place.url(f"workloads/{uid}"))
    button = page.get_by_role("link", name="Resubmit with 24 CPUs")
    headline, why = page.locator("#headline"), page.locator("#why")
    boxes = [each.bounding_box() for each in (headline, button, why)]
    tops = [box["y"] for box in boxes if box is not None]
    assert len(tops) == 3
    assert tops == sorted(tops)
    button.click()
    expect(page.get_by_label("Withdraw huge")).to_be_checked()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#headline")).to_contain_text("Admitted")
    wait_until(lambda: place.state(uid) == "withdrawn")


def test_a_quota_is_changed_from_the_advice_without_typing_it(page: Page, place: Place) -> None:
    place.apply(CAP)
    uids = place.submit(*(m5(f"m5-{number}", requests={"cpu": 8}) for number in range(4)))
    page.goto(place.url(f"workloads/{uids[-1]}"))
    page.get_by_role("link", name="Change the quota of q-m5-2xlarge-cap3").first.click()
    preview = page.locator("#quota-preview")
    expect(preview).to_contain_text("Apply version 2")
    expect(page.get_by_label("Nominal quota of cpu in m5-2xlarge")).to_have_value("32")
    assert audit(page) == []
