"""A quota is raised until a time, seen on the page of its queue, and set back from there."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from console.dialects import dialects
from tests.browser.conftest import Visitors
from tests.browser.place import Place

KUEUE = dialects()["kueue"].samples()["Two teams share one cohort"]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_a_quota_is_raised_until_a_time(
    visitors: Visitors, place: Place, scheme: str, width: int
) -> None:
    body = {"dialect": "kueue", "text": KUEUE, "message": "", "expected_version": 0}
    place.api.post("/config/versions", body, expect=201)
    until = datetime.now(UTC) + timedelta(hours=2)
    page = visitors.page(place, scheme=scheme, width=width)
    page.goto(place.url("queues/speech"))
    page.get_by_role("link", name="Change quota").click()
    page.locator("#quota-numbers input").first.fill("12")
    expect(page.locator("#quota-preview")).to_contain_text("Apply version 2")
    page.get_by_label("Message").fill("A demo")
    page.get_by_label("Until").fill(f"{until:%Y-%m-%dT%H:%M}")
    page.get_by_role("button", name="Apply version 2").click()

    expect(page).to_have_url(re.compile(r"/queues/speech$"))
    notice = page.locator(".notice", has_text="Temporary quota")
    expect(notice).to_contain_text(f"until {until:%Y-%m-%d %H:%M}:00 UTC")
    expect(notice).to_contain_text("12 (+4), then 8")
    box = page.locator("#main").bounding_box()
    assert box is not None
    assert box["width"] <= width
    page.goto(place.url("config/scheduled"))
    expect(page.get_by_role("table").first).to_contain_text("End the temporary quota")
    page.goto(place.url("queues/speech"))
    notice.get_by_role("link", name="End now").click()
    page.get_by_role("button", name="End now").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Config version 3")
    expect(page.locator("#main")).to_contain_text("end of the temporary change of version 2")
    assert place.api.get("/config")["text"] == KUEUE
