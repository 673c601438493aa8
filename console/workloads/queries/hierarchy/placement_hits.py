"""Placement rules, each with the number of workloads of the last days that it has placed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Final, TypeAlias

from console.engine.disciplines.hierarchy.placement_route import PlacementRoute
from console.engine.disciplines.hierarchy.spec import PlacementRule, hierarchy_of
from console.engine.model.history import History
from console.engine.model.policy import Policy
from console.engine.routing.router import Router, knows_user
from console.orgs.models import Organization
from console.policies.queries import active_version, policy_of
from console.workloads.queries.recent_history import recent_history
from console.workloads.queries.rule_hits import MOST_SHAPES
from console.workloads.queries.sections import PLACEMENT_RULES, has_section

#: Days of which workloads are counted.
DAYS: Final = 7

#: Maximum number of organizations whose counts are kept per process.
_KEPT: Final = 8

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

    #: Number of the config version that states them.
    version: int = 0
    rules: tuple[RuleWithHits, ...] = ()
    #: Workloads that no stated rule has placed, and that have a queue all the same.
    by_default: int = 0
    #: Workloads that no rule has placed.
    rejected: int = 0
    #: Workloads that no rule has placed, but that may have a user who was not recorded, because a
    #: config that reads no users was active.
    unknown: int = 0
    #: Whether all workloads of the days were counted. If not, the numbers are minimums.
    is_complete: bool = True


@dataclass(slots=True)
class _Counts:
    placed: dict[_Key, int] = field(default_factory=dict)
    rejected: int = 0
    unknown: int = 0
    is_complete: bool = True


#: Key and creation time of an organization, because a restored database may reuse a key.
_Org: TypeAlias = tuple[int, datetime]

_lock = Lock()
_kept: OrderedDict[_Org, tuple[History, Policy, _Counts]] = OrderedDict()


def placement_hits_of(org: Organization) -> PlacementHits | None:
    """
    Return the placement rules of the active config; None if it has none.

    Workloads count as the active config would place them today; the numbers are at most a minute
    old.
    """
    version = active_version(org)
    if version is None:
        return None
    policy = policy_of(version)
    if not has_section(policy, PLACEMENT_RULES):
        return None
    counts = _kept_counts(org, policy)
    rules = [
        RuleWithHits(
            partition=name, index=index, rule=rule, placed=counts.placed.get((name, index), 0)
        )
        for name, partition in hierarchy_of(policy).partitions.items()
        for index, rule in enumerate(partition.rules)
    ]
    return PlacementHits(
        version=version.number,
        rules=tuple(rules),
        by_default=sum(number for (_, index), number in counts.placed.items() if index is None),
        rejected=counts.rejected,
        unknown=counts.unknown,
        is_complete=counts.is_complete,
    )


def _kept_counts(org: Organization, policy: Policy) -> _Counts:
    """Return the counts of *policy*, counted once for each history."""
    history, key = recent_history(org, DAYS), (org.pk, org.created_at)
    with _lock:
        known = _kept.get(key)
    if known is not None and known[0] is history and known[1] is policy:
        return known[2]
    counts = _counts(history, policy)
    with _lock:
        _kept[key] = history, policy, counts
        _kept.move_to_end(key)
        if len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return counts


def _counts(history: History, policy: Policy) -> _Counts:
    router = Router(policy)
    counts = _Counts(is_complete=history.is_complete and len(history.shapes) <= MOST_SHAPES)
    for shape in history.shapes[:MOST_SHAPES]:
        route = router.route(shape.workload)
        if not isinstance(route, PlacementRoute):
            continue
        if route.queue is not None:
            found = route.placed()
            key = found.partition.name, found.placement.attempts[-1].index
            counts.placed[key] = counts.placed.get(key, 0) + shape.runs
        elif knows_user(policy, shape.workload):
            counts.rejected += shape.runs
        else:
            counts.unknown += shape.runs
    return counts
