"""Pages of workloads that start with fewer pods, are preempted, or yield to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.pages.page import Element, complaints, read_page
from tests.preemption_circle import preempt_and_yield

Settle = Callable[[Organization], int]

LIST = "/o/here/workloads"

KUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: spot}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: fixed}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: shared}
spec:
  stopPolicy: None
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors:
        - {name: fixed, resources: [{name: cpu, nominalQuota: 1}]}
        - {name: spot, resources: [{name: cpu, nominalQuota: 6}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: main, namespace: vision}
spec: {clusterQueue: shared}
"""


@pytest.fixture
def partial(owner: Actor, settle: Settle) -> str:
    """Start a workload with 6 of 10 pods and return its id."""
    apply_config(owner, "kueue", KUEUE, "", 0)
    wanted: dict[str, Any] = {
        "name": "train",
        "namespace": "vision",
        "tags": {"kueue.x-k8s.io/queue-name": "main"},
        "pod_sets": [
            {"name": "driver", "requests": {"cpu": 1}},
            {"name": "workers", "count": 10, "min_count": 4, "requests": {"cpu": 1}},
        ],
    }
    (row,) = submit_workloads(owner, read_submissions([wanted]))
    settle(owner.org)
    return row.uid


def facts(page: Element) -> dict[str, str]:
    """Return the labels and values on a workload's page."""
    terms, values = page.id("facts").all("dt"), page.id("facts").all("dd")
    return {term.text: value.text for term, value in zip(terms, values, strict=True)}


def test_each_pod_set_says_how_many_pods_started_where(browser: Client, partial: str) -> None:
    page = read_page(browser.get(f"{LIST}/{partial}?tab=spec"))
    assert complaints(page) == []
    assert page.id("pod-sets").rows() == [
        ["driver", "1", "1 CPU", "any", "fixed (cpu)"],
        ["workers", "6 of 10 at least 4", "1 CPU", "any", "spot (cpu)"],
    ]
    shown = facts(page)
    assert [shown[name] for name in ("Requested", "Granted", "Flavors")] == [
        "11 CPUs",
        "7 CPUs",
        "driver: fixed (cpu); workers x 6: spot (cpu)",
    ]
    running = read_page(browser.get("/o/here/queues/shared?tab=running")).id("running-region")
    assert [row[:5] for row in running.rows()] == [
        [
            "train owner@here.example",
            "Admitted",
            "Quota reserved",
            "7 CPUs",
            shown["Flavors"],
        ]
    ]


def test_a_pod_set_shows_what_its_flavors_add_to_its_pods(
    browser: Client, owner: Actor, settle: Settle
) -> None:
    spec = """metadata: {name: spot}
spec:
  nodeLabels: {capacity: spot}
  tolerations:
    - {key: capacity, value: spot, effect: NoSchedule}
    - {key: drain, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
"""
    text = KUEUE.replace("metadata: {name: spot}\n", spec, 1).replace(
        "nominalQuota: 1", "nominalQuota: 0"
    )
    apply_config(owner, "kueue", text, "", 0)
    plain: dict[str, Any] = {
        "name": "plain",
        "namespace": "vision",
        "tags": {"kueue.x-k8s.io/queue-name": "main"},
        "requests": {"cpu": 4},
    }
    runs, waits = submit_workloads(owner, read_submissions([plain, plain]))
    settle(owner.org)
    page = read_page(browser.get(f"{LIST}/{runs.uid}?tab=spec"))
    assert complaints(page) == []
    # A plain request has a table too if its flavors add something.
    assert page.id("pod-sets").rows() == [
        [
            "main",
            "1",
            "4 CPUs",
            "any",
            (
                "spot (cpu) added to its pods: capacity=spot "
                "tolerates capacity=spot:NoSchedule tolerates drain:NoExecute for 300 s"
            ),
        ]
    ]
    waiting = read_page(browser.get(f"{LIST}/{waits.uid}?tab=spec"))
    assert not [each for each in waiting.walk() if each.attrs.get("id") == "pod-sets"]


def test_a_queue_that_is_drained_shows_who_has_to_stop(
    browser: Client, owner: Actor, settle: Settle, partial: str
) -> None:
    apply_config(
        owner, "kueue", KUEUE.replace("stopPolicy: None", "stopPolicy: HoldAndDrain"), "", 1
    )
    settle(owner.org)
    running = read_page(browser.get("/o/here/queues/shared?tab=running")).id("running-region")
    assert [row[:3] for row in running.rows()] == [
        ["train owner@here.example", "Preempting", "Queue drained"]
    ]
    for query, expected in (("reason=drained", ["train"]), ("reason=reclaimed_in_cohort", [])):
        page = read_page(browser.get(f"{LIST}?{query}"))
        assert [row[1].split()[0] for row in page.rows()] == expected
    page = read_page(browser.get(f"{LIST}/{partial}"))
    assert complaints(page) == []
    assert page.all("p", class_="headline__text")[0].text == (
        "Preempted: shared is stopped by its config, and its running workloads are drained."
    )
    assert "Preempted by" not in facts(page)
    assert [button.text for button in page.id("workload-actions").all("button")] == [
        "Release : confirms that it has stopped; frees its quota and requeues it",
        "Finish",
        "Deactivate",
        "Withdraw",
        "Change the priority",
    ]


def test_preempted_and_yielding_workloads_name_the_other_one(
    browser: Client, owner: Actor, settle: Settle
) -> None:
    yielding, stopping, first = preempt_and_yield(owner, settle)
    link = f"{LIST}/{first}"
    page = read_page(browser.get(LIST))
    assert complaints(page) == []
    told = {row[1].split()[0]: row[2:4] for row in page.rows()}
    assert told == {
        "first": ["Pending", "Starting soon"],
        "stopping": ["Preempting", "Quota reclaimed preempted by first"],
        "yielding": ["Pending", "Behind other workloads waits for first"],
    }
    assert [a.attrs["href"] for a in page.all("a") if a.text == "first"] == [link] * 3
    queue = read_page(browser.get("/o/here/queues/rest"))
    waiting = [row[5].partition(" Why ")[0] for row in queue.id("pending-region").rows()]
    assert waiting == [told["yielding"][1]]
    running = read_page(browser.get("/o/here/queues/rest?tab=running")).id("running-region")
    assert [row[1:3] for row in running.rows()] == [told["stopping"]]
    for uid, term in ((yielding, "Waits for"), (stopping, "Preempted by")):
        page = read_page(browser.get(f"{LIST}/{uid}"))
        assert complaints(page) == []
        assert facts(page)[term] == "first"
        assert page.id("facts").all("a", href=link)
    page = read_page(browser.get(link))
    assert not {"Waits for", "Preempted by"} & facts(page).keys()
