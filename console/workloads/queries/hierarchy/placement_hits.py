"""Placement rules, each with the number of workloads of the last days that it has placed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from console.engine.disciplines.hierarchy.placement_route import PlacementRoute
from console.engine.disciplines.hierarchy.spec import PlacementRule, hierarchy_of
from console.engine.model.policy import Policy
from console.engine.routing.router import Router
from console.orgs.models import Organization
from console.policies.queries import active_policy
from console.workloads.queries.recent_history import recent_history
from console.workloads.queries.rule_hits import MOST_SHAPES
from console.workloads.queries.sections import PLACEMENT_RULES, has_section

#: Days of which workloads are counted.
DAYS: Final = 7

#: A partition and the index of a rule; None: a rule that the config does not state.
_Key = tuple[str, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWithHits:
    """One rule of a partition."""

    partition: str
    #: From 0.
    index: int
    rule: PlacementRule
    #: Workloads that the rule has placed.
    placed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementHits:
    """The rules of all partitions, in their order."""

    rules: tuple[RuleWithHits, ...] = ()
    #: Workloads that no stated rule has placed, and that have a queue all the same.
    by_default: int = 0
    #: Workloads that no rule has placed.
    rejected: int = 0
    #: Whether all workloads of the days were counted. If not, the numbers are minimums.
    is_complete: bool = True


@dataclass(slots=True)
class _Counts:
    placed: dict[_Key, int] = field(default_factory=dict)
    rejected: int = 0
    is_complete: bool = True


def placement_hits_of(org: Organization) -> PlacementHits | None:
    """
    Return the placement rules of the active config; None if it has none.

    Workloads count as the active config would place them today; the numbers are at most a minute
    old.
    """
    policy = active_policy(org)
    if not has_section(policy, PLACEMENT_RULES):
        return None
    counts = _counts(org, policy)
    rules = [
        RuleWithHits(
            partition=name, index=index, rule=rule, placed=counts.placed.get((name, index), 0)
        )
        for name, partition in hierarchy_of(policy).partitions.items()
        for index, rule in enumerate(partition.rules)
    ]
    return PlacementHits(
        rules=tuple(rules),
        by_default=sum(number for (_, index), number in counts.placed.items() if index is None),
        rejected=counts.rejected,
        is_complete=counts.is_complete,
    )


def _counts(org: Organization, policy: Policy) -> _Counts:
    history, router = recent_history(org, DAYS), Router(policy)
    counts = _Counts(is_complete=history.is_complete and len(history.shapes) <= MOST_SHAPES)
    for shape in history.shapes[:MOST_SHAPES]:
        route = router.route(shape.workload)
        if not isinstance(route, PlacementRoute):
            continue
        found = route.placed()
        last = found.placement.attempts[-1]
        if route.queue is None:
            counts.rejected += shape.runs
            continue
        key = found.partition.name, last.index
        counts.placed[key] = counts.placed.get(key, 0) + shape.runs
    return counts
