"""
Rule evaluation: the results of all rules or local queues of a config for one workload.

Routing stops at the first matching rule, and a selector at the first false expression.
Authors of rules need to see the results of the others, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.model.trace import PriorityStep
from console.engine.model.workload import Workload
from console.engine.routing.local_queues import (
    LocalQueue,
    local_queue_name,
    local_routing_of,
    namespace_labels,
)
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import effective_priority
from console.engine.routing.selector_evaluation import ExpressionResult, evaluate_selector


class RuleStanding(StrEnum):
    """The effect of a rule on a workload."""

    TOOK = "took"
    SELECTOR_FALSE = "selector_false"
    PRIORITY_OUT_OF_RANGE = "priority_out_of_range"
    #: It would match the workload, but an earlier rule matches first.
    TOO_LATE = "too_late"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleEvaluation:
    """The evaluation of one routing rule on its own, and its effect after earlier rules."""

    index: int
    queue: str
    standing: RuleStanding
    expressions: tuple[ExpressionResult, ...]
    #: Its effect on the priority; None when its selector is false.
    priority: PriorityStep | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueueEvaluation:
    """One local queue of a workload's namespace, and whether its queue allows the namespace."""

    local_queue: LocalQueue
    #: Whether it is the local queue of the workload, by label or by default.
    is_taken: bool
    #: Whether its queue exists.
    leads: bool
    #: Whether its queue allows workloads of the namespace.
    is_allowed: bool
    #: The queue's expressions on namespace labels; empty when it allows all or none.
    expressions: tuple[ExpressionResult, ...] = ()


def evaluate_rules(policy: Policy, workload: Workload) -> tuple[RuleEvaluation, ...]:
    """Return the evaluation of every rule in order; empty under routing by local queues."""
    found = []
    is_taken = False
    for rule in rules_of(policy):
        expressions = evaluate_selector(rule.selector, workload.labels)
        priority = None
        if not all(each.holds for each in expressions):
            standing = RuleStanding.SELECTOR_FALSE
        else:
            priority = effective_priority(rule, workload.priority)
            if priority.effective is None:
                standing = RuleStanding.PRIORITY_OUT_OF_RANGE
            else:
                standing = RuleStanding.TOO_LATE if is_taken else RuleStanding.TOOK
                is_taken = True
        found.append(
            RuleEvaluation(
                index=rule.index,
                queue=rule.queue,
                standing=standing,
                expressions=expressions,
                priority=priority,
                origin=rule.origin,
            )
        )
    return tuple(found)


def evaluate_local_queues(policy: Policy, workload: Workload) -> tuple[LocalQueueEvaluation, ...]:
    """Return the evaluation of every local queue of the namespace, the workload's own first."""
    routing = local_routing_of(policy)
    if routing is None:
        return ()
    taken = local_queue_name(routing, workload.labels, workload.namespace)
    labels = namespace_labels(routing, workload.namespace)
    local_queues = []
    for (namespace, name), local_queue in routing.local_queues.items():
        if namespace != workload.namespace:
            continue
        queue = policy.queues.get(local_queue.queue)
        selector = queue.namespaces if queue is not None else None
        expressions = evaluate_selector(selector, labels) if selector is not None else ()
        local_queues.append(
            LocalQueueEvaluation(
                local_queue=local_queue,
                is_taken=name == taken,
                leads=queue is not None,
                is_allowed=selector is not None and all(each.holds for each in expressions),
                expressions=expressions,
            )
        )
    return tuple(sorted(local_queues, key=lambda each: not each.is_taken))
