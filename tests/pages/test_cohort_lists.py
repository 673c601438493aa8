"""Lists of cohorts and members: search, sort, filters, export and notices of stale numbers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.utils import timezone

from console.engine.disciplines.quota.spec import Cohort, QueueSpec, quota_policy
from console.engine.model.amounts import UNLIMITED
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Engine, Intake, OverQuota
from tests.cohorts import activate_policy, fill, fill_three, quotas, use
from tests.pages.page import Element, complaints, read_page


@pytest.fixture
def lab(org: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    """Activate the lab config."""
    fill(org, monkeypatch)


@pytest.fixture
def three(org: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    """Activate three cohorts of one queue each: idle, full, and with pending workloads."""
    fill_three(org, monkeypatch)


def get(browser: Client, path: str) -> Element:
    """Return a page of the organization, and fail unless its markup is valid."""
    page = read_page(browser.get(f"/o/here/{path}"))
    assert complaints(page) == []
    return page


def names(page: Element, rows: str) -> list[str]:
    """Return the names in the rows of a list."""
    return [link.text for link in page.id(rows).all("a") if "data-row" in link.attrs]


def file(browser: Client, path: str) -> str:
    """Return the content of the file at an address."""
    response = browser.get(f"/o/here/{path}")
    assert isinstance(response, StreamingHttpResponse)
    return response.getvalue().decode()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["quiet", "busy", "Waiting"]),
        ("?sort=contention", ["busy", "Waiting", "quiet"]),
        ("?sort=pending", ["Waiting", "busy", "quiet"]),
        ("?sort=borrowers", ["Waiting", "busy", "quiet"]),
        ("?sort=name", ["busy", "quiet", "Waiting"]),
        ("?q=AI", ["Waiting"]),
        ("?q=i&sort=name", ["quiet", "Waiting"]),
    ],
)
def test_cohorts_are_searched_and_sorted(
    query: str, found: list[str], three: None, browser: Client
) -> None:
    assert names(get(browser, f"cohorts{query}"), "cohort-rows") == found


def test_the_active_order_is_marked_and_others_keep_the_search(
    three: None, browser: Client
) -> None:
    page = get(browser, "cohorts?q=i&sort=pending")
    (sorts,) = page.all("nav", class_="sorts")
    assert [(link.text, link.attrs["href"]) for link in sorts.all("a")] == [
        ("Config", "/o/here/cohorts?q=i"),
        ("Contention", "/o/here/cohorts?q=i&sort=contention"),
        ("Pending", "/o/here/cohorts?q=i&sort=pending"),
        ("Borrowing", "/o/here/cohorts?q=i&sort=borrowers"),
        ("Name", "/o/here/cohorts?q=i&sort=name"),
    ]
    assert [link.text for link in sorts.all("a", **{"aria-current": "true"})] == ["Pending"]


def test_a_search_without_a_hit_leads_back(three: None, browser: Client) -> None:
    region = get(browser, "cohorts?q=nothing").id("cohorts-region")
    assert "No cohort name contains nothing ." in region.text
    (back,) = [link for link in region.all("a") if link.text == "Show all 3"]
    assert back.attrs["href"] == "/o/here/cohorts"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["archive", "ml", "research", "batch"]),
        ("?level=direct", ["archive", "ml"]),
        ("?sort=pressure", ["batch", "research", "archive"]),
        ("?sort=borrowed", ["research", "archive", "batch"]),
        ("?sort=lent", ["batch", "archive", "research"]),
        ("?sort=pending", ["batch", "research", "archive"]),
        ("?sort=name", ["archive", "batch", "research"]),
        ("?sort=pending&level=direct", ["ml", "archive"]),
        ("?q=ARCH", ["archive", "research"]),
        ("?q=BAT&sort=lent", ["batch"]),
        ("?q=nobody", []),
    ],
)
def test_members_are_found_sorted_and_taken_apart(
    query: str, found: list[str], lab: None, browser: Client
) -> None:
    page = get(browser, f"cohorts/all{query}")
    if found:
        assert names(page, "matrix-rows") == found
        rules = [row[0] for row in page.id("rules-region").rows()]
        assert rules == [name for name in found if name != "ml"]
    else:
        assert "No name contains nobody ." in page.id("matrix-region").text


def test_levels_are_offered_where_there_are_any(lab: None, browser: Client) -> None:
    def offered(path: str) -> list[tuple[str, str]]:
        navs = get(browser, path).all("nav", **{"aria-label": "Show"})
        return [(link.text, link.attrs["href"]) for nav in navs for link in nav.all("a")]

    assert offered("cohorts/all?sort=name&members=0") == [
        ("All queues below", "/o/here/cohorts/all?sort=name"),
        ("Direct members only", "/o/here/cohorts/all?sort=name&level=direct"),
    ]
    assert offered("cohorts/ml") == []


@pytest.mark.parametrize("query", ["sort=size", "level=all&sort=x", "level=two", "as=xlsx"])
def test_unknown_parameters_are_refused(query: str, lab: None, browser: Client) -> None:
    assert browser.get(f"/o/here/cohorts/all?{query}").status_code == 400


def test_the_list_is_a_file_too(lab: None, browser: Client) -> None:
    rows = list(csv.DictReader(io.StringIO(file(browser, "cohorts?as=csv"))))
    assert [(row["cohort"], row["in"], row["flavor"], row["nominal"]) for row in rows] == [
        ("all", "", "spot", "19"),
        ("all", "", "reserved", "2"),
        ("ml", "all", "spot", "13"),
        ("ml", "all", "reserved", "2"),
    ]
    assert rows[2] == {
        "cohort": "ml",
        "in": "all",
        "queues": "2",
        "borrowers": "1",
        "running": "4",
        "pending": "8",
        "cannot_run": "0",
        "flavor": "spot",
        "resource": "gpu",
        "nominal": "13",
        "used": "16",
        "own": "13",
        "borrowed": "3",
        "over": "0",
        "lent": "0",
        "certain": "false",
        "available": "3",
        "limit": "19",
        "borrowing_limit": "unlimited",
        "lending_limit": "unlimited",
        "demand": "21",
        "cannot_run_demand": "0",
    }


def test_members_and_loans_of_a_cohort_are_files(
    lab: None, org: Organization, browser: Client
) -> None:
    since = datetime(2026, 9, 1, 12, tzinfo=UTC)
    OverQuota.objects.create(
        org=org, queue="research", flavor="spot", resource="gpu", since=since, config_version=7
    )
    lines = file(browser, "cohorts/all?as=ndjson&sort=lent").splitlines()
    members = [json.loads(line) for line in lines]
    assert [(each["name"], each["flavor"], each["used"]) for each in members] == [
        ("batch", "spot", 2),
        ("archive", "spot", 0),
        ("research", "spot", 15),
        ("research", "reserved", 0),
    ]
    assert members[2]["above_nominal_since"] == "2026-09-01T12:00:00+00:00"
    assert members[0]["above_nominal_since"] is None
    rows = list(csv.DictReader(io.StringIO(file(browser, "cohorts/all?as=csv&of=loans"))))
    assert rows[0] == {
        "borrower": "research",
        "lender": "batch",
        "lender_type": "queue",
        "cohort": "ml",
        "flavor": "spot",
        "resource": "gpu",
        "amount": "4",
        "certain": "true",
        "since": "2026-09-01T12:00:00+00:00",
        "since_version": "7",
        "taken_back_from": "never",
    }
    assert [(row["lender"], row["amount"], row["taken_back_from"]) for row in rows] == [
        ("batch", "4", "never"),
        ("all", "2", ""),
        ("archive", "1", "any"),
    ]


def test_a_name_that_looks_like_a_formula_is_none_in_a_file(
    org: Organization, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = quota_policy(
        "native",
        cohorts={"=1+1": Cohort(name="=1+1")},
        queues={"@q": QueueSpec(name="@q", parent="=1+1", groups=quotas(("f", UNLIMITED)))},
    )
    activate_policy(org, policy, monkeypatch)
    (row,) = csv.DictReader(io.StringIO(file(browser, "cohorts?as=csv")))
    assert (row["cohort"], row["nominal"]) == ("'=1+1", "unlimited")


def test_a_loan_says_since_when_its_borrower_is_above_its_own(
    lab: None, org: Organization, browser: Client
) -> None:
    OverQuota.objects.create(
        org=org,
        queue="research",
        flavor="spot",
        resource="gpu",
        since=timezone.now() - timedelta(hours=6, minutes=5),
        config_version=1,
    )
    rows = get(browser, "cohorts/all").id("loans-region").rows()
    assert [(row[1].partition(" ")[0], row[4]) for row in rows] == [
        ("batch", "6 h"),
        ("all", "6 h"),
        ("archive", "6 h"),
    ]


def test_quota_that_was_taken_away_says_under_which_config(
    org: Organization, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = quota_policy(
        "native",
        cohorts={"few": Cohort(name="few")},
        queues={"one": QueueSpec(name="one", parent="few", groups=quotas(("f", 2000)))},
    )
    activate_policy(org, policy, monkeypatch)
    use(org, "one", "f", 5000)
    OverQuota.objects.create(
        org=org,
        queue="one",
        flavor="f",
        resource="gpu",
        since=timezone.now(),
        config_version=43,
    )
    row = get(browser, "cohorts/few").id("matrix-region").rows()[0]
    assert row[0] == "one"
    assert row[2] == "one, f gpu: 5 of 2 3 over nominal since v43"


def late(org: Organization, **more: Any) -> None:
    """Add an intake that has waited for the worker for four minutes."""
    then = timezone.now() - timedelta(minutes=4)
    Intake.objects.create(org=org, kind=Intake.Kind.SUBMIT, payload={}, created_at=then)
    Engine.objects.filter(org=org).update(**more)


def test_stale_numbers_are_marked(lab: None, org: Organization, browser: Client) -> None:
    late(org, settled_at=timezone.now())
    for path in ("cohorts", "cohorts/all"):
        page = get(browser, path)
        assert "the worker has not processed requests from 4 min ago" in page.text
        assert "as of 4 min ago" in page.all("p", class_="quota__text")[0].text
        assert "data-old" in page.all("rect", class_="quota__frame")[0].attrs


def test_unknown_numbers_are_not_shown_as_zero(
    lab: None, org: Organization, browser: Client
) -> None:
    late(org, settled_at=None)
    page = get(browser, "cohorts/all")
    assert page.id("pools").rows()[0] == [
        "spot",
        "gpu",
        "? gpu, no data yet · pending for 4 min",
        *("2", "17", "?", "?", "21"),
    ]
    assert page.id("matrix-region").rows()[0] == [
        "archive",
        "—",
        "archive, spot gpu: ? no data yet",
        "—",
    ]
    assert page.id("matrix-region").all("svg", class_="matrix__bar") == []


def test_a_page_notices_that_its_numbers_grow_old(
    lab: None, org: Organization, browser: Client
) -> None:
    version = get(browser, "cohorts/all").id("live-poll").attrs["data-version"]
    assert browser.get("/o/here/cohorts/all", {"v": version}).status_code == 204
    late(org, settled_at=timezone.now())
    assert browser.get("/o/here/cohorts/all", {"v": version}).status_code == 200


def test_the_page_of_all_bars_shows_every_case(
    viewer: Actor, client_for: Callable[[Actor], Client]
) -> None:
    page = get(client_for(viewer), "help/quota-bars")
    rows = page.id("cases").rows()
    assert [row[0] for row in rows] == [
        "Own and free",
        "Pending demand",
        "Borrowed, up to a limit",
        "Lent",
        "Over nominal",
        "Not available",
        "Distant limit, or none",
        "Unlimited",
        "Zero",
        "No own quota",
        "Old",
        "Unknown",
        "Inconsistent numbers",
    ]
    drawings = [svg for svg in page.id("cases").all("svg") if svg.attrs.get("role") == "img"]
    assert len(drawings) == len(rows) - 1
