"""Placement rules, each with the number of workloads of the last days that it has placed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from django.db.models import Count
from django.utils import timezone

from console.engine.disciplines.hierarchy.placement import Verdict
from console.engine.disciplines.hierarchy.placement_route import PlacementRoute
from console.engine.disciplines.hierarchy.spec import PlacementRule, hierarchy_of
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload as Judged
from console.engine.routing.router import Router
from console.orgs.models import Organization
from console.policies.queries import active_policy
from console.workloads.models import Workload
from console.workloads.queries.hierarchy.user_usage import has_section

#: Days of which workloads are counted.
DAYS: Final = 7

#: Maximum number of workloads that are counted, the newest.
MOST_WORKLOADS: Final = 20_000

#: The key of the section of disciplines with placement rules.
SECTION: Final = "placement_rules"

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
    total: int = 0


def placement_hits_of(org: Organization) -> PlacementHits | None:
    """
    Return the placement rules of the active config; None if it has none.

    Workloads count as the active config would place them today.
    """
    policy = active_policy(org)
    if not has_section(policy, SECTION):
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
        is_complete=counts.total < MOST_WORKLOADS,
    )


def _counts(org: Organization, policy: Policy) -> _Counts:
    counts, router = _Counts(), Router(policy)
    since = timezone.now() - timedelta(days=DAYS)
    newest = Workload.objects.filter(org=org).order_by("-pk").values("pk")[:MOST_WORKLOADS]
    alike = (
        Workload.objects.filter(pk__in=newest, submitted_at__gte=since)
        .order_by()
        .values_list("label_set__labels", "namespace", "user", "groups")
        .annotate(number=Count("pk"))
    )
    for labels, namespace, user, groups, number in alike:
        counts.total += number
        judged = Judged(
            id="", sequence=0, labels=labels, namespace=namespace, user=user, groups=tuple(groups)
        )
        route = router.route(judged)
        if not isinstance(route, PlacementRoute):
            continue
        partition, placement = route.placed()
        last = placement.attempts[-1]
        if last.verdict is not Verdict.ACCEPTED:
            counts.rejected += number
            continue
        key = partition.name, last.index
        counts.placed[key] = counts.placed.get(key, 0) + number
    return counts
