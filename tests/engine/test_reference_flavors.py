"""The slow model's flavor assignment: the worked examples of the rules (spec 6.9)."""

from __future__ import annotations

from typing import Any

import pytest

from console.engine.policy import (
    Cohort,
    Fungibility,
    Preemption,
    PreemptionRule,
    Preference,
    Queue,
    Search,
)
from console.engine.workload import PodSet
from tests.engine.reference_model.builder import CPU, policy, queue, running, waiting
from tests.engine.reference_model.flavors import Mode
from tests.engine.reference_model.nomination import Nominated, Nominator
from tests.engine.reference_model.tree import Tree
from tests.engine.reference_model.world import Running, Scan

LOWER = Preemption(within_queue=PreemptionRule.LOWER_PRIORITY)
NEXT, STOP = Search.TRY_NEXT, Search.MAY_STOP


def nominate(
    nodes: tuple[Queue | Cohort, ...],
    held: list[Running],
    *pod_sets: PodSet,
    labels: dict[str, dict[str, str]] | None = None,
    scan: Scan | None = None,
) -> Nominated:
    """Nominate a workload of priority 5 in the queue A."""
    tree = Tree(policy(*nodes, flavors=labels), held)
    head = waiting("w", "A", pod_sets=pod_sets, priority=5)
    return Nominator(
        tree=tree,
        running=held,
        queue=tree.queue("A"),
        workload=head.workload,
        priority=head.priority,
        scan=scan,
    ).nominate()


def one(amount: int, **fields: Any) -> PodSet:
    return PodSet(requests={CPU: amount}, **fields)


def told(found: Nominated) -> list[tuple[str, Mode, int, int]]:
    """Return flavor, mode, level and tried index of each pod set that got a flavor."""
    return [
        (choice.flavor, choice.grade.mode, choice.grade.level, choice.tried)
        for part in found.choices.pod_sets
        for choice in part.choices.values()
    ]


def own(spot: int, od: int, **fields: Any) -> tuple[Queue, ...]:
    return (queue("A", {"spot": spot, "od": od}, **fields),)


SHARED = {"spot": 4, "od": 10}


@pytest.mark.parametrize(
    ("borrow", "expected"),
    [(STOP, ("spot", Mode.FIT, 1, 0)), (NEXT, ("od", Mode.FIT, 0, -1))],
)
def test_f1_f2_borrowing_is_good_enough_or_not(
    borrow: Search, expected: tuple[str, Mode, int, int]
) -> None:
    rules = Fungibility(when_can_borrow=borrow)
    nodes = (queue("A", SHARED, "R", fungibility=rules), queue("B", {"spot": 6}, "R"))
    held = [running("a", "A", 3, flavor="spot")]
    assert told(nominate(nodes, held, one(3))) == [expected]


@pytest.mark.parametrize(
    ("preempt", "expected", "victims"),
    [
        (NEXT, ("od", Mode.FIT, 0, -1), []),
        (STOP, ("spot", Mode.PREEMPT, 0, 0), ["a"]),
    ],
)
def test_f3_f4_preempting_is_good_enough_or_not(
    preempt: Search, expected: tuple[str, Mode, int, int], victims: list[str]
) -> None:
    nodes = own(4, 10, preemption=LOWER, fungibility=Fungibility(when_can_preempt=preempt))
    found = nominate(nodes, [running("a", "A", 3, flavor="spot")], one(3))
    assert told(found) == [expected]
    assert [each.running.id for each in found.targets] == victims


def test_f5_f9_without_candidates_it_is_a_preemption_that_finds_nobody() -> None:
    held = [running("a", "A", 3, flavor="spot"), running("b", "A", 9, flavor="od")]
    found = nominate(own(4, 10), held, one(5))
    assert told(found) == [("od", Mode.NO_CANDIDATES, 0, -1)]
    assert (found.targets, found.choices.is_no_fit) == ((), False)
    assert [
        (each.code, each.flavor, each.missing or each.capacity)
        for each in found.choices.pod_sets[0].complaints
    ] == [("AboveCapacity", "spot", 4), ("NotEnoughFree", "od", 4)]


def test_f6_more_than_every_flavor_can_ever_give() -> None:
    found = nominate(own(4, 10), [], one(12))
    assert (told(found), found.choices.is_no_fit, found.choices.hope) == (
        [],
        True,
        "ExceedsMaxQuota",
    )


def test_f7_later_pod_sets_see_what_earlier_ones_take() -> None:
    found = nominate(own(4, 10), [], one(3, name="p0"), one(3, name="p1"))
    assert told(found) == [("spot", Mode.FIT, 0, 0), ("od", Mode.FIT, 0, -1)]


@pytest.mark.parametrize(
    ("preference", "expected"),
    [
        (Preference.BORROWING_OVER_PREEMPTION, ("od", Mode.FIT, 1, -1)),
        (Preference.PREEMPTION_OVER_BORROWING, ("spot", Mode.PREEMPT, 0, -1)),
    ],
)
def test_f8_preference(preference: Preference, expected: tuple[str, Mode, int, int]) -> None:
    rules = Fungibility(when_can_borrow=NEXT, when_can_preempt=NEXT, preference=preference)
    nodes = (
        queue("A", {"spot": 4, "od": 4}, "R", preemption=LOWER, fungibility=rules),
        queue("B", {"od": 6}, "R"),
    )
    held = [running("a", "A", 4, flavor="spot"), running("b", "A", 4, flavor="od")]
    assert told(nominate(nodes, held, one(3))) == [expected]


def test_f10_fewer_workers_start() -> None:
    driver = one(1, name="driver")
    workers = one(1, name="workers", count=10, min_count=2)
    nodes = (queue("A", {"spot": 10}),)
    found = nominate(nodes, [running("a", "A", 3, flavor="spot")], driver, workers)
    assert found.choices.is_fit
    assert [(each.name, each.count) for each in found.choices.pod_sets] == [
        ("driver", 1),
        ("workers", 6),
    ]


@pytest.mark.parametrize(("gpus", "is_fit"), [(1, False), (0, True)])
def test_f11_f12_only_a_request_of_something_needs_cover(gpus: int, is_fit: bool) -> None:
    found = nominate(own(4, 10), [], PodSet(requests={CPU: 1, "gpu": gpus}))
    assert (found.choices.is_fit, found.choices.hope) == (
        is_fit,
        "" if is_fit else "NoMatchingFlavor",
    )
    assert told(found) == ([("spot", Mode.FIT, 0, 0)] if is_fit else [])


def test_f13_the_next_scan_goes_on_behind_the_flavor_it_stopped_at() -> None:
    each = dict.fromkeys("abc", 4)
    nodes = (queue("A", each, "R"), queue("B", each, "R"))
    held = [running(f"r{flavor}", "A", 4, flavor=flavor) for flavor in "abc"]
    assert told(nominate(nodes, held, one(2))) == [("a", Mode.FIT, 1, 0)]
    scan = Scan(tried={"main": {CPU: 0}}, cycle=1, generation=0)
    assert told(nominate(nodes, held, one(2), scan=scan)) == [("b", Mode.FIT, 1, 1)]


def test_f14_only_labels_that_the_flavor_has_are_compared() -> None:
    labels = {"spot": {"type": "spot"}, "od": {"type": "od"}}
    pod_set = one(2, node_selector={"type": "od", "zone": "z"})
    assert told(nominate(own(4, 10), [], pod_set, labels=labels)) == [("od", Mode.FIT, 0, -1)]
