"""Overview, queues, their workloads and top consumers in the client's protocol."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.compat.conftest import CONFIG, Compat

USAGE = {
    "flavor": "a100",
    "resource": "gpu",
    "used": 2,
    "ceiling": 2,
    "headroom": 0,
    "utilization": 1.0,
}


def counts(running: int, pending: int, spot: int = 0, on_demand: int = 0) -> dict[str, Any]:
    """Return the counts for workloads of one node each."""
    return {
        "nodes": {"running": running, "admitted": running, "pending": pending},
        "workloads": {"running": running, "pending": pending},
        "market": {
            "spot": spot,
            "on_demand": on_demand,
            "unspecified": running - spot - on_demand,
        },
    }


def test_overview(owner_client: Compat, busy: Any) -> None:
    answer = owner_client.get("scheduler/overview").result
    assert answer["topology"].pop("config_updated_at").endswith("Z")
    both = counts(2, 1, spot=1, on_demand=1)
    assert answer == {
        "totals": {**both, "active_workloads": 3},
        "utilization": [USAGE],
        "clouds": [{"cloud_id": "here", **both}],
        "topology": {
            "active_queues": 2,
            "active_flavors": 1,
            "active_rules": 2,
            "active_cohorts": 0,
            "config_version": 1,
        },
    }


def test_overview_of_an_empty_organization(owner_client: Compat) -> None:
    answer = owner_client.get("scheduler/overview").result
    assert answer["utilization"] == []
    assert answer["topology"] == {
        "active_queues": 0,
        "active_flavors": 0,
        "active_rules": 0,
        "active_cohorts": 0,
        "config_version": 0,
        "config_updated_at": None,
    }


def test_queues_are_paged(owner_client: Compat, busy: Any) -> None:
    first = owner_client.get("scheduler/queues", limit=1)
    assert first.results == [
        {
            "queue_id": "team/train",
            "queue": "team/train",
            "cohort": None,
            "quota": [USAGE],
            **counts(1, 1, spot=1),
        }
    ]
    total, token = first.page
    assert total == 2
    second = owner_client.get("scheduler/queues", limit=1, paging_token=token)
    assert second.results == [
        {
            "queue_id": "rest",
            "queue": "rest",
            "cohort": None,
            "quota": [],
            **counts(1, 0, on_demand=1),
        }
    ]
    assert second.page == (2, None)


def test_unlimited_quota_is_omitted(owner_client: Compat, settle: Any, org: Any) -> None:
    open_ended = {
        **CONFIG,
        "resource_queues": [
            {
                "name": "q",
                "resource_groups": [
                    {"covered_resources": ["gpu", "cpu"], "flavors": [{"name": "a100"}]}
                ],
            }
        ],
        "scheduling_rules": [],
    }
    owner_client.post("scheduler/config", {"config": open_ended})
    settle(org)
    assert owner_client.get("scheduler/queues").results[0]["quota"] == []
    assert owner_client.get("scheduler/overview").result["utilization"] == []


def test_a_cohort_raises_the_limit_above_the_nominal_quota(owner_client: Compat) -> None:
    def queue(name: str, quota: int) -> dict[str, Any]:
        resources = [{"name": "gpu", "nominal_quota": quota}]
        group = {
            "covered_resources": ["gpu"],
            "flavors": [{"name": "a100", "resources": resources}],
        }
        return {"name": name, "cohort_name": "all", "resource_groups": [group]}

    pooled = {**CONFIG, "resource_queues": [queue("a", 4), queue("b", 6)], "scheduling_rules": []}
    owner_client.post("scheduler/config", {"config": pooled})
    rows = owner_client.get("scheduler/queues").results
    assert [(row["cohort"], row["quota"][0]["ceiling"]) for row in rows] == [("all", 10)] * 2
    overview = owner_client.get("scheduler/overview").result
    assert [each["ceiling"] for each in overview["utilization"]] == [10]
    assert overview["topology"]["active_cohorts"] == 1


def test_one_queue(owner_client: Compat, busy: Any) -> None:
    summary = counts(1, 1, spot=1)
    del summary["workloads"]
    assert owner_client.get("scheduler/queues/team/train").result == {
        "queue": "team/train",
        "summary": {"running_workloads": 1, "pending_workloads": 1, **summary},
    }


@pytest.mark.parametrize(
    ("state", "name", "expected"),
    [
        (
            "RUNNING",
            "runs",
            {
                "type": "JOB",
                "priority": 7,
                "nodes": {"requested": 1, "admitted": 1, "running": 1, "pending": 0},
                "flavors": ["a100"],
                "status": "RUNNING",
                "queue_position": 0,
            },
        ),
        (
            "pending",
            "waits",
            {
                "type": "WORKSPACE",
                "priority": 0,
                "nodes": {"requested": 1, "admitted": 0, "running": 0, "pending": 1},
                "flavors": [],
                "status": "QUEUED",
                "queue_position": 1,
            },
        ),
    ],
)
def test_workloads_of_a_queue_by_state(
    owner_client: Compat, busy: dict[str, str], state: str, name: str, expected: dict[str, Any]
) -> None:
    answer = owner_client.get("scheduler/queues/team/train/workloads", state=state)
    (row,) = answer.results
    assert row.pop("created_at").endswith("Z")
    assert row == {
        "cluster_id": busy[name],
        "name": name,
        "project": "p",
        "cloud_id": "here",
        "plan_id": "1",
        "requested_resources": {"gpu": 2},
        "url": f"http://testserver/o/here/workloads/{busy[name]}",
        **expected,
    }
    assert answer.page == (1, None)


def test_a_preempted_workload_is_queued_again(
    owner_client: Compat, api: Any, owner: Any, settle: Any
) -> None:
    config = {
        **CONFIG,
        "resource_queues": [
            {
                **CONFIG["resource_queues"][0],
                "preemption": {"within_resource_queue": "lower_priority"},
            },
            CONFIG["resource_queues"][1],
        ],
    }
    owner_client.post("scheduler/config", {"config": config})
    train = {"tags": {"team": "a"}, "market_type": "SPOT", "requests": {"gpu": 2}}
    client = api(owner)
    (stopped,) = client.post("workloads", {"workloads": [{"name": "low", **train}]}).body["ids"]
    settle(owner.org)
    client.post("workloads", {"workloads": [{"name": "high", "priority": 9, **train}]})
    settle(owner.org)
    client.post(f"workloads/{stopped}/release")
    settle(owner.org)
    answer = owner_client.get("scheduler/queues/team/train/workloads", state="PENDING")
    assert [(row["name"], row["status"]) for row in answer.results] == [("low", "REQUEUED")]


def test_pods_are_nodes(owner_client: Compat, api: Any, owner: Any, settle: Any) -> None:
    owner_client.post("scheduler/config", {"config": CONFIG})
    pods = {"pod_sets": [{"name": "w", "count": 3, "requests": {"cpu": 1}}]}
    client = api(owner)
    client.post("workloads", {"workloads": [{"name": "wide", "market_type": "SPOT", **pods}]})
    client.post("workloads", {"workloads": [{"name": "narrow"}]})
    settle(owner.org)
    totals = owner_client.get("scheduler/overview").result["totals"]
    assert totals["nodes"] == {"running": 4, "admitted": 4, "pending": 0}
    assert totals["market"] == {"spot": 3, "on_demand": 0, "unspecified": 1}
    assert totals["workloads"] == {"running": 2, "pending": 0}
    consumers = owner_client.get("scheduler/top-consumers").results
    assert [(each["name"], each["nodes"]) for each in consumers] == [("wide", 3), ("narrow", 1)]


def test_workloads_beyond_the_limit_count_as_one_node(
    owner_client: Compat, busy: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("console.workloads.queries.nodes.MOST_LOOKED_AT", 1)
    totals = owner_client.get("scheduler/overview").result["totals"]
    assert totals["nodes"] == {"running": 2, "admitted": 2, "pending": 1}
    assert totals["market"] == {"spot": 0, "on_demand": 1, "unspecified": 1}


def test_top_consumers(owner_client: Compat, busy: dict[str, str]) -> None:
    everybody = owner_client.get("scheduler/top-consumers")
    assert [each["name"] for each in everybody.results] == ["runs", "serves"]
    assert everybody.page == (2, None)
    answer = owner_client.get("scheduler/top-consumers", queue_id="team/train", limit=1)
    (row,) = answer.results
    assert row.pop("duration_seconds") >= 0
    assert row == {
        "cluster_id": busy["runs"],
        "name": "runs",
        "project": "p",
        "nodes": 1,
        "url": f"http://testserver/o/here/workloads/{busy['runs']}",
    }
