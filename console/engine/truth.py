"""
Truth tables: everything that a config asks of one workload, judged whether it matters or not.

Routing stops at the first rule that takes a workload and at the first expression that
is false. Whoever writes rules wants to see the others, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from console.engine.local_queues import local_queue_name, namespace_labels
from console.engine.origin import Origin
from console.engine.policy import LocalQueue, Policy
from console.engine.routing import effective_priority
from console.engine.selectors import MatchExpression, Selector
from console.engine.trace import PriorityStep
from console.engine.workload import Workload


@dataclass(frozen=True, slots=True)
class ExpressionTruth:
    """One expression of a selector, the label's value (None: it is absent), and what they give."""

    expression: MatchExpression
    actual: str | None
    holds: bool


class RuleStanding(StrEnum):
    """What a rule has to do with a workload."""

    TOOK = "took"
    SELECTOR_FALSE = "selector_false"
    PRIORITY_OUT_OF_RANGE = "priority_out_of_range"
    #: It would take the workload, and one before it does.
    TOO_LATE = "too_late"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTruth:
    """One routing rule, judged as if no other were there, and how it stands among them."""

    index: int
    queue: str
    standing: RuleStanding
    expressions: tuple[ExpressionTruth, ...]
    #: The priority it would give; None when its selector is false.
    priority: PriorityStep | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorTruth:
    """One local queue of a workload's namespace, and whether its queue takes that namespace."""

    door: LocalQueue
    #: Whether it is the local queue of the workload: by its label, else by default.
    is_taken: bool
    #: Whether the queue that it leads to exists.
    leads: bool
    #: Whether that queue takes workloads of this namespace.
    is_allowed: bool
    #: What that queue asks of the namespace's labels; empty when it takes all or none.
    expressions: tuple[ExpressionTruth, ...] = ()


def judge_selector(selector: Selector, labels: Mapping[str, str]) -> tuple[ExpressionTruth, ...]:
    """Return every expression of *selector* as *labels* make it."""
    return tuple(
        ExpressionTruth(each, labels.get(each.key), each.matches(labels))
        for each in selector.expressions
    )


def judge_rules(policy: Policy, workload: Workload) -> tuple[RuleTruth, ...]:
    """Return every rule of *policy* in order; none where local queues route."""
    found = []
    is_taken = False
    for rule in policy.rules:
        expressions = judge_selector(rule.selector, workload.labels)
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
            RuleTruth(
                index=rule.index,
                queue=rule.queue,
                standing=standing,
                expressions=expressions,
                priority=priority,
                origin=rule.origin,
            )
        )
    return tuple(found)


def judge_doors(policy: Policy, workload: Workload) -> tuple[DoorTruth, ...]:
    """Return every local queue of the workload's namespace, its own first."""
    routing = policy.local_routing
    if routing is None:
        return ()
    taken = local_queue_name(routing, workload.labels, workload.namespace)
    labels = namespace_labels(routing, workload.namespace)
    doors = []
    for (namespace, name), door in routing.local_queues.items():
        if namespace != workload.namespace:
            continue
        queue = policy.queues.get(door.queue)
        selector = queue.namespaces if queue is not None else None
        expressions = judge_selector(selector, labels) if selector is not None else ()
        doors.append(
            DoorTruth(
                door=door,
                is_taken=name == taken,
                leads=queue is not None,
                is_allowed=selector is not None and all(each.holds for each in expressions),
                expressions=expressions,
            )
        )
    return tuple(sorted(doors, key=lambda each: not each.is_taken))
