"""Lints about recorded workloads agree with the engine's decisions on these workloads."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from console.dialects.routed_history import RoutedHistory
from console.engine.disciplines.fairshare.reasons import (
    EXCEEDS_LIMIT,
    QUEUE_HAS_CHILDREN,
    QUEUE_MISSING,
)
from console.engine.disciplines.hierarchy.reasons import EXCEEDS_MAXIMUM, GANG_TOO_LARGE, NOT_PLACED
from console.engine.disciplines.quota.reasons import EXCEEDS_MAX_QUOTA
from console.engine.disciplines.quota.spec import QuotaSpec
from console.engine.model.amounts import SCALE
from console.engine.model.common_reasons import NO_FLAVOR_MATCHED
from console.engine.model.decision import Outcome
from console.engine.model.inventory import Cluster, Inventory, Node
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from console.engine.routing.reasons import LOCAL_QUEUE_MISSING, NO_RULE_MATCHED
from console.engine.routing.router import Router
from console.engine.state import State
from tests.dialects.lints.marked import Marked, marked_documents

DOCUMENTS = [each for each in marked_documents() if each.facts.history.shapes]
EVERY = pytest.mark.parametrize("document", DOCUMENTS, ids=[each.name for each in DOCUMENTS])

#: Decision on a workload without competitors -> the lint that counts it.
LOST, REFUSED, TOO_LARGE = "LNT001", "LNT016", "LNT013"
REASONS = {
    NO_RULE_MATCHED: LOST,
    LOCAL_QUEUE_MISSING: LOST,
    NO_FLAVOR_MATCHED: REFUSED,
    EXCEEDS_MAX_QUOTA: TOO_LARGE,
    QUEUE_MISSING: LOST,
    EXCEEDS_LIMIT: TOO_LARGE,
    # Counted by a lint of its own, together with workloads that wait now.
    QUEUE_HAS_CHILDREN: "",
    NOT_PLACED: LOST,
    GANG_TOO_LARGE: TOO_LARGE,
    EXCEEDS_MAXIMUM: TOO_LARGE,
}
#: More than any of the workloads requests, for disciplines whose configs have no nodes.
NODE = Node(name="n", offered={"cpu": 100 * SCALE, "memory": 10_000 * SCALE})
NODES = Inventory(clusters={"c": Cluster(name="c", nodes=(NODE,))})


def policy_of(document: Marked) -> Policy:
    policy = document.check().reading.policy
    assert policy is not None
    return policy


def alone(policy: Policy, workload: Workload) -> str:
    """Return the code of the lint that counts *workload*, or "" if it would be admitted."""
    state = State(policy)
    if policy.discipline == "hierarchy":
        state.change_inventory(NODES)
    state.submit(workload)
    (decision,) = state.settle()
    if decision.outcome is Outcome.ADMITTED:
        return ""
    # A resource that no group covers is counted together with requests that exceed every queue.
    uncovered = (
        isinstance(policy.spec, QuotaSpec)
        and decision.outcome is Outcome.PENDING
        and set(workload.total())
        - {
            resource
            for queue in policy.queues.values()
            for group in queue.groups
            for resource in group.resources
        }
    )
    return TOO_LARGE if uncovered else REASONS[decision.reason]


@EVERY
def test_recorded_workloads_are_routed_as_by_the_engine(document: Marked):
    policy = policy_of(document)
    router = Router(policy)
    past = RoutedHistory(policy, document.facts.history)
    assert sum(kind.runs for kind in past.kinds) == document.facts.history.runs
    for kind in past.kinds:
        for shape in kind.shapes:
            route = router.route(shape.workload)
            assert kind.queue == (None if kind.is_unrouted else route.queue)
            assert kind.is_unrouted == (route.queue is None)


@EVERY
def test_lints_count_workloads_that_the_engine_does_not_admit(document: Marked):
    policy = policy_of(document)
    expected: Counter[str] = Counter()
    for shape in document.facts.history.shapes:
        expected[alone(policy, shape.workload)] += shape.runs
    del expected[""]
    told: Counter[str] = Counter()
    for each in document.check().lints:
        if each.code in (LOST, REFUSED, TOO_LARGE):
            (runs,) = re.findall(r"(\d+) (?:of the \d+ )?workloads?\b", each.message)
            told[each.code] += int(runs)
    assert expected == told
