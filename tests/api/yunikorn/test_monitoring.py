"""History, events, health checks and the use of nodes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.capacity.services.report_cluster import report_cluster
from console.heartbeat import Pulse
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from tests.api.yunikorn.conftest import Busy, Rest


def events(rest: Rest, query: str = "") -> Any:
    """Return a batch of events without what differs between runs."""
    return rest.read(f"events/batch{query}")


def test_history_has_the_running_applications_of_sampled_minutes(
    busy: Busy, org: Organization
) -> None:
    assert busy.rest.read("history/apps") == []
    now = timezone.now()
    assert sample_orgs(now) == [org.pk]
    sample_org(org.pk, now)
    [row] = busy.rest.read("history/apps")
    moment = row["timestamp"] / 10**9
    assert abs(moment - now.timestamp()) < timedelta(minutes=2).total_seconds()
    assert row == {"timestamp": row["timestamp"], "totalApplications": "4"}


def test_history_has_the_present_number_of_pods(busy: Busy) -> None:
    [row] = busy.rest.read("history/containers")
    assert row["totalContainers"] == "6"
    assert row["timestamp"] > 1_600_000_000 * 10**9


def test_events_are_records_of_yunikorn(busy: Busy) -> None:
    found = events(busy.rest)
    records = found["EventRecords"]
    assert all(each["timestampNano"] > 1_600_000_000 * 10**9 for each in records)
    kinds = {
        (
            each["type"],
            each.get("eventChangeType"),
            each.get("eventChangeDetail"),
            each["objectID"],
        ): each
        for each in records
    }
    one, lost = busy.ids["one"], busy.ids["lost"]
    assert kinds.keys() >= {
        (4, 1, 400, "root"),
        (3, 2, None, "east"),
        (2, 2, 203, one),
        (2, 1, 206, one),
        (2, 2, 203, lost),
        (2, 1, 202, lost),
    }
    started = kinds[2, 1, 206, one]
    assert started["referenceID"] == "root.team.a"
    assert started["resource"] == {}
    assert started["message"].startswith("one ")
    times = [each["timestampNano"] for each in records]
    assert times == sorted(times)


def test_events_are_read_in_batches(busy: Busy) -> None:
    whole = events(busy.rest)
    found, start = [], whole["LowestID"]
    while True:
        batch = events(busy.rest, f"?start={start}&count=3")
        assert batch["LowestID"] == whole["LowestID"]
        assert batch["InstanceUUID"] == whole["InstanceUUID"]
        if not batch["EventRecords"]:
            break
        found += batch["EventRecords"]
        start = batch["HighestID"] + 1
    assert found == whole["EventRecords"]
    assert batch["HighestID"] == whole["HighestID"] == start - 1


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("count=0", '0 is not a valid value for "count"'),
        ("count=x", 'strconv.ParseUint: parsing "x": invalid syntax'),
        ("start=-1", 'strconv.ParseUint: parsing "-1": invalid syntax'),
    ],
)
def test_wrong_numbers_are_refused(scheduler: Rest, query: str, message: str) -> None:
    assert scheduler.get(f"events/batch?{query}").error[:2] == (400, message)


def test_large_numbers_are_beyond_all_events(scheduler: Rest) -> None:
    assert events(scheduler, f"?start={10**30}&count={10**30}")["EventRecords"] == []


def test_a_healthy_scheduler_passes_all_checks(busy: Busy) -> None:
    found = busy.rest.read("scheduler/healthcheck")
    assert found["Healthy"] is True
    assert [(each["Name"], each["Succeeded"]) for each in found["HealthChecks"]] == [
        ("Scheduling errors", True),
        ("Failed nodes", True),
        ("Negative resources", True),
        ("Orphan allocations", True),
    ]


def test_checks_name_what_is_wrong(
    busy: Busy, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = {"name": "n1", "allocatable": {"cpu": "1"}}
    report_cluster(owner, "east", {"nodes": [node]})
    report_cluster(owner, "west", {"state": "error", "nodes": []})
    monkeypatch.setattr("console.api.yunikorn.health.pulse", lambda: Pulse.WORKER_SILENT)
    found = busy.rest.read("scheduler/healthcheck")
    assert found["Healthy"] is False
    assert [(each["Succeeded"], each["DiagnosisMessage"]) for each in found["HealthChecks"]] == [
        (False, "State: worker_silent"),
        (False, "Found: [west]"),
        (False, "Found: [east/n1]"),
        (True, "Found: []"),
    ]


def test_nodes_are_counted_by_tenths_of_each_resource(busy: Busy) -> None:
    default, gpu = busy.rest.read("scheduler/node-utilizations")
    assert (default["clusterId"], default["partition"]) == ("here", "default")
    filled = {
        each["type"]: [bucket for bucket in each["utilization"] if len(bucket) > 1]
        for each in default["utilizations"]
    }
    assert filled == {
        "memory": [{"bucketName": "10-20%", "numOfNodes": 1, "nodeNames": ["n1"]}],
        "vcore": [{"bucketName": "70-80%", "numOfNodes": 1, "nodeNames": ["n1"]}],
    }
    names = [each["bucketName"] for each in gpu["utilizations"][0]["utilization"]]
    assert names == [f"{number}-{number + 10}%" for number in range(0, 100, 10)]
