"""Queues and cohorts that limit ``pods``: every page answers, and demand has the implied pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import PendingClass, State, Workload
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.stored_pod_sets import decode_pod_sets
from console.workloads.submissions import read_submissions
from tests.pages.manifests import kueue, written

Settle = Callable[[Organization], int]
Demand = dict[str, float]

SHORT = kueue(
    "cohort: team, namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu, pods], "
    "flavors: [{name: f, resources: "
    "[{name: cpu, nominalQuota: 4}, {name: pods, nominalQuota: 1}]}]}]"
)

PAGES = (
    "/",
    "/cohorts",
    "/cohorts/team",
    "/cohorts/root",
    "/queues",
    "/queues/cq0",
    "/queues/cq1",
)
PATHS = ("overview", "cohorts", "cohorts/team", "cohorts/root", "queues", "queues/cq0")


def config(random: Random) -> str:
    """Return two queues in nested cohorts that cover cpu and usually pods too."""
    parts = [
        written("ResourceFlavor", "name: f"),
        written("Namespace", "name: ns", version="v1"),
        written("Cohort", "name: team", "parentName: root"),
    ]
    for number, covered in enumerate((["cpu", "pods"], random.choice([["cpu", "pods"], ["cpu"]]))):
        quotas = ", ".join(f"{{name: {r}, nominalQuota: {random.randint(0, 4)}}}" for r in covered)
        spec = (
            "namespaceSelector: {}, cohort: team, preemption: {reclaimWithinCohort: Any, "
            "withinClusterQueue: LowerPriority}, resourceGroups: [{coveredResources: "
            f"[{', '.join(covered)}], flavors: [{{name: f, resources: [{quotas}]}}]}}]"
        )
        parts += [
            written("ClusterQueue", f"name: cq{number}", spec),
            written("LocalQueue", f"name: lq{number}, namespace: ns", f"clusterQueue: cq{number}"),
        ]
    return "\n---\n".join(parts)


def wish(random: Random, number: int) -> dict[str, Any]:
    count = random.randint(1, 3)
    pods = {"count": count, "requests": {"cpu": random.choice([0, 1, 2])}}
    if random.random() < 0.3:
        pods["min_count"] = 1
    sets = [{"name": "main", **pods}]
    if random.random() < 0.3:
        sets.append({"name": "other", "requests": {"cpu": 1}})
    return {
        "name": f"w{number}",
        "namespace": "ns",
        "priority": random.randint(0, 2),
        "tags": {"kueue.x-k8s.io/queue-name": f"lq{random.randint(0, 1)}"},
        "pod_sets": sets,
    }


def requested_by_queue(org: Organization) -> dict[str, Demand]:
    """Return the requests of the pending workloads by queue, including their pods."""
    total: dict[str, Counter[str]] = {"cq0": Counter(), "cq1": Counter()}
    for row in Workload.objects.filter(org=org, state=State.PENDING, queue__isnull=False):
        for pod_set in decode_pod_sets(row.pod_sets, row.requests):
            total[row.queue]["cpu"] += pod_set.total().get("cpu", 0) // 1000
            total[row.queue]["pods"] += pod_set.count
    return {queue: dict(each) for queue, each in total.items()}


def demand_of(usages: list[dict[str, Any]]) -> Demand:
    """Return the demand in *usages*, including workloads that can never run."""
    return {each["resource"]: each["demand"] + each["cannot_run_demand"] for each in usages}


@pytest.mark.parametrize("seed", range(8))
def test_every_page_answers_and_demand_is_what_pending_workloads_ask_for(
    seed: int,
    owner: Actor,
    settle: Settle,
    client_for: Callable[[Actor], Client],
    api_for: Callable[[Actor], Client],
) -> None:
    random = Random(seed)
    apply_config(owner, "kueue", config(random), "", 0)
    for number in range(10):
        submit_workloads(owner, read_submissions([wish(random, number)]))
        if random.random() < 0.5:
            settle(owner.org)
    settle(owner.org)
    pages, api = client_for(owner), api_for(owner)
    for page in PAGES:
        assert pages.get(f"/o/here{page}").status_code == 200, page
    for path in PATHS:
        assert api.get(f"/api/v1/orgs/here/{path}").status_code == 200, path
    demand = requested_by_queue(owner.org)
    pooled: Counter[str] = Counter()
    for queue, wanted in demand.items():
        found = demand_of(api.get(f"/api/v1/orgs/here/queues/{queue}").json()["usage"])
        assert found == {resource: wanted.get(resource, 0) for resource in found}
        pooled.update(found)
    team = api.get("/api/v1/orgs/here/cohorts/team").json()
    assert demand_of(team["pools"]) == {"cpu": 0, "pods": 0} | pooled


def test_a_queue_that_is_short_of_pods_says_how_many_are_wanted(
    owner: Actor, settle: Settle, api_for: Callable[[Actor], Client]
) -> None:
    apply_config(owner, "kueue", SHORT, "", 0)
    tags = {"kueue.x-k8s.io/queue-name": "lq0"}
    for name in "abc":
        wanted = {"name": name, "namespace": "ns", "tags": tags, "requests": {"cpu": 1}}
        submit_workloads(owner, read_submissions([wanted]))
    settle(owner.org)
    api = api_for(owner)
    queue = api.get("/api/v1/orgs/here/queues/cq0").json()
    assert demand_of(queue["usage"]) == {"cpu": 2, "pods": 2}
    assert queue["pressure"] == {"resource": "pods", "wanted": 2, "free": 0}
    (team,) = api.get("/api/v1/orgs/here/cohorts").json()["results"]
    assert demand_of(team["pools"]) == {"cpu": 2, "pods": 2}


def test_rows_of_an_older_version_do_not_break_the_cohorts(
    owner: Actor,
    settle: Settle,
    client_for: Callable[[Actor], Client],
    api_for: Callable[[Actor], Client],
) -> None:
    """An older version wrote the rows before pods counted as requested."""
    test_a_queue_that_is_short_of_pods_says_how_many_are_wanted(owner, settle, api_for)
    PendingClass.objects.update(requests={"cpu": 1000})
    assert api_for(owner).get("/api/v1/orgs/here/cohorts/team").status_code == 200
    assert client_for(owner).get("/o/here/cohorts").status_code == 200
