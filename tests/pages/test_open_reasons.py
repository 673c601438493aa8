"""Reasons registered by a scheduler: filters, titles and explanations need no further code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.engine.disciplines.quota import nominate
from console.engine.disciplines.quota.nominate import NoFit
from console.engine.model.reasons import Reason, ReasonClass, register, unregister
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Workload
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.pages.page import read_page

CONFIG = """\
resource_flavors: [{ name: any }]
resource_queues:
  - name: lab
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{ name: any, resources: [{ name: gpu, nominal_quota: 1 }] }]
scheduling_rules: [{ resource_queue: lab, selector: [] }]
"""
CODE, TITLE = "limit_reached", "Limit reached"
HEADLINE = "Waiting in lab: its limit is reached."
API, PAGES = "/api/v1/orgs/here/workloads", "/o/here/workloads"


@pytest.fixture
def waiting(
    owner: Actor, settle: Callable[[Organization], int], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workload]:
    """Yield a workload pending for the reason of a made-up discipline, which another one plays."""
    reason = register(
        Reason(
            CODE,
            label=TITLE,
            reason_class=ReasonClass.WAITING,
            headline="Waiting in {queue}: its limit is reached.",
            advice="Wait until a workload ends.",
        )
    )
    monkeypatch.setitem(nominate._REASONS, NoFit.WAITING_FOR_QUOTA, reason)
    monkeypatch.setattr(nominate, "WAITING_FOR_QUOTA", reason)
    apply_config(owner, "native", CONFIG, "", 0)
    wishes = [{"name": name, "requests": {"gpu": 1}} for name in ("first", "second")]
    submit_workloads(owner, read_submissions(wishes))
    settle(owner.org)
    yield Workload.objects.get(name="second")
    unregister(reason)


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [each["name"] for each in answer.json()["results"]]


@pytest.fixture
def api(owner: Actor, api_for: Callable[[Actor], Client]) -> Client:
    return api_for(owner)


@pytest.fixture
def browser(owner: Actor, client_for: Callable[[Actor], Client]) -> Client:
    return client_for(owner)


def test_the_api_answers_with_it_and_filters_by_it(waiting: Workload, api: Client) -> None:
    assert api.get(f"{API}/{waiting.uid}").json()["reason"] == {"code": CODE, "message": TITLE}
    explained = api.get(f"{API}/{waiting.uid}/explanation").json()
    assert (explained["reason"], explained["headline"]) == (CODE, HEADLINE)
    for query in (f"reason={CODE}", "reason_class=waiting", f"reason={CODE}&reason_class=waiting"):
        assert names(api.get(f"{API}?{query}")) == ["second"], query
    for query in ("reason_class=held", f"reason={CODE}&reason_class=running"):
        assert names(api.get(f"{API}?{query}")) == [], query
    assert names(api.get(f"{API}?reason_class=running")) == ["first"]
    groups = api.get(f"{API}?group_by=reason&state=pending").json()["groups"]
    assert groups == [{"value": CODE, "count": 1}]
    told = [each["message"] for each in api.get("/api/v1/orgs/here/events").json()["results"]]
    assert "second is queued: limit reached." in told


def test_pages_show_its_title_its_headline_and_its_advice(
    waiting: Workload, browser: Client
) -> None:
    listed = read_page(browser.get(f"{PAGES}?reason={CODE}&reason_class=waiting"))
    (chosen,) = [each for each in listed.all("option", value=CODE) if "selected" in each.attrs]
    assert chosen.text == TITLE
    assert [TITLE in " ".join(row) for row in listed.rows()] == [True]
    assert HEADLINE in read_page(browser.get(f"{PAGES}/{waiting.uid}")).text
    together = read_page(browser.get(f"{PAGES}/explain?reason={CODE}"))
    assert [each.text for each in together.all("h1")] == [TITLE]
    assert "What you can do: Wait until a workload ends." in together.text
    assert HEADLINE in together.text
    assert TITLE in read_page(browser.get(f"/o/here/queues/lab?reason={CODE}")).text


def test_rows_of_a_scheduler_that_is_gone_show_its_code(
    waiting: Workload, api: Client, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    unregister(Reason(CODE, label=TITLE, reason_class=ReasonClass.WAITING))
    try:
        row = api.get(f"{API}/{waiting.uid}").json()
        assert row["reason"] == {"code": CODE, "message": CODE}
        assert names(api.get(f"{API}?reason={CODE}")) == ["second"]
        for path in (
            f"{PAGES}?reason={CODE}",
            f"{PAGES}?group_by=reason",
            f"{PAGES}/explain?reason={CODE}",
            f"/o/here/queues/lab?reason={CODE}",
            "/o/here/events",
        ):
            answer = browser.get(path)
            assert answer.status_code == 200, path
            assert CODE in read_page(answer).text, path
        decision = waiting.decisions.get()
        assert CODE in read_page(browser.get(f"{PAGES}/{waiting.uid}/decisions/{decision.pk}")).text
        assert api.get(f"{API}?reason=no_such_code").status_code == 400
    finally:
        register(Reason(CODE, label=TITLE, reason_class=ReasonClass.WAITING))
