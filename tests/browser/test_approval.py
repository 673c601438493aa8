"""One person submits a draft for review, another one approves it, and it is applied."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.browser.review import CONFIG, draft, expect_active


def test_a_draft_is_applied_after_another_person_approved_it(
    visitors: Visitors, place: Place
) -> None:
    place.apply(CONFIG)
    first, second = visitors.page(place, 0), visitors.page(place, 1)
    first.goto(place.url("settings/approval"))
    first.get_by_label("Changes need approval by another member").check()
    first.get_by_role("button", name="Save").click()
    expect(first.get_by_role("status").first).to_contain_text("Saved")

    draft(first, place, CONFIG.replace("max: 100", "max: 200"))
    expect(first.get_by_role("button", name=re.compile("^Apply version"))).to_have_count(0)
    first.get_by_role("button", name="Submit for review").click()
    expect(first.get_by_role("button", name="Comment")).to_be_visible()
    expect(first.get_by_role("button", name="Approve")).to_have_count(0)

    second.goto(urlsplit(first.url).path)
    second.get_by_role("link", name="Comment on line 13", exact=True).click()
    second.get_by_role("textbox", name="Comment on line 13").fill("Why 200?")
    second.get_by_role("button", name="Comment on line 13").click()
    expect(second.get_by_role("region", name="Comments")).to_contain_text("at line 13")
    second.get_by_role("button", name="Approve").click()
    expect(second.get_by_role("region", name="State")).to_contain_text("Approved by")

    first.reload()
    first.get_by_role("link", name="Review and apply").click()
    first.get_by_role("button", name=re.compile("^Apply version 2")).click()
    expect_active(first, 2)
    assert "max: 200" in place.api.get("/config")["text"]


def test_pages_of_requests_fit_a_small_screen(visitors: Visitors, place: Place) -> None:
    place.apply(CONFIG)
    text = CONFIG.replace("max: 100", "max: 200")
    made = place.api.post("/config/reviews", {"text": text, "expected_version": 1}, expect=201)
    page = visitors.page(place, 1, width=390)
    for path in ("config/reviews", f"config/reviews/{made['id']}", "settings/approval"):
        page.goto(place.url(path))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
