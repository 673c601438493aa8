"""Matching: what keeps each pod set off each flavor, named, and judged once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from console.engine.disciplines.quota.spec import Flavor, QueueSpec, quota_policy
from console.engine.model.nodes import NodeExpression, NodeOperator, Taint, TaintEffect, Toleration
from console.engine.model.origin import Origin
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.model.trace import FailedExpression, FlavorVerdict
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.flavor_matching import Matcher, Obstacle, constraints_of
from tests.engine.builders import queue

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
    queue("train").owns("spot", gpu=1).owns("tainted", gpu=1).and_apart().owns("open", cpu=1)
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
    # A label that no flavor of the queue asks for makes no difference.
    (first, second) = matcher.obstacles(asking(one, two, run="1"), TRAIN)
    (third, *_) = matcher.obstacles(asking(one, run="2"), TRAIN)
    assert first is second is third
    (fourth, *_) = matcher.obstacles(asking(one, market="spot"), TRAIN)
    assert fourth != first
