"""The overview page: items by key, stable rows, and filtering of organizations."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, m5
from tests.browser.place import Place

QUEUE = "q-m5-2xlarge-cap3"


def hold(place: Place, queue: str) -> None:
    place.api.post(f"/queues/{queue}/hold", {"reason": "Moving racks"}, expect=200)


def test_digit_key_opens_an_attention_item(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("too-large", requests={"cpu": 99, "memory_gb": 1}), m5("fits"))
    hold(place, "default")
    page.goto(place.url())
    expect(page.locator("#attention-rows > li")).to_have_count(2)
    page.keyboard.press("2")
    expect(page).to_have_url(place.url("queues/default"))
    page.goto(place.url())
    page.keyboard.press("7")
    page.keyboard.press("1")
    expect(page).to_have_url(re.compile(r"/workloads\?state=pending&reason=exceeds_max_quota$"))


def test_new_items_are_shown_on_request(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("too-large", requests={"cpu": 99, "memory_gb": 1}))
    page.goto(place.url())
    rows = page.locator("#attention-rows > li")
    expect(rows).to_have_count(1)
    hold(place, "default")
    bar = page.locator("[data-rows-bar=attention-rows]")
    expect(bar).to_contain_text("1 new")
    expect(rows).to_have_count(1)
    bar.get_by_role("button", name="Show").click()
    expect(rows).to_have_count(2)
    place.api.post("/queues/default/resume", {}, expect=200)
    expect(page.locator("#attention-queue_held")).to_have_attribute("data-gone", "")


def test_organizations_are_filtered_while_typing(page: Page, place: Place) -> None:
    page.goto(place.url("queues"))
    page.locator(".topbar .menu > summary").first.click()
    field = page.get_by_role("searchbox", name="Filter organizations")
    field.fill("place-105")
    shown = page.locator(".topbar [data-filter-text]:visible")
    expect(shown).to_have_count(1)
    assert (shown.get_by_role("link").get_attribute("href") or "").endswith("/place-105/queues")
    page.goto(f"{place.base}/o/?all")
    page.get_by_role("searchbox", name="Name").fill(place.slug)
    expect(page.locator(f'.org-list a[href="/o/{place.slug}/"]')).to_be_visible()


def test_overview_works_without_scripts(visitors: Visitors, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("runs"))
    hold(place, "default")
    hold(place, QUEUE)
    page = visitors.page(place, scripts=False, width=320)
    page.goto(place.url())
    expect(page.locator("#attention-rows > li")).to_have_text(
        re.compile(r"2 queues \(default, q-m5-2xlarge-cap3\) are held")
    )
    page.get_by_role("link", name=re.compile("View 2 queues ?: 2 queues")).click()
    expect(page).to_have_url(re.compile("/attention#attention-queue_held$"))
    page.locator("#attention-queue_held").get_by_role("link", name="default", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("default")
    page.goto(f"{place.base}/o/?all")
    page.get_by_role("searchbox", name="Name").fill("place-105")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".org-list > li")).to_have_count(1)
