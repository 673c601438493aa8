"""Test the route of a workload in a config: queue, rules, nearest changes, and quota."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from console.configs.compiled_configs import CompiledConfig
from console.engine.disciplines import load_discipline
from console.engine.model.policy import Policy
from console.engine.model.route_result import RouteResult
from console.engine.model.workload import Workload
from console.engine.routing.missing_labels import MissingLabel, missing_labels
from console.engine.routing.nearest_local_queue import nearest_local_queues
from console.engine.routing.nearest_rule import NearestRules, NearMiss
from console.engine.routing.route_result import find_route_result
from console.engine.routing.router import Router
from console.engine.routing.rule_evaluation import (
    LocalQueueEvaluation,
    RuleEvaluation,
    RuleStanding,
    evaluate_local_queues,
    evaluate_rules,
)
from console.engine.simulation.fitting import Fit, Fitting
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.workloads.models import QueueHold
from console.workloads.queries.node_usage import node_usage_of
from console.workloads.queries.used import used_of
from console.workloads.services.load_nodes import inventory_for

#: Maximum number of rules or local queues in one result.
MOST_RULES = 30

#: Maximum number of workloads in one batch.
MOST_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteTest:
    """The result of one workload in one config."""

    config: CompiledConfig
    route_result: RouteResult
    #: Up to `MOST_RULES` rules in order, each evaluated by itself; empty with local queues.
    rules: tuple[RuleEvaluation, ...]
    rule_count: int
    #: Smallest change that reaches a rule, by index of the rule.
    misses: Mapping[int, NearMiss]
    #: With local queues: those of the workload's namespace, their total number, and the smallest
    #: changes that reach other queues.
    local_queues: tuple[LocalQueueEvaluation, ...]
    local_queue_count: int
    local_queue_misses: tuple[NearMiss, ...]
    missing: tuple[MissingLabel, ...]
    fit: Fit


@dataclass(frozen=True, slots=True)
class BatchRouteTest:
    """The result of one workload of a batch in one config."""

    route_result: RouteResult
    fit: Fit


def try_route(
    actor: Actor, config: CompiledConfig, workload: Workload, *, start: int = 0
) -> RouteTest:
    """
    Return the result of *workload* in *config*, with the rules from index *start* on.

    Raises NotAllowed. Nothing is stored, and no rows of workloads are read.
    """
    actor.require(Permission.READ)
    policy = config.policy
    router = Router(policy)
    route_result = find_route_result(policy, workload, router)
    rules = evaluate_rules(policy, workload)
    shown = rules[start : start + MOST_RULES]
    local_queues = evaluate_local_queues(policy, workload)
    nearest = NearestRules(policy, workload, router)
    return RouteTest(
        config=config,
        route_result=route_result,
        rules=shown,
        rule_count=len(rules),
        misses={rule.index: nearest.nearest_miss(rule.index) for rule in _nearest_first(shown)},
        local_queues=local_queues[:MOST_RULES],
        local_queue_count=len(local_queues),
        local_queue_misses=nearest_local_queues(policy, workload, MOST_RULES),
        missing=missing_labels(policy, route_result, router),
        fit=fitting(actor.org, policy, _queues_in_tree(route_result)).fit(route_result),
    )


def try_routes(
    actor: Actor, config: CompiledConfig, workloads: Sequence[Workload]
) -> tuple[BatchRouteTest, ...]:
    """Return the result of each of *workloads*, evaluated by itself; raises NotAllowed."""
    actor.require(Permission.READ)
    router = Router(config.policy)
    fits = fitting(actor.org, config.policy)
    route_results = [find_route_result(config.policy, workload, router) for workload in workloads]
    return tuple(
        BatchRouteTest(route_result, fits.fit(route_result)) for route_result in route_results
    )


def fitting(org: Organization, policy: Policy, queues: Collection[str] | None = None) -> Fitting:
    """
    Return the `Fitting` of *policy* with the current usage and holds of *org*.

    With *queues*, only the usage of these queues is read.
    """
    held = QueueHold.objects.filter(org=org).values_list("queue", flat=True)
    inventory = inventory_for(org, policy)
    node_usage = node_usage_of(org) if inventory is not None else None
    return Fitting(policy, used_of(org, queues), held, inventory=inventory, node_usage=node_usage)


def _queues_in_tree(route_result: RouteResult) -> tuple[str, ...]:
    """Return the queues whose usage affects the fit: those in the tree of the reached queue."""
    if route_result.queue is None:
        return ()
    policy = route_result.policy
    return tuple(
        load_discipline(policy.discipline).ledger(policy).queues_around(route_result.queue)
    )


def _nearest_first(rules: Iterable[RuleEvaluation]) -> list[RuleEvaluation]:
    """
    Return the rules that do not route the workload, those with the fewest false expressions first.

    The order matters because the searches for the smallest changes share one budget.
    """
    missed = [rule for rule in rules if rule.standing is not RuleStanding.TOOK]
    missed.sort(key=lambda rule: sum(not each.holds for each in rule.expressions))
    return missed
