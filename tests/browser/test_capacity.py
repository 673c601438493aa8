"""Pages of clusters in the browser: rules in each theme and width, live updates, deletion."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.browser.walks import broken_pages

_LONG = "ip-10-0-0-1.a-name-that-goes-on-and-on.eu-west-1.compute.internal"


def _node(number: int) -> dict[str, Any]:
    return {
        "name": f"n{number}-{_LONG}",
        "labels": {"kubernetes.io/hostname": _LONG, "zone": "abc"[number % 3], "a": "b", "c": "d"},
        "taints": [{"key": f"{'k' * 60}/gpu", "value": "present", "effect": "NoSchedule"}],
        "allocatable": {"cpu": 95.5, "memory": "1100Gi", "nvidia.com/gpu": 8},
        "ready": number % 2 == 0,
    }


@pytest.fixture
def clusters(place: Place) -> Place:
    """An organization with clusters of every state and with long names."""
    for number, state in enumerate(("ready", "draining", "error")):
        body = {
            "manager": "kubernetes",
            "labels": {"region": "eu", "long": "l" * 100},
            "state": state,
            "nodes": [_node(each) for each in range(3)],
        }
        _put(place, f"cluster-{number}-{'x' * 60}", body)
    _put(place, "east", {"nodes": []})
    return place


def _put(place: Place, name: str, body: dict[str, Any]) -> None:
    assert place.api.request("PUT", f"/capacity/clusters/{name}", body).status in (200, 201)


def test_pages_of_clusters_keep_the_rules(page: Page, clusters: Place) -> None:
    full = f"capacity/cluster-0-{'x' * 60}"
    paths = ("capacity", "capacity?q=none", full, f"{full}?label.zone=a&ready=true")
    assert broken_pages(page, map(clusters.url, (*paths, "capacity/east"))) == {}


def test_the_page_without_clusters_keeps_the_rules(page: Page, place: Place) -> None:
    assert broken_pages(page, [place.url("capacity")]) == {}


def test_pages_of_clusters_update_live(page: Page, clusters: Place) -> None:
    page.goto(clusters.url("capacity/east"))
    expect(page.get_by_role("heading", name="No nodes")).to_be_visible()
    _put(clusters, "east", {"state": "draining", "nodes": [{"name": "first"}]})
    expect(page.locator("#cluster-facts")).to_contain_text("Draining")
    expect(page.locator("#node-list")).to_contain_text("first")


def test_a_cluster_is_deleted_without_scripts(visitors: Visitors, clusters: Place) -> None:
    page = visitors.page(clusters, scripts=False)
    page.goto(clusters.url())
    page.get_by_role("link", name="Capacity").click()
    page.get_by_label("Name contains").fill("eas")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="east", exact=True).click()
    page.get_by_text("Delete this cluster").click()
    page.get_by_role("button", name="Delete cluster").click()
    expect(page.get_by_text("The cluster east was deleted with its nodes.")).to_be_visible()
    expect(page.get_by_role("link", name="east", exact=True)).to_have_count(0)
