"""Events and the audit log while they grow: stable rows, completeness and pausing."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, m5
from tests.browser.place import Place, wait_until


def test_new_events_are_shown_on_request_and_pausing_stops_them(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("early"))
    page.goto(place.url("events"))
    rows = page.locator("#event-rows tr")
    expect(rows).to_have_count(3)
    first = rows.first
    first.get_by_text("Facts").click()
    expect(first.locator("pre")).to_contain_text('"REQUEST_ADMITTED"')
    place.submit(m5("late"))
    bar = page.locator("[data-rows-bar=event-rows]")
    expect(bar).to_contain_text("2 new")
    expect(rows).to_have_count(3)
    # Rows that the reader opened stay open.
    expect(first.locator("pre")).to_be_visible()
    page.keyboard.press("r")
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("late was admitted")

    # A poll that is under way would return the next event.
    with page.expect_response(re.compile(r"[?&]v=")):
        pass
    page.get_by_role("button", name="Pause").click()
    status = page.locator("[data-live-text]")
    expect(status).to_contain_text("Paused")
    place.submit(m5("unseen"))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(3000)
    assert asked == []
    expect(bar).to_be_hidden()
    page.get_by_role("button", name="Resume").click()
    expect(bar).to_contain_text("2 new")


def test_filters_of_several_types_are_in_the_url(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(*(m5(f"m5-{i}") for i in range(5)))
    page.goto(place.url("events"))
    rows = page.locator("#event-rows tr")
    expect(rows).to_have_count(11)
    page.get_by_text("Types", exact=True).first.click()
    page.get_by_role("checkbox", name="Config updated").check()
    expect(rows).to_have_count(1)
    page.get_by_role("checkbox", name="Request queued").check()
    expect(rows).to_have_count(3)
    expect(page).to_have_url(re.compile(r"type=CONFIG_UPDATED&type=REQUEST_QUEUED"))
    page.keyboard.press("Escape")
    page.get_by_role("link", name=re.compile("type Config updated")).click()
    expect(rows).to_have_count(2)
    page.get_by_role("link", name=re.compile("^Request admitted")).click()
    expect(rows).to_have_count(5)
    page.go_back()
    expect(rows).to_have_count(2)


def test_filtered_list_is_shared_and_exported(page: Page, place: Place, tmp_path: Path) -> None:
    place.apply(CAP)
    place.submit(m5("early"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(place.url("events?type=REQUEST_SUBMITTED"))
    page.get_by_role("button", name="Copy permalink").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(
        re.escape(place.url("events")) + r"\?type=REQUEST_SUBMITTED&until=[0-9TZ%A-]+", copied
    )
    with page.expect_download() as download:
        page.get_by_role("link", name="NDJSON").click()
    file = tmp_path / "export"
    download.value.save_as(file)
    (line,) = file.read_text().splitlines()
    assert json.loads(line)["message"] == "early was submitted."


def test_audit_entry_shows_actor_and_previous_value(page: Page, place: Place) -> None:
    place.apply(CAP)
    queue = "q-m5-2xlarge-cap3"
    page.goto(place.url("events/audit?action=queue"))
    expect(page.get_by_role("main")).to_contain_text("Nothing matches these filters")
    for reason in ("Moving racks", "Still moving"):
        place.api.post(f"/queues/{queue}/hold", {"reason": reason}, expect=200)
    page.goto(place.url("events/audit"))
    page.get_by_role("link", name="Queues", exact=True).last.click()
    rows = page.locator("#audit-rows tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Moving racks → Still moving")
    place.api.post(f"/queues/{queue}/resume", {}, expect=200)
    expect(page.locator("[data-rows-bar=audit-rows]")).to_contain_text("1 new")
    expect(rows).to_have_count(2)
    page.keyboard.press("r")
    expect(rows).to_have_count(3)
    entries = place.api.get("/audit?action=queue")["results"]
    # A periodic task seals the entries within seconds.
    wait_until(lambda: all(e["number"] for e in place.api.get("/audit?action=queue")["results"]))
    rows.first.get_by_text("Facts").click()
    rows.first.get_by_role("link", name="All entries of this request").click()
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile(f"request={entries[0]['request_id']}"))


def test_both_lists_work_without_scripts(visitors: Visitors, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("early"))
    page = visitors.page(place, scripts=False)
    page.goto(place.url("events"))
    page.get_by_label("Queue", exact=True).fill("q-m5-2xlarge-cap3")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#event-rows tr")).to_have_count(1)
    page.get_by_role("link", name="Audit").click()
    page.get_by_label("Subject").fill("1")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#audit-rows tr")).to_have_count(1)
    expect(page.locator("#audit-rows")).to_contain_text("applied config version 1")
    page.get_by_role("link", name="Permalink").click()
    expect(page.locator("#audit-rows tr")).to_have_count(1)
