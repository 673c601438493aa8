"""The page of waiting workloads by cluster: verdicts, paging, and what it shows without any."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization, User
from console.orgs.permissions import Actor
from console.pages.views import placements
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.pages.page import Element, complaints, read_page

PAGE = "/o/here/tools/placements"
EU = {"filters": [{"name": "eu", "match_labels": {"region": "eu"}}]}

Settle = Callable[[Organization], int]


def submit(actor: Actor, settle: Settle, *cpus: int, placement: object = None) -> None:
    body = [
        {"name": f"wants-{cpu}", "requests": {"cpu": cpu}, "placement": placement} for cpu in cpus
    ]
    submit_workloads(actor, read_submissions(body))
    settle(actor.org)


def opened(browser: Client, query: str = "") -> Element:
    page = read_page(browser.get(f"{PAGE}{query}"))
    assert complaints(page) == []
    return page


def rows(page: Element) -> list[list[str]]:
    """Return the cells of the matrix."""
    return [
        [cell.text for cell in row.walk() if cell.tag in ("td", "th")]
        for row in page.id("matrix-rows").all("tr")
    ]


@pytest.fixture
def places(owner: Actor, settle: Settle) -> None:
    """Apply a config of placements, report three clusters, and run one job on the first."""
    apply_config(owner, "skyshift", "{kind: Scheduler}", "", 0)
    for name, region, size in (("east", "eu", 8), ("north", "eu", 2), ("west", "us", 4)):
        nodes = [{"name": "n", "allocatable": {"cpu": size}}]
        report_cluster(owner, name, {"labels": {"region": region}, "nodes": nodes})
    submit(owner, settle, 6, placement=EU)


def test_waiting_workloads_have_a_verdict_on_every_cluster(
    browser: Client, owner: Actor, places: None, settle: Settle
) -> None:
    submit(owner, settle, 4, 3, placement=EU)
    page = opened(browser)
    short = "east has no node with room for one replica: n comes closest and lacks"
    small = "and no node of it would fit one even if empty."
    west = "satisfies no filter: eu (region in [eu], but it is 'us')."
    assert rows(page) == [
        [
            "wants-3 3 CPUs",
            f"wants-3, east: No room on a node {short} 1 CPU.",
            (
                "wants-3, north: No room on a node north has no node with room for one replica: "
                f"n comes closest and lacks 1 CPU, {small}"
            ),
            f"wants-3, west: No filter satisfied west {west}",
        ],
        [
            "wants-4 4 CPUs",
            f"wants-4, east: No room on a node {short} 2 CPUs.",
            (
                "wants-4, north: No room on a node north has no node with room for one replica: "
                f"n comes closest and lacks 2 CPUs, {small}"
            ),
            f"wants-4, west: No filter satisfied west {west}",
        ],
    ]
    links = {each.attrs["href"] for each in page.id("matrix-rows").all("a")}
    assert len(links) == 2


def test_workloads_and_clusters_are_paged(
    browser: Client,
    owner: Actor,
    places: None,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(placements, "_ROWS", 2)
    monkeypatch.setattr(placements, "_COLUMNS", 2)
    submit(owner, settle, 20, 21, 22)
    page = opened(browser)
    assert [row[0] for row in rows(page)] == ["wants-22 22 CPUs", "wants-21 21 CPUs"]
    assert [len(row) for row in rows(page)] == [3, 3]
    (later,) = [e.attrs["href"] for e in page.all("a") if e.text == "Next clusters"]
    page = opened(browser, later.removeprefix(PAGE))
    assert [row[1].partition(":")[0] for row in rows(page)] == ["wants-22, west", "wants-21, west"]
    (later,) = [e.attrs["href"] for e in page.all("a") if e.attrs.get("rel") == "next"]
    assert [row[0] for row in rows(opened(browser, later.removeprefix(PAGE)))] == [
        "wants-20 20 CPUs"
    ]


def test_empty_pages_say_why(browser: Client, owner: Actor, settle: Settle) -> None:
    assert "does not place workloads on clusters" in opened(browser).text
    apply_config(owner, "skyshift", "{kind: Scheduler}", "", 0)
    assert "No cluster has reported its nodes." in opened(browser).text
    report_cluster(owner, "east", {"nodes": []})
    assert "Every workload is placed or has ended." in opened(browser).text
    submit(owner, settle, 1)
    (row,) = rows(opened(browser))
    assert row[1].startswith("wants-1, east: No room on a node")


def test_more_workloads_need_no_more_queries(
    browser: Client, owner: Actor, places: None, settle: Settle
) -> None:
    submit(owner, settle, 20)
    opened(browser)
    with CaptureQueriesContext(connection) as few:
        opened(browser)
    submit(owner, settle, *range(21, 35))
    with CaptureQueriesContext(connection) as many:
        assert len(rows(opened(browser))) == 15
    assert len(many) == len(few) <= 20


def test_others_see_nothing_of_it(
    client: Client, outsider: User, owner: Actor, places: None
) -> None:
    client.force_login(outsider)
    assert client.get(PAGE).status_code == 404
