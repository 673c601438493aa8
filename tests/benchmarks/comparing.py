"""Reviews of the largest configs: differences, moved workloads, and the impact on history."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from console.dialects.objects import compare_policies, flows_between
from console.engine.diff import Change, ChangeKind
from console.engine.disciplines.quota.spec import (
    Flavor,
    FlavorQuotas,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
)
from console.engine.impact import HistoryImpact, HistoryOutcome, history_impact
from console.engine.model.history import History, Shape
from console.engine.model.policy import Policy
from console.engine.model.selectors import EVERYTHING, MatchExpression, Operator, Selector
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.rule_routing import route_by, rules_of
from console.engine.routing.rules import Rule
from tests.benchmarks.measured import Measured

#: Rules with one selector each, all of which move; equal rules, about as many as fit into a text of
#: one MiB; and queues with a rule each.
RULES, EQUAL, QUEUES = 4_000, 50_000, 3_000
#: Teams and shapes of an organization at its limits.
TEAMS, SHAPES = 1_000, 20_000


def run() -> Iterator[Measured]:
    """Compare moved rules, equal rules and renamed queues; then compute the impact on history."""
    yield _moved()
    yield _equal()
    yield _renamed()
    yield _impact()


def _moved() -> Measured:
    old = _teams(RULES)
    rules = list(rules_of(old))
    Random(7).shuffle(rules)
    new = replace(old, routing=route_by(_numbered(rules)))
    start = time.perf_counter()
    changes, flows = compare_policies(old, new), flows_between(old, new, _history(RULES))
    seconds = time.perf_counter() - start
    assert {change.kind for change in changes} == {ChangeKind.MOVED}
    assert RULES * 0.9 < len(changes) < RULES
    # Rules of different teams match different workloads, in any order.
    assert (flows.flows, flows.is_exact, flows.is_history_whole) == ((), True, True)
    name = f"review: {RULES:,} rules in another order, and who takes what"
    return Measured(name=name, value=seconds, unit="s", at_most=4)


def _equal() -> Measured:
    rules = [Rule(index=0, queue="team-0")] * EQUAL
    other = Rule(index=0, queue="team-1")
    base = _teams(2)
    old = replace(base, routing=route_by(_numbered(rules)))
    new = replace(
        base, routing=route_by(_numbered([*rules[: EQUAL // 2], other, *rules[EQUAL // 2 :]]))
    )
    start = time.perf_counter()
    changes, flows = compare_policies(old, new), flows_between(old, new)
    seconds = time.perf_counter() - start
    assert [(each.kind, each.name) for each in changes] == [
        (ChangeKind.ADDED, f"{EQUAL // 2} to team-1")
    ]
    assert (flows.flows, flows.is_exact) == ((), True)
    name = f"review: one rule more among {EQUAL:,} equal ones"
    return Measured(name=name, value=seconds, unit="s", at_most=4)


def _renamed() -> Measured:
    old = _teams(QUEUES)
    new = _teams(QUEUES, prefix="group")
    start = time.perf_counter()
    changes = compare_policies(old, new)
    seconds = time.perf_counter() - start
    assert len(changes) == QUEUES
    assert all(_is_renamed(change) for change in changes)
    name = f"review: {QUEUES:,} queues under other names"
    return Measured(name=name, value=seconds, unit="s", at_most=4)


def _is_renamed(change: Change) -> bool:
    return change.kind is ChangeKind.RENAMED and change.old_name == change.name.replace(
        "group", "team"
    )


def _impact() -> Measured:
    old = _teams(TEAMS)
    # The first ten teams share a queue, and no rule matches the next ten.
    rules = [
        replace(rule, queue="team-0") if rule.index < 10 else rule
        for rule in rules_of(old)
        if not 10 <= rule.index < 20
    ]
    new = replace(old, routing=route_by(_numbered(rules)))
    history = _history(TEAMS)
    start = time.perf_counter()
    found = history_impact(old, new, history)
    seconds = time.perf_counter() - start
    alike = SHAPES // TEAMS
    assert _counts(found) == {
        HistoryOutcome.MOVED: 9 * alike,
        HistoryOutcome.REJECTED: 10 * alike,
        HistoryOutcome.UNCHANGED: (TEAMS - 19) * alike,
    }
    name = f"impact on {SHAPES:,} shapes of {TEAMS:,} queues and rules"
    return Measured(name=name, value=seconds, unit="s", at_most=4)


def _counts(found: HistoryImpact) -> dict[HistoryOutcome, int]:
    counts: dict[HistoryOutcome, int] = {}
    for each in found.shapes:
        counts[each.outcome] = counts.get(each.outcome, 0) + 1
    return counts


def _teams(count: int, prefix: str = "team") -> Policy:
    """Return a policy with a queue and a rule for each of *count* teams."""
    quota = Quota(nominal=64_000)
    queues = {}
    for number in range(count):
        quotas = FlavorQuotas(flavor="any", quotas={"gpu": quota})
        group = ResourceGroup(resources=("gpu",), flavors=(quotas,))
        name = f"{prefix}-{number}"
        queues[name] = QueueSpec(name=name, groups=(group,))
    rules = [
        Rule(
            index=number,
            queue=f"{prefix}-{number}",
            selector=Selector((MatchExpression("team", Operator.IN, (f"team-{number}",)),)),
        )
        for number in range(count)
    ]
    flavors = {"any": Flavor(name="any", selector=EVERYTHING)}
    return quota_policy("native", flavors=flavors, queues=queues, routing=route_by(rules))


def _numbered(rules: list[Rule]) -> tuple[Rule, ...]:
    return tuple(replace(rule, index=index) for index, rule in enumerate(rules))


def _history(teams: int) -> History:
    shapes = [
        Shape(
            workload=Workload(
                id=str(number),
                sequence=number,
                labels={"team": f"team-{number % teams}", "run": str(number)},
                priority=number // teams,
                pod_sets=(PodSet(requests={"gpu": (1 + number // teams % 2) * 1000}),),
            ),
            runs=3,
            last_seen="2026-01-01",
        )
        for number in range(SHAPES)
    ]
    return History(window_days=30, shapes=tuple(shapes))
