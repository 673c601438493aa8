"""Routing: the first rule with a matching selector and an accepting priority policy."""

from __future__ import annotations

import pytest

from console.engine.model.route import Route
from console.engine.model.trace import FailedExpression, PriorityVerdict, RuleVerdict
from console.engine.routing.router import Router
from console.engine.routing.rules import OnViolation, PriorityPolicy, Rule, effective_priority
from tests.engine.builders import only, policy, queue, rule, workload

REJECT, FORCE = OnViolation.REJECT, OnViolation.FORCE_UPDATE
REQUESTED, DEFAULT = PriorityVerdict.REQUESTED, PriorityVerdict.DEFAULT
ZERO, FORCED = PriorityVerdict.ZERO, PriorityVerdict.FORCED


@pytest.mark.parametrize(
    ("default", "low", "high", "violation", "requested", "effective", "verdict"),
    [
        # No requested priority: the default, or 0 raised to the minimum.
        (None, None, None, REJECT, None, 0, ZERO),
        (50, None, None, REJECT, None, 50, DEFAULT),
        (50, 0, 100, REJECT, None, 50, DEFAULT),
        (0, 0, 100, REJECT, None, 0, DEFAULT),
        (None, 10, None, REJECT, None, 10, FORCED),
        (None, 0, None, REJECT, None, 0, ZERO),
        (None, None, 100, REJECT, None, 0, ZERO),
        # Within the range, bounds included: unchanged.
        (50, 10, 20, REJECT, 10, 10, REQUESTED),
        (50, 10, 20, REJECT, 20, 20, REQUESTED),
        (None, None, None, REJECT, 10**9, 10**9, REQUESTED),
        # Outside the range: clamped or rejected.
        (None, 10, 20, FORCE, 9, 10, FORCED),
        (None, 10, 20, FORCE, 21, 20, FORCED),
        (None, None, 20, FORCE, 21, 20, FORCED),
        (None, 10, 20, REJECT, 9, None, None),
        (None, 10, 20, REJECT, 21, None, None),
        (None, 10, None, REJECT, 9, None, None),
    ],
)
def test_effective_priority(
    default: int | None,
    low: int | None,
    high: int | None,
    violation: OnViolation,
    requested: int | None,
    effective: int | None,
    verdict: PriorityVerdict | None,
) -> None:
    terms = PriorityPolicy(default=default, minimum=low, maximum=high, on_violation=violation)
    step = effective_priority(Rule(index=3, queue="train", priority=terms), requested)
    assert (step.effective, step.verdict) == (effective, verdict)
    assert (step.rule, step.requested) == (3, requested)
    assert (step.default, step.minimum, step.maximum) == (default, low, high)


def test_without_rules_there_is_no_queue() -> None:
    router = Router(policy(queue("train").owns(gpu=4), rules=()))
    assert router.route(workload("a", priority=7)) == Route(priority=7)
    assert router.route(workload("b")) == Route(priority=0)


def test_first_matching_rule_wins_and_earlier_ones_have_verdicts() -> None:
    router = Router(
        policy(
            queue("vision"),
            queue("train"),
            rules=[
                rule(0, "vision", only(team="vision")),
                rule(1, "train", minimum=5),
                rule(2, "train", maximum=4),
                rule(3, "vision"),
            ],
        )
    )
    route = router.route(workload("a", labels={"team": "speech"}, priority=1))
    assert (route.rule, route.queue, route.priority) == (2, "train", 1)
    assert [(tried.index, tried.verdict) for tried in route.rules] == [
        (0, RuleVerdict.SELECTOR_FALSE),
        (1, RuleVerdict.PRIORITY_OUT_OF_RANGE),
        (2, RuleVerdict.TOOK),
    ]
    assert route.rules[0].failed == FailedExpression(
        key="team", operator="in", values=("vision",), actual="speech"
    )
    assert [(step.rule, step.effective) for step in route.priorities] == [(1, None), (2, 1)]


def test_without_matching_rule_all_rules_have_verdicts() -> None:
    router = Router(
        policy(
            queue("train"), rules=[rule(0, "train", only(team="a")), rule(1, "train", maximum=4)]
        )
    )
    route = router.route(workload("a", priority=9))
    assert (route.queue, route.rule, route.priority) == (None, None, None)
    assert [tried.verdict for tried in route.rules] == [
        RuleVerdict.SELECTOR_FALSE,
        RuleVerdict.PRIORITY_OUT_OF_RANGE,
    ]


def test_equal_labels_and_priority_are_routed_once() -> None:
    router = Router(policy(queue("train"), rules=[rule(0, "train")]))
    one = router.route(workload("a", 1, labels={"x": "1", "y": "2"}, priority=1, gpu=1))
    two = router.route(workload("b", 2, labels={"y": "2", "x": "1"}, priority=1, gpu=9))
    assert one is two
    assert router.route(workload("c", 3, labels={"x": "1", "y": "2"}, priority=2)) is not one
