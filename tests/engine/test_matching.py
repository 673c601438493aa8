"""Matching of pod sets to flavors: named obstacles, evaluated once for equal pod sets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.disciplines.quota.flavor_matching import FlavorEligibility, Matcher
from console.engine.disciplines.quota.spec import (
    Flavor,
    QueueSpec,
    QuotaSettings,
    Undeclared,
    quota_policy,
    with_spec,
)
from console.engine.model.common_reasons import NO_FLAVOR_MATCHED
from console.engine.model.nodes import NodeExpression, NodeOperator, Taint, TaintEffect, Toleration
from console.engine.model.obstacles import Obstacle
from console.engine.model.origin import Origin
from console.engine.model.reasons import Reason
from console.engine.model.selectors import EVERYTHING, MatchExpression, Operator, Selector
from console.engine.model.trace import FailedExpression, FlavorVerdict
from console.engine.model.workload import PodSet, Workload, constraints_of
from tests.engine.builders import only, policy, queue, rule, workload

LINE = Origin(2, 1, 2, 9)
GPU = Taint("gpu", "a100")
TOLERANT = Toleration("gpu", "Exists")

FLAVORS = (
    Flavor(
        name="spot",
        selector=Selector((MatchExpression("market", Operator.IN, ("spot",), LINE),)),
    ),
    Flavor(name="tainted", taints=(GPU,), node_labels={"zone": "a"}),
    Flavor(name="open"),
)


def world(*flavors: Flavor, of: QueueSpec) -> Matcher:
    return Matcher(
        quota_policy(
            "kueue",
            flavors={each.name: each for each in flavors},
            queues={of.name: of},
        )
    )


TRAIN = (
    queue("train").owns("spot", gpu=1).owns("tainted", gpu=1).new_group().owns("open", cpu=1)
).build()


def asking(*pod_sets: PodSet, **labels: str) -> Workload:
    return Workload(id="a", sequence=1, labels=labels, pod_sets=pod_sets)


OFF_SPOT = Obstacle(
    verdict=FlavorVerdict.SELECTOR_FALSE,
    failed=FailedExpression(key="market", operator="in", values=("spot",), origin=LINE),
)
TAINTED = Obstacle(verdict=FlavorVerdict.TAINT_NOT_TOLERATED, taint="gpu=a100:NoSchedule")


def test_every_pod_set_is_judged_per_group_and_flavor() -> None:
    matcher = world(*FLAVORS, of=TRAIN)
    tolerant = PodSet(name="worker", tolerations=(TOLERANT,))
    picky = PodSet(name="picky", tolerations=(TOLERANT,), node_selector={"zone": "b"})
    fussy = PodSet(
        name="fussy",
        tolerations=(TOLERANT,),
        affinity=((NodeExpression("zone", NodeOperator.NOT_IN, ("a", "c")),),),
    )
    assert matcher.obstacles(asking(PodSet(), tolerant, picky, fussy), TRAIN) == (
        ((OFF_SPOT, TAINTED), (None,)),
        ((OFF_SPOT, None), (None,)),
        (
            (
                OFF_SPOT,
                Obstacle(
                    verdict=FlavorVerdict.LABELS_DO_NOT_MATCH,
                    failed=FailedExpression(key="zone", operator="In", values=("b",), actual="a"),
                ),
            ),
            (None,),
        ),
        (
            (
                OFF_SPOT,
                Obstacle(
                    verdict=FlavorVerdict.LABELS_DO_NOT_MATCH,
                    failed=FailedExpression(
                        key="zone", operator="NotIn", values=("a", "c"), actual="a"
                    ),
                ),
            ),
            (None,),
        ),
    )


def test_labels_of_the_workload_open_a_flavor() -> None:
    matcher = world(*FLAVORS, of=TRAIN)
    assert matcher.obstacles(asking(PodSet(), market="spot"), TRAIN) == (
        ((None, TAINTED), (None,)),
    )


def test_a_missing_flavor_goes_before_all_else() -> None:
    matcher = world(*FLAVORS[:1], of=TRAIN)
    missing = Obstacle(verdict=FlavorVerdict.FLAVOR_MISSING)
    assert matcher.obstacles(asking(PodSet()), TRAIN) == (((OFF_SPOT, missing), (missing,)),)


@pytest.mark.parametrize(
    ("taint", "written"),
    [
        (Taint("gpu", "a100"), "gpu=a100:NoSchedule"),
        (Taint("gpu", "", TaintEffect.NO_EXECUTE), "gpu:NoExecute"),
    ],
)
def test_taints_are_written_as_kubectl_writes_them(taint: Taint, written: str) -> None:
    of = queue("train").owns("tainted", gpu=1).build()
    matcher = world(replace(FLAVORS[1], taints=(taint,)), of=of)
    (((obstacle,),),) = matcher.obstacles(asking(PodSet()), of)
    assert obstacle == Obstacle(verdict=FlavorVerdict.TAINT_NOT_TOLERATED, taint=written)


def test_a_flavor_tolerates_its_own_taints_for_every_pod() -> None:
    of = queue("train").owns("tainted", gpu=1).build()
    matcher = world(replace(FLAVORS[1], tolerations=(TOLERANT,)), of=of)
    assert matcher.obstacles(asking(PodSet()), of) == (((None,),),)


def test_a_workload_without_pod_sets_has_no_obstacles() -> None:
    assert world(*FLAVORS, of=TRAIN).obstacles(asking(), TRAIN) == ()


def test_alike_pod_sets_are_judged_once() -> None:
    matcher = world(*FLAVORS, of=TRAIN)
    one = PodSet(name="one", requests={"gpu": 1000}, node_selector={"zone": "a", "disk": "x"})
    two = PodSet(name="two", count=9, node_selector={"disk": "x", "zone": "a"})
    assert constraints_of(one) == constraints_of(two)
    # Labels that no flavor of the queue selects by do not matter.
    (first, second) = matcher.obstacles(asking(one, two, run="1"), TRAIN)
    (third, *_) = matcher.obstacles(asking(one, run="2"), TRAIN)
    assert first is second is third
    (fourth, *_) = matcher.obstacles(asking(one, market="spot"), TRAIN)
    assert fourth != first


TWO_GROUPS = queue("train").owns("a100", gpu=4).owns("h100", gpu=4).new_group().owns("cheap", cpu=8)


@pytest.mark.parametrize(
    ("labels", "requests", "reason"),
    [
        ({"kind": "a100", "disk": "cheap"}, {"gpu": 1, "cpu": 1}, None),
        ({"kind": "h100", "disk": "cheap"}, {"gpu": 1, "cpu": 1}, None),
        # Without a flavor in any group the workload is rejected, whatever it requests.
        ({}, {}, NO_FLAVOR_MATCHED),
        ({}, {"tpu": 1}, NO_FLAVOR_MATCHED),
        # Only groups of requested resources need a flavor.
        ({"kind": "a100"}, {"gpu": 1}, None),
        ({"kind": "a100"}, {"gpu": 1, "cpu": 1}, NO_FLAVOR_MATCHED),
        ({"disk": "cheap"}, {"gpu": 1}, NO_FLAVOR_MATCHED),
        ({"disk": "cheap"}, {"gpu": 0, "cpu": 1}, None),
        ({"disk": "cheap"}, {}, None),
        ({"disk": "cheap"}, {"tpu": 1}, None),
    ],
)
def test_flavors_that_keep_a_workload_off(
    labels: dict[str, str], requests: dict[str, int], reason: Reason | None
) -> None:
    world = policy(
        TWO_GROUPS,
        flavors={"a100": only(kind="a100"), "h100": only(kind="h100"), "cheap": only(disk="cheap")},
        rules=[rule(0, "train", EVERYTHING)],
    )
    asked = workload("a", labels=labels, **requests)
    assert FlavorEligibility(world).rejection(asked, world.queues["train"]) is reason


def test_a_passthrough_queue_rejects_no_workload() -> None:
    world = policy(queue("open"), rules=[rule(0, "open")])
    assert FlavorEligibility(world).rejection(workload("a", gpu=1), world.queues["open"]) is None


def test_missing_flavor_excludes_no_workload_by_labels() -> None:
    described = policy(queue("train").owns("a100", gpu=4), rules=[rule(0, "train")])
    lacking = FlavorEligibility(with_spec(described, flavors={}))
    asked, train = workload("a", gpu=1), described.queues["train"]
    assert lacking.allowed(asked, train) == ((True,),)
    assert lacking.rejection(asked, train) is None


def test_pods_without_a_flavor_are_pending_if_undeclared_resources_block() -> None:
    settings = QuotaSettings(undeclared=Undeclared.BLOCK)
    blocking = policy(
        queue("train").owns("a100", gpu=4), flavors={"a100": only(kind="a100")}, settings=settings
    )
    found = FlavorEligibility(blocking).judge(workload("a", gpu=1), blocking.queues["train"])
    assert (found.rejection, found.alike) == (None, (((False,),),))


def test_a_class_depends_on_what_is_excluded_and_not_on_why() -> None:
    eligibility = FlavorEligibility(
        quota_policy("kueue", flavors={each.name: each for each in FLAVORS})
    )
    by_label = eligibility.judge(asking(PodSet(tolerations=(TOLERANT,))), TRAIN)
    tainted = replace(FLAVORS[0], selector=EVERYTHING, taints=(Taint("other"),))
    flavors = {each.name: each for each in (tainted, *FLAVORS[1:])}
    by_taint = FlavorEligibility(quota_policy("kueue", flavors=flavors)).judge(
        asking(PodSet(tolerations=(TOLERANT,))), TRAIN
    )
    assert by_label.obstacles != by_taint.obstacles
    assert by_label.alike == by_taint.alike == (((False, True), (True,)),)


def test_the_flavors_that_exclude_a_rejected_workload_say_why() -> None:
    world = policy(TWO_GROUPS, flavors={"a100": only(kind="a100"), "h100": only(kind="h100")})
    eligibility = FlavorEligibility(world)
    asked, train = workload("a", labels={"kind": "h100"}), world.queues["train"]
    first, second = eligibility.excluded(asked, train)
    assert [(each.flavor, each.verdict) for each in first.flavors] == [
        ("a100", FlavorVerdict.SELECTOR_FALSE),
        ("h100", FlavorVerdict.NOT_REACHED),
    ]
    assert first.flavors[0].failed == FailedExpression(
        key="kind", operator="in", values=("a100",), actual="h100"
    )
    assert [each.failed for each in second.flavors] == [None]
    assert eligibility.accepted(asked, train) == ("h100", "cheap")
