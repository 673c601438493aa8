"""Recorded workloads as one policy would route them, grouped into kinds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from console.engine.model.history import History, Shape
from console.engine.model.policy import Policy
from console.engine.model.trace import LocalQueueVerdict
from console.engine.model.workload import Workload
from console.engine.routing.local_queues import (
    LocalQueueRouting,
    follow_local_queue,
    local_queue_name,
    local_routing_of,
)
from console.engine.routing.referenced_labels import referenced_labels
from console.engine.routing.router import Router, knows_user
from console.engine.routing.rule_index import RuleIndex
from console.engine.routing.rule_routing import first_rule, rules_of

#: Maximum number of kinds, the most recent ones, and of rules that are evaluated for them.
MOST_KINDS, MOST_EVALUATED = 2_000, 100_000


@dataclass(slots=True)
class WorkloadKind:
    """Shapes that all selectors and local queues of the policy treat equally, and their queue."""

    #: The workload of one of the shapes.
    workload: Workload
    #: The labels that the policy references and all shapes share.
    labels: Mapping[str, str]
    #: None if they reach no queue.
    queue: str | None = None
    #: Whether they reach no queue although the policy has rules, local queues or other routing.
    is_unrouted: bool = False
    #: Whether they are rejected without a queue; otherwise they wait for it.
    is_rejected: bool = False
    shapes: list[Shape] = field(default_factory=list)

    @property
    def runs(self) -> int:
        """Number of workloads of the shapes."""
        return sum(shape.runs for shape in self.shapes)


class RoutedHistory:
    """Recorded history as one policy would route it."""

    def __init__(self, policy: Policy, history: History) -> None:
        self.history = history
        self._policy = policy
        self._rules = RuleIndex(rules_of(policy))
        #: Recorded values of each label that the policy references.
        self.values: dict[str, set[str]] = {}
        self._seen: dict[str, list[str]] = {}
        #: All recorded label keys.
        self.keys: set[str] = set()
        self.kinds: list[WorkloadKind] = []
        self.is_complete = history.is_complete
        self._group()

    def seen(self, key: str) -> list[str]:
        """Return the recorded values of a label that the policy references, sorted."""
        if key not in self._seen:
            self._seen[key] = sorted(self.values[key])
        return self._seen[key]

    @cached_property
    def seen_keys(self) -> list[str]:
        """All recorded label keys, sorted."""
        return sorted(self.keys)

    def by_queue(self) -> Mapping[str, list[WorkloadKind]]:
        """Return the kinds that reach a queue, by name of the queue."""
        found: defaultdict[str, list[WorkloadKind]] = defaultdict(list)
        for kind in self.kinds:
            if kind.queue is not None:
                found[kind.queue].append(kind)
        return found

    def unrouted(self) -> list[WorkloadKind]:
        """Return the kinds that reach no queue."""
        return [kind for kind in self.kinds if kind.is_unrouted]

    @cached_property
    def _router(self) -> Router:
        return Router(self._policy)

    def _group(self) -> None:
        keys = referenced_labels(self._policy)
        self.values = {key: set() for key in keys}
        alike: dict[object, WorkloadKind] = {}
        of_labels: dict[int, tuple[tuple[str, str], ...]] = {}
        for shape in self.history.shapes:
            workload = shape.workload
            labels = workload.labels
            # Shapes with the same labels share one mapping.
            facts = of_labels.get(id(labels))
            if facts is None:
                referenced = sorted(item for item in labels.items() if item[0] in keys)
                facts = of_labels[id(labels)] = tuple(referenced)
                self.keys.update(labels)
                for label, value in referenced:
                    self.values[label].add(value)
            user = (workload.user, workload.groups)
            key = (facts, workload.namespace, workload.priority, user)
            kind = alike.get(key)
            if kind is None:
                if len(alike) == MOST_KINDS:
                    self.is_complete = False
                    continue
                kind = alike[key] = WorkloadKind(workload, dict(facts))
            kind.shapes.append(shape)
        for kind in alike.values():
            if self._rules.tried_count > MOST_EVALUATED:
                self.is_complete = False
                break
            self._route(kind)
            self.kinds.append(kind)

    def _route(self, kind: WorkloadKind) -> None:
        policy, workload = self._policy, kind.workload
        routing = local_routing_of(policy)
        if routing is not None:
            kind.queue, kind.is_unrouted = _follow(routing, policy, workload)
        elif rules_of(policy):
            rule = first_rule(self._rules, workload.labels, workload.priority)
            kind.queue = rule.queue if rule is not None else None
            kind.is_unrouted = rule is None
        else:
            route = self._router.route(workload)
            kind.queue, kind.is_rejected = route.queue, route.rejection is not None
            is_lost = kind.queue is None and not policy.routing.is_without_quota
            kind.is_unrouted = is_lost and knows_user(policy, workload)


def _follow(
    routing: LocalQueueRouting, policy: Policy, workload: Workload
) -> tuple[str | None, bool]:
    """Return the queue of the local queue of *workload*, and whether it can never reach one."""
    labels = workload.labels
    name = local_queue_name(routing, labels, workload.namespace)
    local = routing.local_queues.get((workload.namespace, name))
    named = labels.get(routing.priority_label)
    # For a missing one, `follow_local_queue` would search the nearest name each time.
    if local is None or local.queue not in policy.queues:
        return None, True
    if named is not None and named not in routing.priority_classes:
        return None, True
    routed = follow_local_queue(
        routing,
        policy.queues,
        labels=labels,
        namespace=workload.namespace,
        requested=workload.priority,
    )
    if routed.step.verdict is LocalQueueVerdict.NAMESPACE_NOT_ALLOWED:
        return None, True
    return (routed.queue.name if routed.queue is not None else None), False
