"""A quota is raised from the page of its queue in four actions, without a warning."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from console.dialects import dialects
from tests.browser.conftest import Visitors
from tests.browser.documents import CAP
from tests.browser.place import Place

KUEUE = dialects()["kueue"].samples()["Two teams share one cohort"]


def test_a_quota_is_raised_in_four_actions(page: Page, place: Place) -> None:
    body = {"dialect": "kueue", "text": KUEUE, "message": "", "expected_version": 0}
    place.api.post("/config/versions", body, expect=201)
    page.goto(place.url("queues/speech"))
    actions = 0

    page.get_by_role("link", name="Change quota").click()
    actions += 1
    number = page.locator("#quota-numbers input").first
    expect(number).to_have_value("8")
    number.fill("12")
    actions += 1
    preview = page.locator("#quota-preview")
    expect(preview).to_contain_text("Apply version 2")
    expect(preview).to_contain_text("Nothing here needs your confirmation.")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(preview.locator(".diff__row[data-change]:not([data-change=same])")).not_to_have_count(0)
    page.get_by_label("Message").fill("More for speech")
    actions += 1
    page.get_by_role("button", name="Apply version 2").click()
    actions += 1

    expect(page).to_have_url(re.compile(r"/queues/speech$"))
    expect(page.get_by_role("status").first).to_contain_text("Version 2 is active")
    assert actions <= 4
    made = place.api.get("/config")
    assert (made["version"], made["message"]) == (2, "More for speech")
    changed = [
        (old, new)
        for old, new in zip(KUEUE.splitlines(), made["text"].splitlines(), strict=True)
        if old != new
    ]
    assert len(changed) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_form_fits_a_small_screen_and_needs_no_scripts(
    visitors: Visitors, place: Place, scheme: str
) -> None:
    place.apply(CAP)
    page = visitors.page(place, scheme=scheme, width=390, scripts=False)
    page.goto(place.url("queues/q-m5-2xlarge-cap3/quota"))
    page.get_by_label("Nominal quota of cpu in m5-2xlarge").fill("32")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#quota-preview")).to_contain_text("q-m5-2xlarge-cap3:v2")
    assert page.get_by_label("Nominal quota of cpu in m5-2xlarge").input_value() == "32"
    box = page.locator("#main").bounding_box()
    assert box is not None
    assert box["width"] <= 390


def test_a_preview_that_was_refused_is_requested_again(
    page: Page, visitors: Visitors, place: Place
) -> None:
    place.apply(CAP)
    page.goto(place.url("queues/q-m5-2xlarge-cap3/quota"))
    refused: list[str] = []

    def refuse_once(route: Route) -> None:
        if route.request.method != "POST" or refused:
            route.continue_()
            return
        refused.append(route.request.url)
        route.fulfill(status=429, headers={"Retry-After": "1"}, body="")

    page.route("**/quota", refuse_once)
    page.get_by_label("Nominal quota of cpu in m5-2xlarge").fill("32")
    expect(page.locator("#quota-preview")).to_contain_text("Apply version 2")
    assert len(refused) == 1
    # The browser and htmx report the status; nothing else is wrong.
    assert ["429" in each for each in visitors.complaints] == [True, True]
    visitors.complaints.clear()
