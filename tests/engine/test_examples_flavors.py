"""Worked examples of flavor assignment (spec 6.9), for the engine and the reference model."""

from __future__ import annotations

from typing import Any

import pytest

from console.engine.disciplines.quota.spec import (
    Fungibility,
    FungibilityPolicy,
    Preemption,
    PreemptionRule,
    Preference,
    QueueSpec,
)
from console.engine.model.workload import PodSet
from tests.engine.engine_adapters import Engine, Nomination
from tests.engine.reference_model.builder import CPU, policy, queue, running, waiting
from tests.engine.reference_model.world import Scan, Waiting

LOWER = Preemption(within_queue=PreemptionRule.LOWER_PRIORITY)
FIT, PREEMPT, NO_CANDIDATES = "FIT", "PREEMPT", "NO_CANDIDATES"
NEXT, STOP = FungibilityPolicy.TRY_NEXT, FungibilityPolicy.MAY_STOP


def head(*pod_sets: PodSet) -> Waiting:
    """Return a workload of priority 5 in the queue A."""
    return waiting("w", "A", pod_sets=pod_sets, priority=5)


def one(amount: int, **fields: Any) -> PodSet:
    return PodSet(requests={CPU: amount}, **fields)


def own(spot: int, od: int, **fields: Any) -> tuple[QueueSpec, ...]:
    return (queue("A", {"spot": spot, "od": od}, **fields),)


SHARED = {"spot": 4, "od": 10}


@pytest.mark.parametrize(
    ("borrow", "expected"),
    [(STOP, ("spot", FIT, 1, 0)), (NEXT, ("od", FIT, 0, -1))],
)
def test_f1_f2_borrowing_is_good_enough_or_not(
    engine: Engine, borrow: FungibilityPolicy, expected: tuple[str, str, int, int]
) -> None:
    rules = Fungibility(when_can_borrow=borrow)
    nodes = (queue("A", SHARED, "R", fungibility=rules), queue("B", {"spot": 6}, "R"))
    held = [running("a", "A", 3, flavor="spot")]
    assert engine.nominate(policy(*nodes), held, head(one(3))).assigned == [expected]


@pytest.mark.parametrize(
    ("preempt", "expected", "victims"),
    [
        (NEXT, ("od", FIT, 0, -1), []),
        (STOP, ("spot", PREEMPT, 0, 0), ["a"]),
    ],
)
def test_f3_f4_preempting_is_good_enough_or_not(
    engine: Engine,
    preempt: FungibilityPolicy,
    expected: tuple[str, str, int, int],
    victims: list[str],
) -> None:
    nodes = own(4, 10, preemption=LOWER, fungibility=Fungibility(when_can_preempt=preempt))
    held = [running("a", "A", 3, flavor="spot")]
    found = engine.nominate(policy(*nodes), held, head(one(3)))
    assert (found.assigned, found.victims) == ([expected], victims)


def test_f5_f9_without_candidates_it_is_a_preemption_that_finds_nobody(engine: Engine) -> None:
    held = [running("a", "A", 3, flavor="spot"), running("b", "A", 9, flavor="od")]
    found = engine.nominate(policy(*own(4, 10)), held, head(one(5)))
    assert found == Nomination(
        assigned=[("od", NO_CANDIDATES, 0, -1)],
        counts={"main": 1},
        no_fit_reason="",
        is_fit=False,
        victims=[],
    )


def test_f6_more_than_every_flavor_can_ever_give(engine: Engine) -> None:
    found = engine.nominate(policy(*own(4, 10)), [], head(one(12)))
    assert (found.assigned, found.no_fit_reason) == ([], "ExceedsMaxQuota")


def test_f7_later_pod_sets_see_what_earlier_ones_take(engine: Engine) -> None:
    both = head(one(3, name="p0"), one(3, name="p1"))
    assert engine.nominate(policy(*own(4, 10)), [], both).assigned == [
        ("spot", FIT, 0, 0),
        ("od", FIT, 0, -1),
    ]


@pytest.mark.parametrize(
    ("preference", "expected"),
    [
        (Preference.BORROWING_OVER_PREEMPTION, ("od", FIT, 1, -1)),
        (Preference.PREEMPTION_OVER_BORROWING, ("spot", PREEMPT, 0, -1)),
    ],
)
def test_f8_preference(
    engine: Engine, preference: Preference, expected: tuple[str, str, int, int]
) -> None:
    rules = Fungibility(when_can_borrow=NEXT, when_can_preempt=NEXT, preference=preference)
    nodes = (
        queue("A", {"spot": 4, "od": 4}, "R", preemption=LOWER, fungibility=rules),
        queue("B", {"od": 6}, "R"),
    )
    held = [running("a", "A", 4, flavor="spot"), running("b", "A", 4, flavor="od")]
    assert engine.nominate(policy(*nodes), held, head(one(3))).assigned == [expected]


def test_f10_fewer_workers_start(engine: Engine) -> None:
    driver = one(1, name="driver")
    workers = one(1, name="workers", count=10, min_count=2)
    nodes = (queue("A", {"spot": 10}),)
    held = [running("a", "A", 3, flavor="spot")]
    found = engine.nominate(policy(*nodes), held, head(driver, workers))
    assert (found.is_fit, found.counts) == (True, {"driver": 1, "workers": 6})


@pytest.mark.parametrize(("gpus", "is_fit"), [(1, False), (0, True)])
def test_f11_f12_only_a_request_of_something_needs_cover(
    engine: Engine, gpus: int, is_fit: bool
) -> None:
    thousandths = head(PodSet(requests={CPU: 1, "gpu": gpus}))
    found = engine.nominate(policy(*own(4, 10)), [], thousandths)
    assert (found.is_fit, found.no_fit_reason) == (is_fit, "" if is_fit else "NoMatchingFlavor")
    assert found.assigned == ([("spot", FIT, 0, 0)] if is_fit else [])


def test_f13_the_next_scan_goes_on_behind_the_flavor_it_stopped_at(engine: Engine) -> None:
    each = dict.fromkeys("abc", 4)
    nodes = (queue("A", each, "R"), queue("B", each, "R"))
    held = [running(f"r{flavor}", "A", 4, flavor=flavor) for flavor in "abc"]
    assert engine.nominate(policy(*nodes), held, head(one(2))).assigned == [("a", FIT, 1, 0)]
    scan = Scan(tried={"main": {CPU: 0}}, cycle=1, generation=0)
    assert engine.nominate(policy(*nodes), held, head(one(2)), scan).assigned == [("b", FIT, 1, 1)]


def test_f14_only_labels_that_the_flavor_has_are_compared(engine: Engine) -> None:
    labels = {"spot": {"type": "spot"}, "od": {"type": "od"}}
    wishes = head(one(2, node_selector={"type": "od", "zone": "z"}))
    assert engine.nominate(policy(*own(4, 10), flavors=labels), [], wishes).assigned == [
        ("od", FIT, 0, -1)
    ]
