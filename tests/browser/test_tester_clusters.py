"""The rule tester with placements: every cluster has its verdict, in each theme and width."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.browser.walks import broken_pages

TEXT = """\
kind: PlacementTemplate
metadata: { name: europe }
spec:
  filters: [{ name: eu, match_labels: { region: eu } }]
  preferences: [{ name: gold, match_labels: { tier: gold }, weight: 50 }]
"""


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_placement_is_tested_on_every_cluster(
    visitors: Visitors, place: Place, scripts: bool
) -> None:
    body = {"dialect": "skyshift", "text": TEXT, "message": "", "expected_version": 0}
    place.api.post("/config/versions", body, expect=201)
    for name, labels in (
        (f"big-{'x' * 50}", {"region": "eu"}),
        ("gold", {"region": "eu", "tier": "gold"}),
        ("us", {"region": "us"}),
    ):
        nodes = [{"name": "n", "allocatable": {"cpu": 4}}]
        report = {"labels": labels, "nodes": nodes}
        assert place.api.request("PUT", f"/capacity/clusters/{name}", report).status == 201
    page = visitors.page(place, scripts=scripts)
    page.goto(place.url("tools/route"))
    page.get_by_label("Requests").fill("cpu=2")
    page.get_by_label("Replicas").fill("3")
    page.get_by_label("Placement template").select_option("europe")
    page.get_by_role("button", name="Test").click()
    rows = page.get_by_role("region", name="Clusters").locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("weight 50, then 4")
    expect(rows.nth(0)).to_contain_text("2 of 3")
    expect(rows.nth(1)).to_contain_text("1 of 3")
    expect(rows.nth(2)).to_contain_text("No filter satisfied")
    page.get_by_label("Placement", exact=True).fill(
        "filters: [{ name: us, match_labels: { region: us } }]"
    )
    page.get_by_role("button", name="Test").click()
    expect(rows.nth(0)).to_contain_text("us could take 2 replicas")
    expect(page.get_by_label("Placement", exact=True)).to_have_value(
        "filters: [{ name: us, match_labels: { region: us } }]"
    )
    if scripts:
        assert broken_pages(page, [page.url]) == {}
