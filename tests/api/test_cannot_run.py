"""Workloads that can never run under the active config, counted apart from demand and positions."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from console.series.coverage import floor_minute
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from console.telemetry.readings import gauge_readings

#: A queue with eight cpu, and its cohort.
CONFIG = """
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: cq}
spec:
  cohort: team
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors:
        - name: f
          resources: [{name: cpu, nominalQuota: QUOTA}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: lq, namespace: ns}
spec: {clusterQueue: cq}
"""


def apply(client, quota: int, version: int = 0) -> None:
    text = CONFIG.replace("QUOTA", str(quota))
    body = {"text": text, "dialect": "kueue", "expected_version": version}
    answer = client.post("config/versions", body)
    assert answer.status == 201, answer.body


def workload(name: str, cpu: int) -> dict:
    return {
        "name": name,
        "namespace": "ns",
        "tags": {"kueue.x-k8s.io/queue-name": "lq"},
        "requests": {"cpu": cpu},
    }


@pytest.fixture
def client(api, owner):
    return api(owner)


@pytest.fixture
def ids(client, owner, settle) -> dict[str, str]:
    """Submit one running workload, and two that can never run ahead of one that could."""
    apply(client, 8)
    names = {"runs": 8, "five-hundred": 500, "three-hundred": 300, "four": 4}
    body = {"workloads": [workload(name, cpu) for name, cpu in names.items()]}
    found = dict(zip(names, client.post("workloads", body).body["ids"], strict=True))
    settle(owner.org)
    return found


COUNTS = {"running": 1, "pending": 3, "cannot_run": 2}
ASKED = {"demand": 4, "cannot_run_demand": 800}


def asked_in(cell: dict) -> dict:
    return {name: cell[name] for name in ASKED}


def test_queues_cohorts_and_the_overview_count_it_apart(client, ids):
    queue = client.get("queues/cq").body
    assert queue["counts"] == COUNTS
    assert queue["pressure"] == {"resource": "cpu", "wanted": 4, "free": 0}
    assert asked_in(queue["usage"][0]) == ASKED
    cohort = client.get("cohorts/team").body
    assert cohort["counts"] == COUNTS | {"queues": 1, "borrowers": 0}
    assert cohort["members"][0]["counts"] == COUNTS
    assert [asked_in(pool) for pool in cohort["pools"]] == [ASKED]
    assert cohort["contention"] == 1.5
    overview = client.get("overview").body
    assert overview["numbers"]["pending"] == {"now": 3, "week_ago": None, "cannot_run": 2}
    assert [asked_in(usage) for usage in overview["usage"]] == [ASKED]


def test_a_workload_that_can_never_run_has_no_position_but_a_reason(client, ids):
    listed = client.get("queues/cq/pending?limit=2").body
    rest = client.get("queues/cq/pending?limit=2", cursor=listed["next"]).body
    places = {each["name"]: each["queue_position"] for each in listed["results"] + rest["results"]}
    assert places == {"five-hundred": None, "three-hundred": None, "four": 1}
    assert {
        name: client.get(f"workloads/{ids[name]}").body["queue_position"] for name in places
    } == places
    told = {
        name: client.get(f"workloads/{ids[name]}/explanation").body
        for name in ("four", "three-hundred")
    }
    order = {
        name: [
            s["text"]
            for stage in each["stages"]
            if stage["stage"] == "order"
            for s in stage["sentences"]
        ]
        for name, each in told.items()
    }
    assert order["four"][:2] == [
        "Position 1 of 1 in the queue.",
        "2 pending workloads of the queue can never run and are not counted.",
    ]
    assert order["three-hundred"][0] == (
        "It has no position in the queue, because it can never run."
    )


def test_samples_and_metrics_count_it_apart(client, ids, owner):
    now = floor_minute(timezone.now())
    sample_orgs(now)
    assert sample_org(owner.org.pk, now)
    until = now + timedelta(minutes=1)
    usage = client.get("usage", queue="cq", since=now.isoformat(), until=until.isoformat()).body
    (point,) = usage["results"]
    assert {name: point[name]["cpu"]["peak"] for name in ASKED} == ASKED
    readings = dict(gauge_readings(now, by_queue=True))
    labels = ("here", "team", "cq", "f", "cpu")
    assert readings["queue_resource_demand"] == (labels, 4.0)
    assert readings["queue_resource_cannot_run_demand"] == (labels, 800.0)


def test_another_version_and_its_end_change_the_counts(client, ids, owner, settle):
    apply(client, 310, 1)
    settle(owner.org)
    queue = client.get("queues/cq").body
    assert queue["counts"] == {"running": 2, "pending": 2, "cannot_run": 1}
    assert asked_in(queue["usage"][0]) == {"demand": 4, "cannot_run_demand": 500}
    assert client.post(f"workloads/{ids['five-hundred']}/withdraw").status == 202
    settle(owner.org)
    queue = client.get("queues/cq").body
    assert queue["counts"]["cannot_run"] == 0
    assert queue["usage"][0]["cannot_run_demand"] == 0


def test_pages_show_it_apart(client, ids, owner, client_for):
    page = client_for(owner)
    slug = owner.org.slug

    def text(name: str, *args: str) -> str:
        content = page.get(reverse(f"pages:{name}", args=[slug, *args])).content.decode()
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", content))

    assert "4 requested · 800 requested that can never run" in text("queue", "cq")
    assert "2 can never run" in text("queues")
    assert "1 running · 3 pending · 2 can never run" in text("cohort", "team")
    assert "2 can never run" in text("cohorts")
    assert "2 can never run" in text("overview")
    assert "no position: it can never run" in text("workload", ids["three-hundred"])
