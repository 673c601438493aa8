"""Waiting workloads by cluster: arrow keys, the reason of the cell in focus, themes and widths."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.place import Place
from tests.browser.walks import broken_pages


def test_arrow_keys_move_between_verdicts_and_show_reasons(page: Page, place: Place) -> None:
    body = {
        "dialect": "skyshift",
        "text": "{kind: Scheduler}",
        "message": "",
        "expected_version": 0,
    }
    place.api.post("/config/versions", body, expect=201)
    for name, labels in ((f"east-{'x' * 50}", {"region": "eu"}), ("west", {"region": "us"})):
        nodes = [{"name": f"node-{'x' * 60}", "allocatable": {"cpu": 4}}]
        report = {"labels": labels, "nodes": nodes}
        assert place.api.request("PUT", f"/capacity/clusters/{name}", report).status == 201
    us = {"filters": [{"name": "us", "match_labels": {"region": "us"}}]}
    place.submit(
        {"name": f"one-{'x' * 60}", "requests": {"cpu": 8}, "placement": us},
        {"name": "two", "requests": {"cpu": 5}, "placement": us},
    )
    page.goto(place.url("capacity"))
    page.get_by_role("link", name="Waiting workloads by cluster").click()
    cells = page.locator(".matrix__cell")
    expect(cells).to_have_count(4)
    reason = cells.nth(0).locator(".matrix__reason")
    page.get_by_role("link", name="two", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(cells.nth(0)).to_be_focused()
    expect(reason).to_contain_text("comes closest and lacks 1 CPU")
    assert reason.bounding_box()["width"] > 50  # type: ignore[index]
    page.keyboard.press("ArrowRight")
    expect(cells.nth(1)).to_be_focused()
    assert reason.bounding_box()["width"] < 5  # type: ignore[index]
    page.keyboard.press("ArrowDown")
    expect(cells.nth(3)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("one-")
    assert broken_pages(page, [place.url("tools/placements")]) == {}
