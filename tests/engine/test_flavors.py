"""Flavor assignment: the verdict of each flavor, and which one is taken."""

from __future__ import annotations

import pytest

from console.engine.amounts import UNLIMITED
from console.engine.disciplines.quota.flavors import Books, assign_flavors, wanted
from console.engine.ledger import Ledger
from console.engine.routing import Router
from console.engine.trace import FlavorVerdict
from tests.engine.builders import QueueBuilder, asks, only, policy, queue, rule, workload

FITS, WAITS = FlavorVerdict.FITS, FlavorVerdict.WAITS_FOR_PREEMPTED
PREEMPT, NO_CANDIDATES = FlavorVerdict.PREEMPT, FlavorVerdict.NO_CANDIDATES
EXCEEDS_MAX, SELECTOR_FALSE = FlavorVerdict.EXCEEDS_MAX, FlavorVerdict.SELECTOR_FALSE
NOT_REACHED = FlavorVerdict.NOT_REACHED


def assign(
    owner: QueueBuilder,
    used: dict[str, int],
    expected: dict[str, int] | None = None,
    stoppable: tuple[str, ...] = (),
    **requests: float,
):
    """Assign flavors; *used* and *expected* are gpu by flavor, *stoppable* flavors can be freed."""
    world = policy(owner, flavors={"off": only(never="so")}, rules=[rule(0, "train")])
    books = Books(Ledger(world), Ledger(world))
    for flavor, amount in used.items():
        books.now.add("train", {(flavor, "gpu"): amount * 1000})
    for flavor, amount in (used if expected is None else expected).items():
        books.expected.add("train", {(flavor, "gpu"): amount * 1000})
    return assign_flavors(
        books,
        world.queues["train"],
        Router(world).route(workload("w")).matches,
        asks(**requests),
        lambda key, _: key[0] in stoppable,
    )


SPOT_AND_OD = queue("train").owns("spot", gpu=4).owns("od", gpu=10)


