"""Pending workloads that a state for explanations does not restore one by one."""

from __future__ import annotations

import pytest

from console.engine.pending.pending_class import PREEMPTOR
from console.engine.pending.unrestored import UnrestoredClass
from console.engine.state import State
from console.orgs.models import Organization
from console.workloads.models import PendingClass
from console.workloads.services.load_requests import load_requests
from tests.cohorts import LAB, wait
from tests.engine.fairshare.live import policy, queue, workload


@pytest.fixture
def rows(org: Organization) -> None:
    wait(org, "a", "no_node_has_room", 3, 2000)
    wait(org, "b", "no_node_has_room", 1, 1000)
    PendingClass.objects.create(
        org=org,
        key=f"{PREEMPTOR}w9",
        queue="a",
        priority=0,
        requests={"gpu": 1000},
        reason="waiting_for_preempted",
        count=1,
    )


def test_classes_count_without_their_restored_members(org: Organization, rows: None) -> None:
    state = State(policy([queue("a"), queue("b")]), now=1)
    state.submit(workload("w1", 1, "a", gpu=2))
    state.take_in_arrivals()
    (key,) = state.queue("a").pending.classes
    PendingClass.objects.filter(queue="a", count=3).update(key=key)
    load_requests(state, org)
    assert {name: each.unrestored for name, each in state.queues.items()} == {
        "a": (UnrestoredClass(priority=0, requests={"gpu": 2000}, count=2),),
        "b": (UnrestoredClass(priority=0, requests={"gpu": 1000}, count=1),),
    }


def test_a_discipline_that_does_not_read_requests_costs_no_statement(
    org: Organization, rows: None, django_assert_num_queries
) -> None:
    state = State(LAB, now=1)
    with django_assert_num_queries(0):
        load_requests(state, org)
    assert not any(each.unrestored for each in state.queues.values())
