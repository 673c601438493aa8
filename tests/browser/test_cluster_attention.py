"""A cluster that fails while workloads run there is on the overview and in the palette."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.place import Place, wait_until
from tests.browser.walks import broken_pages


def test_a_failed_cluster_needs_attention_and_is_found(page: Page, place: Place) -> None:
    body = {
        "dialect": "skyshift",
        "text": "{kind: Scheduler}",
        "message": "",
        "expected_version": 0,
    }
    place.api.post("/config/versions", body, expect=201)
    nodes = [{"name": "n", "allocatable": {"cpu": 4}}]
    assert place.api.request("PUT", "/capacity/clusters/east", {"nodes": nodes}).status == 201
    (uid,) = place.submit({"name": "job", "requests": {"cpu": 2}})
    wait_until(lambda: place.state(uid) == "admitted")
    report = {"nodes": nodes, "state": "error"}
    assert place.api.request("PUT", "/capacity/clusters/east", report).status == 200
    page.goto(place.url("attention"))
    row = page.locator("#attention-cluster_away")
    expect(row).to_contain_text("1 cluster (east) does not report or has an error")
    assert broken_pages(page, [place.url("attention"), place.url()]) == {}
    palette = page.get_by_role("dialog", name="Go to")
    page.keyboard.press("Control+k")
    expect(palette.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("eas")
    # Before that, the page with the form would handle the key.
    expect(palette.locator('[aria-busy="false"]')).to_be_attached()
    expect(palette.locator("a[data-found]").first).to_contain_text("east")
    page.keyboard.press("Enter")
    page.wait_for_url("**/capacity/east")
