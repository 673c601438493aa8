"""Try a workload on a config: where it lands and why, what would change that, and how it fits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from console.configs.subjects import Subject
from console.engine.branches import MissingLabel, missing_labels
from console.engine.fitting import Fit, Fitting
from console.engine.landing import Landing, land
from console.engine.nearest import NearestRules, NearMiss
from console.engine.nearest_doors import nearest_doors
from console.engine.policy import Policy
from console.engine.routing import Router
from console.engine.trees import Trees
from console.engine.truth import DoorTruth, RuleStanding, RuleTruth, judge_doors, judge_rules
from console.engine.workload import Workload
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.workloads.models import QueueHold
from console.workloads.queries.used import used_of

#: Rules or local queues that one look shows, each with the least that would lead to it.
MOST_RULES = 30

#: Workloads of one batch.
MOST_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What one config makes of one workload."""

    subject: Subject
    landing: Landing
    #: Some of the rules in order, each judged on its own; empty where local queues route.
    rules: tuple[RuleTruth, ...]
    rule_count: int
    #: By index of the rule: the least that would lead to it.
    misses: Mapping[int, NearMiss]
    #: Where local queues route: those of its namespace, and the least that leads to other queues.
    doors: tuple[DoorTruth, ...]
    door_count: int
    door_misses: tuple[NearMiss, ...]
    missing: tuple[MissingLabel, ...]
    fit: Fit


@dataclass(frozen=True, slots=True)
class Placed:
    """What one config makes of one workload among many."""

    landing: Landing
    fit: Fit


def try_route(actor: Actor, subject: Subject, workload: Workload, *, start: int = 0) -> Tried:
    """
    Return what *subject* makes of *workload*, with the rules from index *start* on.

    Raises NotAllowed. Nothing is stored, and no row of a workload is read.
    """
    actor.require(Permission.READ)
    policy = subject.policy
    router = Router(policy)
    landing = land(policy, workload, router)
    rules = judge_rules(policy, workload)
    shown = rules[start : start + MOST_RULES]
    doors = judge_doors(policy, workload)
    nearest = NearestRules(policy, workload, router)
    return Tried(
        subject=subject,
        landing=landing,
        rules=shown,
        rule_count=len(rules),
        misses={rule.index: nearest.miss(rule.index) for rule in _nearest_first(shown)},
        doors=doors[:MOST_RULES],
        door_count=len(doors),
        door_misses=nearest_doors(policy, workload, MOST_RULES)
        if policy.local_routing is not None
        else (),
        missing=missing_labels(policy, landing, router),
        fit=fitting(actor.org, policy, _around(landing)).fit(landing),
    )


def try_routes(actor: Actor, subject: Subject, workloads: Sequence[Workload]) -> tuple[Placed, ...]:
    """Return what *subject* makes of each of *workloads* alone; raises NotAllowed."""
    actor.require(Permission.READ)
    router = Router(subject.policy)
    fits = fitting(actor.org, subject.policy)
    landings = [land(subject.policy, workload, router) for workload in workloads]
    return tuple(Placed(landing, fits.fit(landing)) for landing in landings)


def fitting(org: Organization, policy: Policy, queues: Collection[str] | None = None) -> Fitting:
    """
    Return what tries workloads on *policy* with what runs in *org* now.

    With *queues* nothing is read of others.
    """
    held = QueueHold.objects.filter(org=org).values_list("queue", flat=True)
    return Fitting(policy, used_of(org, queues), held)


def _around(landing: Landing) -> tuple[str, ...]:
    """Return the queues that have a say in how it fits: those of the tree in which it lands."""
    return () if landing.queue is None else Trees(landing.policy).around(landing.queue)


def _nearest_first(rules: Iterable[RuleTruth]) -> list[RuleTruth]:
    """Return the rules that did not take it; all share one budget, and the nearest come first."""
    missed = [rule for rule in rules if rule.standing is not RuleStanding.TOOK]
    missed.sort(key=lambda rule: sum(not each.holds for each in rule.expressions))
    return missed
