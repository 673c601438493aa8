"""Failure of one part of a page: the part shows an error and the other parts are unaffected."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from console.orgs.models import Organization
from tests.cohorts import fill
from tests.pages.conftest import World
from tests.pages.page import Element, read_page

#: Address, function that its view calls for a part, id of that part, and its title.
PARTS = [
    ("", "overview.attention_rows", "attention", "Attention list"),
    ("", "overview.past_of", "numbers", "Workload counts"),
    ("", "overview.bars_of", "quota", "Quota of all queues"),
    ("", "overview.queue_row", "tight", "Tightest queues"),
    ("", "overview.top_consumers", "consumers", "Top consumers"),
    ("", "overview.charts_of", "charts", "Workloads over time"),
    ("", "overview.history_row", "recent", "Recent changes"),
    ("queues/research", "queue.pending_reasons", "waiting", "Why workloads wait"),
    ("queues/research", "queue.pending_in_order", "pending-region", "Pending workloads"),
    ("queues/research?tab=running", "queue.running_rows", "running-region", "Running workloads"),
]
COHORT_PARTS = [
    ("cohorts/ml", "cohorts.matrix_rows", "matrix-region", "The queues of the cohort"),
    ("cohorts/ml", "cohorts.loan_row", "loans-region", "Loans"),
    ("cohorts/ml", "cohorts.rules_rows", "rules-region", "The sharing rules"),
    ("cohorts/ml", "cohorts.reason_rows", "waiting", "Why workloads wait"),
]


@pytest.mark.parametrize(("path", "broken", "place", "title"), PARTS)
@pytest.mark.parametrize("poll", [False, True])
def test_a_part_that_fails_says_so_and_leaves_the_others(
    path: str,
    broken: str,
    place: str,
    title: str,
    poll: bool,
    world: World,
    browser: Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    places = {other for at, _, other, _ in PARTS if at == path}
    whole = read_page(browser.get(f"/o/here/{path}"))
    assert {name for name in places if _failures(whole.id(name))} == set()
    _break(monkeypatch, broken)
    page = _check_failure(browser, path, place, title, poll=poll, caplog=caplog)
    # A function that another part needs too fails there as well; the rest is unchanged.
    spared = {name for name in places if not _failures(page.id(name))}
    assert len(spared) >= len(places) - 3
    assert all(page.id(name).text for name in spared)


@pytest.mark.parametrize(("path", "broken", "place", "title"), COHORT_PARTS)
@pytest.mark.parametrize("poll", [False, True])
def test_a_part_of_a_cohort_fails_alone(
    path: str,
    broken: str,
    place: str,
    title: str,
    poll: bool,
    org: Organization,
    browser: Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    fill(org, monkeypatch)
    places = {other for at, _, other, _ in COHORT_PARTS if at == path}
    whole = read_page(browser.get(f"/o/here/{path}"))
    assert {name for name in places if _failures(whole.id(name))} == set()
    _break(monkeypatch, broken)
    page = _check_failure(browser, path, place, title, poll=poll, caplog=caplog)
    assert {name for name in places if _failures(page.id(name))} == {place}


def test_an_invalid_request_fails_the_whole_page(world: World, browser: Client) -> None:
    assert browser.get("/o/here/queues/research?cursor=x").status_code == 400


def _break(monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    def fails(*_: object, **__: object) -> object:
        raise RuntimeError("a mistake in the code")

    monkeypatch.setattr(f"console.pages.views.{broken}", fails)


def _check_failure(
    browser: Client,
    path: str,
    place: str,
    title: str,
    *,
    poll: bool,
    caplog: pytest.LogCaptureFixture,
) -> Element:
    """Return the page after checking that only the part at *place* shows an error."""
    mark = "&" if "?" in path else "?"
    answer = browser.get(f"/o/here/{path}{mark}v=0-" if poll else f"/o/here/{path}")
    assert answer.status_code == 200
    page = read_page(answer)
    (failure,) = _failures(page.id(place))
    request_id = answer.headers["X-Request-ID"]
    assert re.fullmatch(
        rf"{title} could not be loaded at \d\d:\d\d:\d\d UTC. The rest of the page is not "
        rf"affected. Logged as request {request_id} . Try again",
        failure.text,
    )
    assert title in {record.msg["part"] for record in _logged(caplog)}
    assert "a mistake in the code" not in answer.content.decode()
    return page


def _failures(element: Element) -> list[Element]:
    return element.all("div", **{"data-failed": ""})


def _logged(caplog: pytest.LogCaptureFixture) -> list[Any]:
    return [record for record in caplog.records if "part" in record.msg]
