"""The retention page: every kind of data with its retention period from the settings."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests.pages.conftest import World
from tests.pages.page import complaints, read_page


def rows(browser: Client) -> dict[str, list[str]]:
    """Return the table rows by title, and fail unless the page's markup is valid."""
    page = read_page(browser.get("/o/here/settings/retention"))
    assert complaints(page) == []
    found = {}
    for tr in page.all("tr"):
        if tr.attrs.get("id", "").startswith("kept-"):
            cells = [cell.text for cell in (*tr.all("th"), *tr.all("td"))]
            found[tr.attrs["id"].removeprefix("kept-")] = cells
    return found


def test_every_kind_is_listed_with_its_setting(world: World, browser: Client) -> None:
    told = rows(browser)
    assert told["events"][1:3] == ["90 days", "EVENT_RETENTION_DAYS"]
    assert told["events"][5] == "every 2 s, not yet"
    assert told["decisions"][1:4] == ["365 days", "WORKLOAD_RETENTION_DAYS", told["decisions"][3]]
    assert int(told["decisions"][3]) > 0
    assert told["workloads"][1:4] == ["365 days", "WORKLOAD_RETENTION_DAYS", "6"]
    assert told["minutes"][1:4] == ["2 days", "MINUTE_RETENTION_DAYS", "0"]
    assert told["accounts"][1:3] == ["730 days", "DAY_RETENTION_DAYS"]
    assert told["audit"][1:3] == ["365 days", "AUDIT_RETENTION_DAYS"]
    assert told["sessions"][1:5] == ["14 days", "fixed", "—", "—"]
    assert told["drafts"][1] == "until discarded"
    assert told["versions"][1:4] == ["forever", "—", "1"]
    assert told["versions"][5] == "none"


def test_unlimited_retention_is_stated(world: World, browser: Client, settings: Any) -> None:
    settings.EVENT_RETENTION_DAYS = 0
    assert rows(browser)["events"][1:3] == ["forever, as set", "EVENT_RETENTION_DAYS"]
    page = read_page(browser.get("/o/here/events"))
    assert "Events are kept forever" in page.id("event-list").text
