"""The feeds over HTTP: decisions in order for executors, and events for people."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from console.api import waiting
from console.workloads.queries import feeds
from tests.api.documents import CAP, OPEN


@pytest.fixture
def client(api, owner):
    return api(owner)


def apply(client, text: str, version: int = 0) -> None:
    assert client.post("config/versions", {"text": text, "expected_version": version}).status == 201


def submit(client, *workloads: dict) -> list[str]:
    return client.post("workloads", {"workloads": list(workloads)}).body["ids"]


def test_following_next_reads_every_decision_once(client, settle, owner):
    apply(client, OPEN)
    ids = submit(client, *({"name": f"w{i}"} for i in range(23)))
    settle(owner.org)
    seen, after = [], 0
    while rows := client.get("decisions", after=after, limit=5).body["results"]:
        assert client.get("decisions", after=after, limit=5).body["results"] == rows
        seen += [row["workload"]["id"] for row in rows]
        after = rows[-1]["seq"]
        if len(seen) == 10:
            ids += submit(client, {"name": "late"})
            settle(owner.org)
    assert seen == ids


ROOM_FOR_TWO = """\
resource_flavors:
  - name: any
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: any
            resources: [{ name: gpu, nominal_quota: 2 }]
scheduling_rules:
  - resource_queue: train
"""


def test_an_executor_filters_decisions_by_outcome(client, settle, owner, monkeypatch):
    apply(client, ROOM_FOR_TWO)
    ids = submit(client, *({"name": name, "requests": {"gpu": 1}} for name in "abcde"))
    settle(owner.org)
    client.post("workloads/finish", {"ids": ids[:1]})
    settle(owner.org)
    feed = client.get("decisions", after=0).body["results"]
    numbers = [row["seq"] for row in feed]
    outcomes = [row["outcome"] for row in feed]
    assert outcomes == ["admitted", "admitted", "pending", "pending", "pending", "admitted"]

    def read(after: int, limit: int, *wanted: str) -> tuple[list[int], int]:
        query = "".join(f"&outcome={each}" for each in wanted)
        body = client.get(f"decisions?after={after}&limit={limit}{query}").body
        return [row["seq"] for row in body["results"]], body["next"]

    first, second, third, fourth, fifth, sixth = numbers
    assert read(0, 2, "admitted") == ([first, second], second)
    assert read(second, 2, "admitted") == ([sixth], sixth)
    assert read(sixth, 2, "admitted") == ([], sixth)
    assert read(0, 9, "pending", "preempted") == ([third, fourth, fifth], sixth)
    assert read(0, 9, "preempted") == ([], sixth)
    assert read(0, 9) == (numbers, sixth)
    # One read examines a bounded number of decisions.
    monkeypatch.setattr(feeds, "WINDOW", 2)
    assert read(0, 9, "admitted") == ([first, second], second)
    assert read(second, 9, "admitted") == ([], fourth)
    assert read(fourth, 9, "admitted") == ([sixth], sixth)


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """Replace the clock: each pause is recorded and advances the time without waiting."""
    pauses: list[float] = []
    fake = SimpleNamespace(monotonic=lambda: sum(pauses), sleep=pauses.append)
    monkeypatch.setattr(waiting, "time", fake)
    return pauses


def test_an_executor_waits_for_the_next_decision(client, settle, owner, clock, monkeypatch):
    apply(client, OPEN)
    settle(owner.org)
    submit(client, {"name": "a"})

    def decide(pause: float) -> None:
        clock.append(pause)
        if len(clock) == 3:
            settle(owner.org)

    monkeypatch.setattr(waiting.time, "sleep", decide)
    feed = client.get("decisions", after=0, wait=2).body
    assert [row["workload"]["name"] for row in feed["results"]] == ["a"]
    assert len(clock) == 3
    # Existing decisions are returned without waiting.
    assert client.get("decisions", after=0, wait=2).body == feed
    assert len(clock) == 3


def test_a_read_waits_no_longer_than_requested(client, clock):
    assert client.get("decisions", after=0, wait=1).body == {"results": [], "next": 0}
    assert 1 <= sum(clock) < 1.1
    # The intervals grow, because an executor may have nothing to do all night.
    assert clock == sorted(clock)
    assert len(clock) < 150
    clock.clear()
    assert client.get("decisions", after=0).body == {"results": [], "next": 0}
    assert clock == []


def test_a_second_waiting_read_in_a_process_is_answered_at_once(client, clock):
    with waiting._waiting:
        assert client.get("decisions", after=0, wait=2).body == {"results": [], "next": 0}
    assert clock == []
    assert client.get("decisions", after=0, wait=2).status == 200
    assert clock


@pytest.mark.parametrize("seconds", ["3", "-1", "long"])
def test_how_long_to_wait_has_a_bound(client, clock, seconds):
    answer = client.get("decisions", wait=seconds)
    assert (answer.status, answer.body["errors"][0]["path"]) == (400, "wait")
    assert answer.body["errors"][0]["message"] == "wait has to be an integer from 0 to 2."
    assert clock == []


def test_launch_configs_are_those_of_the_version_that_decided(client, settle, owner):
    config = "    advanced_instance_config: {size: %d}\n"
    flavor = "  - name: m5-2xlarge\n"
    apply(client, CAP.replace(flavor, flavor + config % 1, 1))
    small = {"instance_type": "m5.2xlarge", "requests": {"cpu": 1}}
    submit(client, {"name": "before", **small})
    settle(owner.org)
    apply(client, CAP.replace(flavor, flavor + config % 2, 1), 1)
    submit(client, {"name": "after", **small})
    settle(owner.org)
    rows = client.get("decisions").body["results"]
    assert [(row["workload"]["name"], row["config_version"], row["flavors"]) for row in rows] == [
        (name, size, {"cpu": {"flavor": "m5-2xlarge", "launch_config": {"size": size}}})
        for name, size in (("before", 1), ("after", 2))
    ]


TWO_FLAVORS = """\
resource_flavors:
  - name: small
    advanced_instance_config: {size: 1}
  - name: large
    advanced_instance_config: {size: 2}
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [cpu]
        flavors:
          - {name: small, resources: [{name: cpu, nominal_quota: 2}]}
          - {name: large, resources: [{name: cpu, nominal_quota: 5}]}
