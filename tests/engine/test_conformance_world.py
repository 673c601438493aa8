"""Loading a conformance case: its objects and workloads become a policy and engine values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from console.dialects.conformance import MalformedCase
from console.dialects.kueue.conformance.answers import Mode
from console.dialects.kueue.conformance.dominant_share import extra_usage_in
from console.dialects.kueue.conformance.engine_under_test import (
    Nominated,
    PreemptionStub,
    Simulated,
)
from console.dialects.kueue.conformance.flavor_assignment import stub_in
from console.dialects.kueue.conformance.preemption import nominated_in
from console.dialects.kueue.conformance.workloads import PendingWorkload, RunningWorkload
from console.dialects.kueue.conformance.world import World, read_world
from console.engine.disciplines.quota.spec import (
    Cohort,
    FairStrategy,
    Flavor,
    FlavorQuotas,
    Fungibility,
    FungibilityPolicy,
    Preemption,
    PreemptionRule,
    Preference,
    QueueSpec,
    Quota,
    QuotaSettings,
    ResourceGroup,
    Undeclared,
    quota_policy,
    spec_of,
)
from console.engine.model.amounts import UNLIMITED
from console.engine.model.decision import PodSetAssignment
from console.engine.model.nodes import (
    FlavorToleration,
    NodeExpression,
    NodeOperator,
    Taint,
    TaintEffect,
    Toleration,
)
from console.engine.model.policy import StopPolicy, Strategy
from console.engine.model.selectors import EVERYTHING, MatchExpression, Operator, Selector
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting, local_routing_of

KUEUE = sorted((Path(__file__).parents[1] / "vectors" / "kueue").glob("*.json"))
LABEL = "kueue.x-k8s.io/queue-name"


def manifest(kind: str, name: str, namespace: str | None = None, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"kind": kind, "metadata": metadata, "spec": spec}


def world(*objects: dict[str, Any], **parts: Any) -> World:
    return read_world({"objects": list(objects), **parts})


def ordered(world: World) -> list[str]:
    """Return the names of all workloads, the earliest first."""
    everybody = [each.workload for each in (*world.running, *world.pending)]
    return [each.id for each in sorted(everybody, key=lambda each: each.sequence)]


def test_an_empty_spec_has_the_defaults_of_the_api() -> None:
    policy = world(manifest("ClusterQueue", "q"), manifest("ResourceFlavor", "f")).policy
    assert policy == quota_policy(
        "kueue",
        flavors={"f": Flavor(name="f")},
        queues={
            "q": QueueSpec(
                name="q",
                preemption=Preemption(
                    within_queue=PreemptionRule.NEVER,
                    reclaim_within_cohort=PreemptionRule.NEVER,
                    borrow_within_cohort=PreemptionRule.NEVER,
                ),
                strategy=Strategy.BEST_EFFORT_FIFO,
                fungibility=Fungibility(
                    when_can_borrow=FungibilityPolicy.MAY_STOP,
                    when_can_preempt=FungibilityPolicy.TRY_NEXT,
                    preference=Preference.BORROWING_OVER_PREEMPTION,
                ),
                stop=StopPolicy.NONE,
                fair_weight=1_000_000_000,
                namespaces=None,
            )
        },
        routing=LocalQueueRouting(),
        settings=QuotaSettings(
            fair_sharing=(), undeclared=Undeclared.BLOCK, zeros_take_flavors=True
        ),
    )


def test_all_fields_of_objects_are_in_the_policy() -> None:
    quotas = [
        {"name": "cpu", "nominalQuota": "1500m", "borrowingLimit": "2", "lendingLimit": "0"},
        {"name": "memory", "nominalQuota": "9223372036854775807"},
    ]
    group = {
        "coveredResources": ["cpu", "memory"],
        "flavors": [{"name": "spot", "resources": quotas}],
    }
    policy = world(
        manifest(
            "ResourceFlavor",
            "spot",
            nodeLabels={"tier": "iron"},
            nodeTaints=[{"key": "spot", "value": "yes", "effect": "NoExecute"}],
            tolerations=[{"key": "spot", "operator": "Exists"}],
        ),
        manifest(
            "ClusterQueue",
            "q",
            cohortName="inner",
            resourceGroups=[group],
            queueingStrategy="StrictFIFO",
            stopPolicy="HoldAndDrain",
            fairSharing={"weight": "1500m"},
            namespaceSelector={
                "matchLabels": {"team": "blue"},
                "matchExpressions": [{"key": "unit", "operator": "NotIn", "values": ["x", "y"]}],
            },
            preemption={
                "withinClusterQueue": "LowerOrNewerEqualPriority",
                "reclaimWithinCohort": "Any",
                "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 0},
            },
            flavorFungibility={
                "whenCanBorrow": "TryNextFlavor",
                "whenCanPreempt": "MayStopSearch",
                "preference": "PreemptionOverBorrowing",
            },
        ),
        manifest("Cohort", "outer", fairSharing={"weight": "0"}, resourceGroups=[group]),
        manifest("Cohort", "middle", parentName="outer"),
        manifest("LocalQueue", "door", "lab", clusterQueue="q", stopPolicy="Hold"),
        {"kind": "Namespace", "metadata": {"name": "lab", "labels": {"team": "blue"}}},
    ).policy
    read = ResourceGroup(
        resources=("cpu", "memory"),
        flavors=(
            FlavorQuotas(
                flavor="spot",
                quotas={
                    "cpu": Quota(nominal=1500, borrowing_limit=2000, lending_limit=0),
                    "memory": Quota(nominal=UNLIMITED),
                },
            ),
        ),
    )
    assert policy == quota_policy(
        "kueue",
        flavors={
            "spot": Flavor(
                name="spot",
                node_labels={"tier": "iron"},
                taints=(Taint("spot", "yes", TaintEffect.NO_EXECUTE),),
                tolerations=(FlavorToleration(key="spot", operator="Exists"),),
            )
        },
        queues={
            "q": QueueSpec(
                name="q",
                parent="inner",
                groups=(read,),
                preemption=Preemption(
                    within_queue=PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY,
                    reclaim_within_cohort=PreemptionRule.ANY,
                    borrow_within_cohort=PreemptionRule.LOWER_PRIORITY,
                    max_priority_threshold=0,
                ),
                strategy=Strategy.STRICT_FIFO,
                fungibility=Fungibility(
                    when_can_borrow=FungibilityPolicy.TRY_NEXT,
                    when_can_preempt=FungibilityPolicy.MAY_STOP,
                    preference=Preference.PREEMPTION_OVER_BORROWING,
                ),
                stop=StopPolicy.HOLD_AND_DRAIN,
                fair_weight=1_500_000_000,
                namespaces=Selector(
                    (
                        MatchExpression("team", Operator.IN, ("blue",)),
                        MatchExpression("unit", Operator.NOT_IN, ("x", "y")),
                    )
                ),
            )
        },
        cohorts={
            "outer": Cohort(name="outer", groups=(read,), fair_weight=0),
            "middle": Cohort(name="middle", parent="outer"),
            "inner": Cohort(name="inner"),
        },
        routing=LocalQueueRouting(
            local_queues={
                ("lab", "door"): LocalQueue(
                    namespace="lab", name="door", queue="q", stop=StopPolicy.HOLD
                )
            },
            namespaces={"lab": {"team": "blue"}},
        ),
        settings=QuotaSettings(undeclared=Undeclared.BLOCK, zeros_take_flavors=True),
    )


def test_missing_references_are_tolerated() -> None:
    flavors = [{"name": "gone", "resources": [{"name": "cpu", "nominalQuota": "1"}]}]
    policy = world(
        manifest(
            "ClusterQueue",
            "q",
            namespaceSelector={},
            resourceGroups=[{"coveredResources": ["cpu"], "flavors": flavors}],
        ),
        manifest("Cohort", "child", parentName="parent"),
        manifest("LocalQueue", "door", "lab", clusterQueue="nowhere"),
    ).policy
    assert spec_of(policy).flavors == {}
    assert policy.queues["q"].namespaces == EVERYTHING
    assert list(spec_of(policy).cohorts) == ["child", "parent"]
    routing = local_routing_of(policy)
    assert routing is not None
    assert routing.local_queues["lab", "door"].queue == "nowhere"


@pytest.mark.parametrize(
    ("case", "strategies"),
    [
        ({}, ()),
        ({"fair_sharing": None}, ()),
        ({"fair_sharing": {}}, (FairStrategy.FINAL_SHARE, FairStrategy.INITIAL_SHARE)),
        (
            {"fair_sharing": {"strategies": ["LessThanInitialShare"]}},
            (FairStrategy.INITIAL_SHARE,),
        ),
    ],
)
def test_fair_sharing_is_classical_without_it_and_both_strategies_when_empty(
    case: dict[str, Any], strategies: tuple[FairStrategy, ...]
) -> None:
    assert spec_of(world(**case).policy).settings.fair_sharing == strategies


def test_undeclared_resources_block_unless_the_case_says_otherwise() -> None:
    assert (
        spec_of(world(quota_check="IgnoreUndeclared").policy).settings.undeclared
        is Undeclared.IGNORE
    )


def test_workloads_are_read_with_all_relevant_fields() -> None:
    running = {
        "name": "r",
        "cluster_queue": "q",
        "priority": 3,
        "created": 10,
        "reserved_at": 20,
        "evicted": True,
        "pod_sets": [{"count": 2, "requests": {"cpu": "1500m"}, "flavors": {"pods": "f"}}],
    }
    pod_set = {
        "name": "worker",
        "count": 4,
        "min_count": 2,
        "requests": {"cpu": "500m", "memory": "100m"},
        "node_selector": {"tier": "iron"},
        "affinity": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["east"]}]}],
        "tolerations": [{"key": "spot", "value": "yes", "effect": "NoSchedule"}],
        "group": "joint",
    }
    pending = {
        "name": "p",
        "namespace": "lab",
        "local_queue": "door",
        "created": 30,
        "active": False,
        "last_assignment": {"worker": {"cpu": 0}},
        "pod_sets": [pod_set],
    }
    read = world(running=[running], pending=[pending])
    assert read.running == (
        RunningWorkload(
            workload=Workload(
                id="r",
                sequence=1,
                labels={LABEL: "to/q"},
                namespace="default",
                priority=3,
                pod_sets=(PodSet(name="main", count=2, requests={"cpu": 1500}),),
            ),
            queue="q",
            priority=3,
            assignment=(PodSetAssignment(name="main", count=2, flavors={"pods": "f"}),),
            reservation=1,
            is_departing=True,
        ),
    )
    assert read.pending == (
        PendingWorkload(
            workload=Workload(
                id="p",
                sequence=2,
                labels={LABEL: "door"},
                namespace="lab",
                priority=0,
                pod_sets=(
                    PodSet(
                        name="worker",
                        count=4,
                        min_count=2,
                        requests={"cpu": 500, "memory": 1000},
                        node_selector={"tier": "iron"},
                        affinity=((NodeExpression("zone", NodeOperator.IN, ("east",)),),),
                        tolerations=(
                            Toleration(
                                key="spot", operator="Equal", value="yes", effect="NoSchedule"
                            ),
                        ),
                        group="joint",
                    ),
                ),
            ),
            is_active=False,
            last_assignment={"worker": {"cpu": 0}},
        ),
    )
    assert local_routing_of(read.policy) == LocalQueueRouting(
        local_queues={("default", "to/q"): LocalQueue(namespace="default", name="to/q", queue="q")}
    )


def test_workloads_are_ordered_by_creation_then_uid() -> None:
    def at(created: object, name: str, **more: object) -> dict[str, object]:
        return {"name": name, "cluster_queue": "q", "created": created, "pod_sets": [], **more}

    read = world(
        running=[at(1700000000, "c", reserved_at=1)],
        pending=[
            at("2023-11-14T22:13:21Z", "d"),
            at(1700000000.0, "b"),
            at("2023-11-14T22:13:20", "z", uid="a"),
            at("2023-11-15T00:13:19+02:00", "e"),
        ],
    )
    assert ordered(read) == ["e", "z", "b", "c", "d"]


def test_lower_uid_breaks_ties_of_reservations_as_the_later_one() -> None:
    def holder(name: str, reserved_at: int, **more: str) -> dict[str, object]:
        at = {"created": 1, "reserved_at": reserved_at}
        return {"name": name, "cluster_queue": "q", "pod_sets": [], **at, **more}

    read = world(running=[holder("a", 7), holder("b", 7), holder("c", 5), holder("d", 7, uid="0")])
    assert {each.workload.id: each.reservation for each in read.running} == {
        "c": 1,
        "b": 2,
        "a": 3,
        "d": 4,
    }


def test_inputs_of_a_question_are_read() -> None:
    pair = {"flavor": "f", "resource": "cpu", "outcome": "Reclaim", "level": 2}
    stub = stub_in({"preemption_stub": {"default": {"outcome": "NoCandidates"}, "pairs": [pair]}})
    assert stub == PreemptionStub(
        default=Simulated(Mode.NO_CANDIDATES, 0),
        pairs={("f", "cpu"): Simulated(Mode.RECLAIM, 2)},
    )
    assert stub.simulate("f", "cpu") == Simulated(Mode.RECLAIM, 2)
    assert stub.simulate("f", "memory") == Simulated(Mode.NO_CANDIDATES, 0)
    assert nominated_in({"assignment": {"main": {"cpu": {"flavor": "f", "mode": "Fit"}}}}) == {
        "main": {"cpu": Nominated("f", Mode.FIT)}
    }
    assert extra_usage_in({"extra_usage": {"f": {"cpu": "4", "gpu": "1500m"}}}) == {
        "f": {"cpu": 4000, "gpu": 2000}
    }
    assert extra_usage_in({}) == {}


@pytest.mark.parametrize("path", KUEUE, ids=lambda path: path.stem)
def test_every_case_can_be_loaded(path: Path) -> None:
    for case in json.loads(path.read_text("utf-8")):
        read = read_world(case)
        assert [each.workload.id for each in read.running] == [r["name"] for r in case["running"]]
        assert [each.workload.id for each in read.pending] == [p["name"] for p in case["pending"]]
        assert len(set(ordered(read))) == len(case["running"]) + len(case["pending"])


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ({"objects": {}}, "objects is not a list: {}"),
        ({"objects": [{"metadata": {"name": "q"}}]}, "kind is not a text: None"),
        (
            {"objects": [manifest("ClusterQueue", "q", stopPolicy="Stop")]},
            "stopPolicy is none of None, Hold, HoldAndDrain: 'Stop'",
        ),
        (
            {"objects": [manifest("Cohort", "c", fairSharing={"weight": "heavy"})]},
            'weight: "heavy" is not a quantity',
        ),
        (
            {"quota_check": "Maybe"},
            "quota_check is none of BlockUndeclared, IgnoreUndeclared: 'Maybe'",
        ),
        ({"pending": [{"name": "p", "created": True}]}, "created is not a text: True"),
        (
            {"pending": [{"name": "p", "created": 1, "priority": "high"}]},
            "local_queue is not a text: None",
        ),
        (
            {
                "pending": [
                    {
                        "name": "p",
                        "created": 1,
                        "local_queue": "door",
                        "pod_sets": [{"requests": {"cpu": "much"}}],
                    }
                ]
            },
            'cpu: "much" is not a quantity',
        ),
    ],
)
def test_unreadable_case_is_reported_in_one_sentence(case: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MalformedCase) as failed:
        read_world(case)
    assert str(failed.value) == sentence
