"""Pending workloads that a new policy would reject: one test per kind, counted by queue."""

from __future__ import annotations

from console.engine.explain.consequences import consequence_sentence
from console.engine.model.consequences import ConsequenceCode
from console.engine.model.history import Backlog, Waiting
from console.engine.routing.rule_routing import rules_of
from console.engine.simulation.rejected_pending import find_rejected_pending
from tests.engine.builders import only, policy, queue, rule, workload

TRAIN = queue("train").owns("a100", gpu=4)
SERVE = queue("serve").owns("a100", gpu=4)
OLD = policy(
    TRAIN, SERVE, rules=[rule(0, "train", only(team="ml")), rule(1, "serve", only(team="web"))]
)
BACKLOG = Backlog(
    kinds=(
        Waiting(workload=workload("a", labels={"team": "ml"}, gpu=8), queue="train", count=30),
        Waiting(workload=workload("b", labels={"team": "web"}, gpu=8), queue="serve", count=2),
        # No rule of the old policy matches either.
        Waiting(workload=workload("c", labels={"team": "lab"}, gpu=8), queue=None, count=500),
    )
)


def test_same_rules_or_none_reject_no_pending_workload() -> None:
    assert find_rejected_pending(OLD, OLD, BACKLOG) is None
    assert find_rejected_pending(OLD, policy(TRAIN, rules=()), BACKLOG) is None
    assert (
        find_rejected_pending(OLD, policy(TRAIN, SERVE, rules=[rule(0, "serve")]), BACKLOG) is None
    )


def test_newly_unmatched_workloads_are_counted_by_queue() -> None:
    found = find_rejected_pending(
        OLD, policy(TRAIN, rules=[rule(0, "train", only(team="x"))]), BACKLOG
    )
    assert found is not None
    assert (found.code, found.names, found.pending, found.is_exact) == (
        ConsequenceCode.PENDING_REJECTED,
        ("serve", "train"),
        32,
        True,
    )
    assert consequence_sentence(found) == (
        "32 pending workloads of queues serve and train are rejected: no rule, or no flavor, "
        "matches them any more."
    )


def test_workloads_without_flavor_are_counted_too() -> None:
    new = policy(TRAIN, SERVE, flavors={"a100": only(kind="new")}, rules=rules_of(OLD))
    found = find_rejected_pending(OLD, new, Backlog(kinds=BACKLOG.kinds[1:], is_whole=False))
    assert found is not None
    assert consequence_sentence(found) == (
        "About 2 pending workloads of queue serve are rejected: no rule, or no flavor, matches "
        "them any more."
    )