scheduling_rules:
  - resource_queue: train
"""


def test_each_pod_set_has_its_own_count_and_launch_configs(client, settle, owner):
    apply(client, TWO_FLAVORS)
    pod_sets = [
        {"name": "driver", "requests": {"cpu": 2}},
        {"name": "workers", "count": 9, "min_count": 2, "requests": {"cpu": 1}},
    ]
    (uid,) = submit(client, {"name": "many", "pod_sets": pod_sets})
    settle(owner.org)
    (row,) = client.get("decisions").body["results"]
    assert row["flavors"] == {}
    assert row["assignment"] == [
        {
            "name": "driver",
            "count": 1,
            "flavors": {"cpu": {"flavor": "small", "launch_config": {"size": 1}}},
            "node_selector": {},
            "tolerations": [],
        },
        {
            "name": "workers",
            "count": 5,
            "flavors": {"cpu": {"flavor": "large", "launch_config": {"size": 2}}},
            "node_selector": {},
            "tolerations": [],
        },
    ]
    assert client.get(f"workloads/{uid}").body["assignment"] == [
        {
            "name": "driver",
            "count": 1,
            "flavors": {"cpu": "small"},
            "node_selector": {},
            "tolerations": [],
        },
        {
            "name": "workers",
            "count": 5,
            "flavors": {"cpu": "large"},
            "node_selector": {},
            "tolerations": [],
        },
    ]


def test_events_are_listed_in_order_and_filtered(client, settle, owner):
    apply(client, CAP)
    small = {"instance_type": "m5.2xlarge", "requests": {"cpu": 24}}
    runs, waits = submit(client, {"name": "runs", **small}, {"name": "waits", **small})
    settle(owner.org)
    client.post(f"workloads/{runs}/finish")
    settle(owner.org)

    def story(**query: str) -> list[str]:
        rows = client.get("events", **query).body["results"]
        return [row["type"] for row in reversed(rows)]

    assert story(workload=runs) == ["REQUEST_SUBMITTED", "REQUEST_ADMITTED", "REQUEST_FULFILLED"]
    assert story(workload=waits) == ["REQUEST_SUBMITTED", "REQUEST_QUEUED", "REQUEST_ADMITTED"]
    assert story(type="CONFIG_UPDATED") == ["CONFIG_UPDATED"]
    assert story(type="REQUEST_ADMITTED", actor="engine") == ["REQUEST_ADMITTED"] * 2
    assert story(level="ERROR") == []
    assert story(queue="q-m5-2xlarge-cap3", type="REQUEST_QUEUED") == ["REQUEST_QUEUED"]
    assert story(until="2000-01-01T00:00:00Z") == []
    assert story(since="2000-01-01T00:00:00Z", type="REQUEST_QUEUED") == ["REQUEST_QUEUED"]
    assert story(workload="unknown") == []
    every = client.get("events").body["results"]
    assert all(row["message"] for row in every)
    assert [row["workload"] for row in every if row["type"] == "CONFIG_UPDATED"] == [None]

    seen, cursor = [], ""
    while cursor is not None:
        page = client.get("events", limit=2, cursor=cursor).body
        seen += page["results"]
        cursor = page["next"]
    assert seen == every
