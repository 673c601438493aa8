"""Workloads under fair sharing, from submission to eviction: rows, pages and the API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from console.capacity.services.report_cluster import report_cluster
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.explanations import explain_workload
from console.workloads.models import Engine, State, Workload
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.cohorts import activate_policy
from tests.engine.fairshare.live import policy, queue
from tests.pages.page import complaints, read_page

Settle = Callable[[Organization], int]


@pytest.fixture
def nodes(owner: Actor, settle: Settle, monkeypatch: pytest.MonkeyPatch) -> Organization:
    """An organization with two nodes of two GPUs, which two queues share."""
    found = policy(
        [queue("dept", quota=3), queue("a", "dept", quota=2), queue("b", "dept", quota=2)]
    )
    activate_policy(owner.org, replace(found, dialect="native"), monkeypatch)
    Engine.objects.filter(org=owner.org).update(config_version=1)
    reported = [{"name": f"n{number}", "allocatable": {"gpu": 2}} for number in range(2)]
    report_cluster(owner, "east", {"nodes": reported})
    settle(owner.org)
    return owner.org


def submit(owner: Actor, name: str, queue: str, gpu: int = 1, **fields: Any) -> Workload:
    body = [{"name": name, "tags": {"queue": queue}, "requests": {"gpu": gpu}, **fields}]
    (row,) = submit_workloads(owner, read_submissions(body))
    return row


def explained(org: Organization, name: str) -> dict[str, list[str]]:
    """Return the sentences of the live explanation by stage."""
    found = explain_workload(org, Workload.objects.get(org=org, name=name))
    assert found.live
    return {
        stage.stage: [sentence.text for sentence in stage.sentences]
        for stage in found.explanation.stages
    }


def states(org: Organization) -> dict[str, str]:
    return dict(Workload.objects.filter(org=org).order_by("pk").values_list("name", "state"))


def test_a_queue_reclaims_its_quota(
    owner: Actor, nodes: Organization, settle: Settle, people: dict[str, Client]
) -> None:
    for number in range(4):
        submit(owner, f"b{number}", "b")
    settle(nodes)
    submit(owner, "b4", "b")
    settle(nodes)
    assert states(nodes) == {**{f"b{number}": "admitted" for number in range(4)}, "b4": "pending"}
    found = explained(nodes, "b4")
    assert found["nodes"] == ["2 nodes lack GPUs."]
    submit(owner, "a0", "a")
    settle(nodes)
    assert states(nodes)["b3"] == State.PREEMPTING
    (victim, waiting) = (Workload.objects.get(org=nodes, name=name) for name in ("b3", "a0"))
    assert waiting.reason == "waiting_for_preempted"
    for row in (victim, waiting):
        page = read_page(people["viewer"].get(f"/o/here/workloads/{row.uid}"))
        assert complaints(page) == []
    page = read_page(people["owner"].get(f"/o/here/workloads/{victim.uid}"))
    assert "KAI reports: Pod b3 was preempted by workload a0." in page.text
    for path in ("", "queues", "queues/b?tab=running", "queues/dept", "shares", "events"):
        assert complaints(read_page(people["viewer"].get(f"/o/here/{path}"))) == []


def test_an_explanation_counts_pending_workloads_of_other_queues(
    owner: Actor, nodes: Organization, settle: Settle
) -> None:
    for number in range(4):
        submit(owner, f"b{number}", "b", priority=100, preemptible=False)
        settle(nodes)
    assert sum(state == "admitted" for state in states(nodes).values()) == 2
    for number in range(3):
        submit(owner, f"a{number}", "a", gpu=2)
    settle(nodes)
    found = explained(nodes, "b3")
    assert found["queue_order"] == [
        "b before a: with its next workload it has the smaller dominant share (rule 5 of 8)."
    ]
    assert found["limits"][-2:] == [
        "Quota of b: 2 GPUs, 2 GPUs used by workloads that cannot be preempted, 1 GPU requested.",
        (
            "Quota of dept: 3 GPUs, 2 GPUs used by workloads that cannot be preempted, 1 GPU "
            "requested."
        ),
    ]
