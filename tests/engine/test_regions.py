"""Regions: exact sets of workloads, compared with rules applied to every possible workload."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from console.dialects.objects import flows_between
from console.engine.diff import flows
from console.engine.disciplines.quota.spec import QueueSpec, quota_policy
from console.engine.model.history import History, Shape
from console.engine.model.policy import Policy
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.regions import Region, region_of
from console.engine.routing.router import Router
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import OnViolation, PriorityPolicy, Rule

KEYS = ("team", "tier")
VALUES = ("a", "b", "c")

expressions = st.builds(
    lambda key, operator, values: MatchExpression(
        key,
        operator,
        tuple(sorted(values)) if operator in (Operator.IN, Operator.NOT_IN) else (),
    ),
    st.sampled_from(KEYS),
    st.sampled_from(Operator),
    st.sets(st.sampled_from(VALUES), min_size=1, max_size=2),
)
bounds = st.sampled_from([None, None, 0, 1, 2])
priorities = st.builds(
    PriorityPolicy,
    minimum=bounds,
    maximum=bounds,
    on_violation=st.sampled_from(OnViolation),
)
rules = st.builds(
    Rule,
    index=st.just(0),
    queue=st.sampled_from(("x", "y", "z")),
    selector=st.lists(expressions, max_size=3).map(lambda found: Selector(tuple(found))),
    priority=priorities,
)

#: All distinct workloads: one value that no rule names represents all such values.
LABELS = [
    {key: value for key, value in zip(KEYS, values, strict=True) if value}
    for values in [(a, b) for a in ("", *VALUES, "other") for b in ("", *VALUES, "other")]
]
REQUESTED = (None, -1, 0, 1, 2, 3)
WORLD = [(labels, requested) for labels in LABELS for requested in REQUESTED]


def policy_of(drawn: list[Rule]) -> Policy:
    """Return a policy with these rules in order."""
    return quota_policy(
        "native",
        queues={name: QueueSpec(name=name, is_passthrough=True) for name in "xyz"},
        routing=route_by(
            Rule(index=index, queue=rule.queue, selector=rule.selector, priority=rule.priority)
            for index, rule in enumerate(drawn)
        ),
    )


def workload(labels: dict[str, str], requested: int | None) -> Workload:
    """Return a workload with these labels and this requested priority."""
    return Workload(
        id="w", sequence=0, labels=labels, priority=requested, pod_sets=(PodSet(requests={}),)
    )


HISTORY = History(
    window_days=30,
    shapes=tuple(
        Shape(workload=workload(labels, requested), runs=1, last_seen="2026-01-01")
        for labels, requested in WORLD
    ),
)


@settings(max_examples=200, deadline=None)
@given(rule=rules)
def test_rule_matches_the_workloads_of_its_region(rule: Rule) -> None:
    region = region_of(rule)
    router = Router(policy_of([rule]))
    for labels, requested in WORLD:
        takes = router.route(workload(labels, requested)).rule is not None
        assert takes == (region is not None and region.has(labels, requested))


@settings(max_examples=200, deadline=None)
@given(one=rules, other=rules)
def test_difference_of_regions(one: Rule, other: Rule) -> None:
    mine, away = region_of(one), region_of(other)
    if mine is None or away is None:
        return
    rest, common = list(mine.without(away)), mine.intersection(away)
    for labels, requested in WORLD:
        inside = mine.has(labels, requested)
        there = away.has(labels, requested)
        holders = sum(piece.has(labels, requested) for piece in rest)
        assert holders == (inside and not there)
        assert (common is not None and common.has(labels, requested)) == (inside and there)


@settings(max_examples=200, deadline=None)
@given(old=st.lists(rules, min_size=1, max_size=4), new=st.lists(rules, min_size=1, max_size=4))
def test_flows_equal_the_routes_of_all_possible_workloads(old: list[Rule], new: list[Rule]) -> None:
    before, after = policy_of(old), policy_of(new)
    found = flows_between(before, after, HISTORY)
    assert found.is_exact
    routers = Router(before), Router(after)
    for flow in found.flows:
        assert flow.where is not None
        seen = [
            (labels, requested)
            for labels, requested in WORLD
            if tuple(each.route(workload(labels, requested)).rule for each in routers)
            == (flow.old, flow.new)
        ]
        assert len(seen) == flow.runs > 0
        told = [point for point in WORLD if flow.where.has(*point)]
        assert told
        assert all(point in seen for point in told)
        assert not flow.is_whole or told == seen


@settings(max_examples=50, deadline=None)
@given(old=st.lists(rules, min_size=1, max_size=4), new=st.lists(rules, min_size=1, max_size=4))
def test_flows_fall_back_to_routing_history(old: list[Rule], new: list[Rule]) -> None:
    before, after = policy_of(old), policy_of(new)
    reasoned = flows_between(before, after, HISTORY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flows, "_MOST_LOOKS", 0)
        # New policy objects, because results for the others are cached.
        routed = flows_between(policy_of(old), policy_of(new), HISTORY)
    assert not (routed.is_exact and reasoned.flows)
    assert {(flow.old, flow.new): flow.runs for flow in routed.flows if flow.runs} == {
        (flow.old, flow.new): flow.runs for flow in reasoned.flows
    }


def test_the_whole_world_is_one_region() -> None:
    assert all(Region().has(labels, requested) for labels, requested in WORLD)
