"""The rule tester with placements: the verdict on every cluster, and the form's own fields."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.configs.services.begin_draft import begin_draft
from console.orgs.permissions import Actor
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.pages.page import Element, complaints, read_page

TESTER = "/o/here/tools/route"
TEXT = """\
{kind: Scheduler, spec: {rank: RANK}}
---
kind: PlacementTemplate
metadata: {name: europe}
spec:
  filters: [{name: eu, match_labels: {region: eu}}]
  preferences: [{name: gold, match_labels: {tier: gold}, weight: 50}]
"""
EU = "filters: [{ name: eu, match_labels: { region: eu } }]"


@pytest.fixture
def places(owner: Actor) -> None:
    """Apply a config with a template, and report four clusters."""
    apply_config(owner, "skyshift", TEXT.replace("RANK", "lexicographic"), "", 0)
    for name, labels, state, sizes in (
        ("big", {"region": "eu"}, "ready", (64, 64)),
        ("gold", {"region": "eu", "tier": "gold"}, "ready", (4, 2)),
        ("us", {"region": "us"}, "ready", (8,)),
        ("closed", {"region": "eu"}, "draining", (8,)),
    ):
        nodes = [
            {"name": f"n{place}", "allocatable": {"cpu": size}} for place, size in enumerate(sizes)
        ]
        report_cluster(owner, name, {"labels": labels, "state": state, "nodes": nodes})


def opened(browser: Client, **query: str) -> Element:
    """Return the page of a test, and fail unless its markup is valid."""
    response = browser.get(f"{TESTER}?{urlencode({'key': '', **query})}", follow=True)
    page = read_page(response)
    assert complaints(page) == []
    return page


def clusters(page: Element) -> list[list[str]]:
    """Return the cells of the table of clusters."""
    (table,) = [
        each
        for each in page.all("table")
        if "Verdict on each cluster" in each.all("caption")[0].text
    ]
    return [
        [cell.text for cell in row.walk() if cell.tag in ("td", "th")]
        for row in table.all("tbody")[0].all("tr")
    ]


def headline(page: Element) -> str:
    """Return the sentences about whether the workload fits."""
    (section,) = [e for e in page.all("section") if "headline" in e.attrs.get("class", "").split()]
    return section.text


def test_every_cluster_has_its_verdict_score_order_and_share(browser: Client, places: None) -> None:
    page = opened(browser, requests="cpu=2", replicas="5", template="europe")
    counts, one = "its free capacity counts", "which is weight 1 of 50"
    assert clusters(page) == [
        [
            *("1", "gold", "Remains", "6", "50", "weight 50, then 6", "3 of 5"),
            f"gold takes 3 replicas: its best preference has weight 50 of 50, {counts} 6.",
        ],
        [
            *("2", "big", "Remains", "128", "1", "weight 1, then 128", "2 of 5"),
            f"big takes 2 replicas: it matches no preference, {one}, {counts} 128.",
        ],
        [
            *("—", "us", "No filter satisfied", "—", "—", "—", "—"),
            "us satisfies no filter: eu (region in [eu], but it is 'us').",
        ],
        ["—", "closed", "Not ready", "—", "—", "—", "—", "closed is not ready."],
    ]
    assert "It fits now: it would start on gold and big." in headline(page)
    assert "free capacity of nodes only" in headline(page)


def test_a_draft_is_tested_beside_the_active_config(
    browser: Client, owner: Actor, places: None
) -> None:
    draft = begin_draft(owner, "skyshift", TEXT.replace("RANK", "product"), 1, "Product")
    page = opened(browser, config=f"draft-{draft.pk}", requests="cpu=2", template="europe")
    assert [row[:7] for row in clusters(page)][:2] == [
        ["1", "gold", "Remains", "6", "50", "6 × 100 = 600", "1 of 1"],
        ["2", "big", "Remains", "128", "1", "128 × 2 = 256", "0 of 1"],
    ]


def test_stated_filters_replace_those_of_the_template(browser: Client, places: None) -> None:
    us = json.dumps({"filters": [{"name": "us", "match_labels": {"region": "us"}}]})
    page = opened(browser, requests="cpu=64", template="europe", placement=us)
    rows = clusters(page)
    assert [(row[1], row[2]) for row in rows] == [
        ("big", "No filter satisfied"),
        ("gold", "No room on a node"),
        ("us", "No room on a node"),
        ("closed", "Not ready"),
    ]
    assert rows[1][-1] == (
        "gold has no node with room for one replica: n0 comes closest and lacks 60 CPUs, and no "
        "node of it would fit one even if empty. Its labels would remove it, too."
    )
    # Nothing that runs is in the way.
    assert "As if no workload were running" in page.text


def test_what_runs_is_counted(browser: Client, owner: Actor, places: None, settle: object) -> None:
    body = [{"name": "w", "requests": {"cpu": 4}, "placement": {"template": "europe"}}]
    (ran,) = submit_workloads(owner, read_submissions(body))
    settle(owner.org)  # type: ignore[operator]
    page = opened(browser, requests="cpu=4", template="europe")
    assert [row[:3] for row in clusters(page)][:2] == [
        ["1", "big", "Remains"],
        ["—", "gold", "No room on a node"],
    ]
    # The placement of a workload is copied with its requests.
    copied = opened(browser, workload=ran.uid)
    assert copied.id("f-placement").text == '{"template": "europe"}'
    assert [row[1] for row in clusters(copied)][:2] == ["big", "gold"]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"placement": "filters: [{"}, "placement Line 1: "),
        ({"placement": "[a]"}, "placement This has to be an object, not a list."),
        ({"replicas": "two"}, "replicas 'two' is not a whole number."),
        ({"replicas": "0"}, "replicas"),
    ],
)
def test_errors_of_the_form_are_shown_at_their_field(
    browser: Client, places: None, query: dict[str, str], problem: str
) -> None:
    response = browser.get(f"{TESTER}?{urlencode({'key': '', **query})}", follow=True)
    page = read_page(response)
    assert response.status_code == 400
    assert problem in page.id("tester-errors").text
    field = page.id(f"f-{next(iter(query))}")
    assert "tester-errors" in field.attrs["aria-describedby"]


def test_an_unknown_template_or_field_is_a_reason(browser: Client, places: None) -> None:
    page = opened(browser, template="asia")
    assert "The config has no placement template 'asia'." in page.text
    page = opened(browser, placement="{ filter: [] }")
    assert '"filter" is not known here' in page.text


def test_other_languages_have_no_such_fields(browser: Client, owner: Actor) -> None:
    apply_config(owner, "native", "resource_queues: [{name: q}]", "", 0)
    page = opened(browser)
    ids = {each.attrs.get("id") for each in page.walk()}
    assert ids & {"f-placement", "f-template", "f-replicas", "clusters-1"} == set()


def test_more_clusters_need_no_more_queries(
    browser: Client, owner: Actor, places: None, django_assert_num_queries: Any
) -> None:
    address = f"{TESTER}?key=&config=active&requests=cpu%3D2&template=europe"
    browser.get(address)
    with CaptureQueriesContext(connection) as few:
        browser.get(address)
    for number in range(20):
        nodes = [{"name": f"n{each}", "allocatable": {"cpu": 1}} for each in range(20)]
        report_cluster(owner, f"more-{number}", {"nodes": nodes})
    with django_assert_num_queries(len(few)):
        assert len(clusters(read_page(browser.get(address)))) == 24
