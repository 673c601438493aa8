"""The API reference: its pages satisfy all rules, and its forms send requests."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, m5
from tests.browser.place import Place, wait_until
from tests.browser.walks import broken_pages

#: The list, and operations with every kind of parameter, body and response.
_PAGES = ("", "get_org", "submit_workloads", "list_workloads", "apply_config", "delete_cluster")


def test_pages_satisfy_all_rules(page: Page, place: Place) -> None:
    assert broken_pages(page, [f"{place.base}/api/v1/docs/{name}" for name in _PAGES]) == {}


def test_operations_are_found_while_typing(page: Page, place: Place) -> None:
    page.goto(f"{place.base}/api/v1/docs/")
    page.get_by_label("Title, name or address").fill("HEARTBEAT")
    expect(page.get_by_role("listitem").filter(visible=True)).to_have_count(1)
    page.get_by_role("link", name="Send a heartbeat of a cluster").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Send a heartbeat of a cluster")


def test_requests_are_sent_and_answered(page: Page, place: Place) -> None:
    place.apply(CAP, "The first")
    (uid,) = place.submit(m5("first"))
    page.goto(f"{place.base}/api/v1/docs/withdraw_workload")
    status = page.locator("[data-api-status]")
    body = page.get_by_role("group", name="Response body")
    # The first organization of the user need not be that of the test.
    page.get_by_label("org", exact=True).fill(place.slug)
    page.get_by_label("uid", exact=True).fill(uid)
    page.get_by_role("button", name="Send request").click()
    expect(status).to_contain_text("202 Accepted in ")
    expect(body).to_contain_text(uid)
    wait_until(lambda: place.state(uid) == "withdrawn")


def test_refusals_show_their_reason(visitors: Visitors, page: Page, place: Place) -> None:
    page.goto(f"{place.base}/api/v1/docs/check_config")
    page.get_by_label("org", exact=True).fill(place.slug)
    page.get_by_label("Body", exact=True).fill("{")
    page.get_by_role("button", name="Send request").click()
    expect(page.locator("[data-api-status]")).to_contain_text("400 Bad Request")
    expect(page.get_by_role("group", name="Response body")).to_contain_text('"code": "')
    # The browser reports each refused request.
    (complaint,) = visitors.complaints
    assert "400 (Bad Request)" in complaint
    visitors.complaints.clear()