@pytest.mark.parametrize(
    ("case", "used", "expected", "stoppable", "request_", "verdicts", "chosen"),
    [
        ("first fits", {}, None, (), 3, [FITS, NOT_REACHED], "spot"),
        (
            "F3: fit beats preemption",
            {"spot": 3},
            None,
            ("spot",),
            3,
            [PREEMPT, FITS],
            "od",
        ),
        (
            "F5: too large for one, used up in the other",
            {"spot": 3, "od": 9},
            None,
            (),
            5,
            [EXCEEDS_MAX, NO_CANDIDATES],
            "od",
        ),
        ("F6: too large for both", {}, None, (), 12, [EXCEEDS_MAX, EXCEEDS_MAX], "spot"),
        (
            "preemption beats nobody to stop",
            {"spot": 4, "od": 10},
            None,
            ("od",),
            3,
            [NO_CANDIDATES, PREEMPT],
            "od",
        ),
        (
            "waiting for the preempted beats preemption",
            {"spot": 4, "od": 10},
            {"spot": 4, "od": 6},
            ("spot",),
            3,
            [PREEMPT, WAITS],
            "od",
        ),
        (
            "the earlier among equals",
            {"spot": 4, "od": 10},
            None,
            ("spot", "od"),
            3,
            [PREEMPT, PREEMPT],
            "spot",
        ),
        (
            "promised room is not free",
            {"spot": 1, "od": 10},
            {"spot": 4, "od": 10},
            (),
            2,
            [NO_CANDIDATES, NO_CANDIDATES],
            "spot",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else None,
)
def test_flavors_in_listed_order(
    case: str,
    used: dict[str, int],
    expected: dict[str, int] | None,
    stoppable: tuple[str, ...],
    request_: int,
    verdicts: list[FlavorVerdict],
    chosen: str,
) -> None:
    found = assign(SPOT_AND_OD, used, expected, stoppable, gpu=request_)
    (step,) = found.groups
    assert ([each.verdict for each in step.flavors], step.chosen) == (verdicts, chosen)
    assert found.assignment == {"gpu": chosen}
    assert found.usage == {(chosen, "gpu"): request_ * 1000}
    fits = FITS in verdicts
    assert found.short == (frozenset() if fits else frozenset({(chosen, "gpu")}))


def test_f9_the_numbers_of_a_shortage() -> None:
    found = assign(queue("train").owns("spot", gpu=4), {"spot": 3}, gpu=2)
    (check,) = found.groups[0].flavors[0].checks
    assert (check.requested, check.nominal, check.used, check.available) == (2000, 4000, 3000, 1000)
    assert (check.maximum, check.missing, check.promised) == (4000, 1000, 0)
    assert check.verdict is NO_CANDIDATES


def test_the_numbers_of_promised_room() -> None:
    found = assign(queue("train").owns("spot", gpu=4), {"spot": 1}, {"spot": 3}, gpu=2)
    (check,) = found.groups[0].flavors[0].checks
    assert (check.used, check.promised, check.available, check.missing) == (1000, 2000, 1000, 1000)
    assert found.fits_without_promises


def test_promises_beyond_the_quota_leave_nothing() -> None:
    found = assign(queue("train").owns("spot", gpu=4), {"spot": 1}, {"spot": 9}, gpu=2)
    (check,) = found.groups[0].flavors[0].checks
    assert (check.promised, check.available, check.missing) == (3000, 0, 2000)


def test_usage_beyond_the_quota_leaves_nothing() -> None:
    found = assign(queue("train").owns("spot", gpu=4), {"spot": 7}, gpu=2)
    (check,) = found.groups[0].flavors[0].checks
    assert (check.used, check.promised, check.available, check.missing) == (7000, 0, 0, 2000)
    assert not found.fits_without_promises


def test_unlimited_quota_always_fits() -> None:
    found = assign(queue("train").owns("spot", gpu=None), {"spot": 9}, {"spot": 99}, gpu=5)
    (check,) = found.groups[0].flavors[0].checks
    assert (check.verdict, check.available, check.promised) == (FITS, UNLIMITED, 0)


def test_a_flavor_is_as_good_as_its_worst_resource_and_all_are_judged() -> None:
    found = assign(queue("train").owns("spot", gpu=4, cpu=1), {"spot": 4}, gpu=1, cpu=2)
    (flavor,) = found.groups[0].flavors
    assert [(each.resource, each.verdict) for each in flavor.checks] == [
        ("gpu", NO_CANDIDATES),
        ("cpu", EXCEEDS_MAX),
    ]
    assert flavor.verdict is found.verdict is EXCEEDS_MAX


def test_a_flavor_whose_selector_fails_is_skipped_with_its_expression() -> None:
    found = assign(queue("train").owns("off", gpu=4).owns("od", gpu=4), {}, gpu=1)
    first, second = found.groups[0].flavors
    assert (first.verdict, first.checks, second.verdict) == (SELECTOR_FALSE, (), FITS)
    assert first.failed is not None
    assert (first.failed.key, first.failed.actual) == ("never", None)


def test_the_workload_is_as_good_as_its_worst_group() -> None:
    two = queue("train").owns("spot", gpu=4).and_apart().owns("node", cpu=1)
    found = assign(two, {}, gpu=1, cpu=2)
    assert [step.chosen for step in found.groups] == ["spot", "node"]
    assert (found.verdict, found.short) == (EXCEEDS_MAX, {("node", "cpu")})
    assert found.assignment == {"gpu": "spot", "cpu": "node"}


def test_f12_a_group_that_is_not_asked_for_takes_no_part() -> None:
    two = queue("train").owns("spot", gpu=4).and_apart().owns("node", cpu=1)
    found = assign(two, {}, gpu=1, cpu=0, tpu=7)
    assert (len(found.groups), found.assignment, found.verdict) == (1, {"gpu": "spot"}, FITS)


def test_nothing_asked_fits_without_a_flavor() -> None:
    found = assign(SPOT_AND_OD, {"spot": 4, "od": 10})
    assert (found.groups, found.assignment, found.verdict) == ((), {}, FITS)


def test_a_workload_wants_every_open_flavor_of_what_it_asks_for() -> None:
    owner = queue("train").owns("off", gpu=1, cpu=1).owns("od", gpu=1, cpu=1)
    world = policy(owner, flavors={"off": only(never="so")}, rules=[rule(0, "train")])
    matches = Router(world).route(workload("w")).matches
    assert set(wanted(world.queues["train"], matches, asks(gpu=1))) == {("od", "gpu")}
