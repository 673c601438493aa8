"""Routing: from the attributes of a workload to a queue and an effective priority."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TypeAlias

from console.engine.disciplines.quota.spec import QueueSpec, spec_of
from console.engine.model.policy import LocalQueueRouting, OnViolation, Policy, PriorityPolicy, Rule
from console.engine.model.reasons import Reason
from console.engine.model.trace import (
    FailedExpression,
    LocalQueueStep,
    PriorityStep,
    PriorityVerdict,
    RuleTried,
    RuleVerdict,
    Trace,
)
from console.engine.model.workload import Workload
from console.engine.routing.flavor_matching import first_false
from console.engine.routing.local_queues import follow_local_queue
from console.engine.routing.reasons import NO_FLAVOR_MATCHED, NO_RULE_MATCHED
from console.engine.routing.referenced_labels import referenced_labels
from console.engine.routing.rule_index import RuleIndex

#: Cached routes. Labels may be unique to each workload, in which case they never match.
_REMEMBERED = 20_000


#: Rules that were tried, and the priority given by those whose selector holds.
_Judged: TypeAlias = tuple[tuple[RuleTried, ...], tuple[PriorityStep, ...]]


def _without_rules() -> _Judged:
    return (), ()


@dataclass(frozen=True, kw_only=True)
class Route:
    """
    The queue of a workload, and every rule that was tried.

    *queue* is None when no rule matched, when its local queue leads to no pending
    queue, or when the policy has neither rules nor local queues. *matches* has,
    per resource group and flavor, the expression that excludes the workload from
    the flavor, or None where its labels allow the flavor.
    """

    rule: int | None = None
    queue: str | None = None
    priority: int | None = None
    matches: tuple[tuple[FailedExpression | None, ...], ...] = ()
    #: The local queue that was followed; None where rules route.
    local_queue: LocalQueueStep | None = None
    #: Why it has to wait whatever the quota; only with local queues.
    problem: Reason | None = None
    #: Its local queue is stopped and its running workloads are evicted too.
    drains: bool = False
    #: Evaluates the rules one by one, from facts that no longer change.
    judge: Callable[[], _Judged] = field(default=_without_rules, repr=False, compare=False)

    @property
    def rules(self) -> tuple[RuleTried, ...]:
        """Every rule that was tried, in order; evaluated on request."""
        return self._judged[0]

    @property
    def priorities(self) -> tuple[PriorityStep, ...]:
        """The effect of rules whose selector holds on the requested priority, in order."""
        return self._judged[1]

    @cached_property
    def _judged(self) -> _Judged:
        return self.judge()


class Router:
    """
    Routes workloads under one policy.

    Each distinct (labels, priority, namespace) is routed once, counting only the labels
    that the policy refers to.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._asked = referenced_labels(policy)
        self._rules = RuleIndex(policy.rules)
        self._routes: dict[tuple[tuple[tuple[str, str], ...], int | None, str], Route] = {}
        #: The same by identity of labels, kept alive by each entry: many workloads share them.
        self._of_shared: dict[tuple[int, int | None, str], tuple[Mapping[str, str], Route]] = {}

    def route(self, workload: Workload) -> Route:
        """
        Return the route of *workload*.

        By local queues where the policy has them (Kueue, spec 1.5, 1.6, 3.4),
        else by rules (native dialect, admission steps 1 and 3).
        """
        shared = (id(workload.labels), workload.priority, workload.namespace)
        known = self._of_shared.get(shared)
        if known is not None:
            return known[1]
        labels = tuple(sorted(item for item in workload.labels.items() if item[0] in self._asked))
        key = (labels, workload.priority, workload.namespace)
        found = self._routes.get(key)
        if found is None:
            if len(self._routes) >= _REMEMBERED:
                self._routes.clear()
            if self._policy.local_routing is not None:
                found = self._follow(self._policy.local_routing, workload)
            else:
                found = self._take(workload.labels, workload.priority)
            self._routes[key] = found
        if len(self._of_shared) >= _REMEMBERED:
            self._of_shared.clear()
        self._of_shared[shared] = (workload.labels, found)
        return found

    def _follow(self, routing: LocalQueueRouting, workload: Workload) -> Route:
        led = follow_local_queue(
            routing,
            spec_of(self._policy).queues,
            labels=workload.labels,
            namespace=workload.namespace,
            requested=workload.priority,
        )
        return Route(
            queue=led.queue.name if led.queue is not None else None,
            priority=led.priority,
            matches=self._flavor_matches(
                spec_of(self._policy).queues[led.queue.name], workload.labels
            )
            if led.queue
            else (),
            local_queue=led.step,
            problem=led.problem,
            drains=led.drains,
        )

    def _take(self, labels: Mapping[str, str], requested: int | None) -> Route:
        rules = self._policy.rules
        if not rules:
            return Route(priority=requested or 0)
        rule = first_rule(self._rules, labels, requested)
        if rule is None:
            return Route(judge=partial(_judge, rules, labels, requested))
        return Route(
            rule=rule.index,
            queue=rule.queue,
            priority=effective_priority(rule, requested).effective,
            matches=self._flavor_matches(spec_of(self._policy).queues[rule.queue], labels),
            judge=partial(_judge, rules, labels, requested),
        )

    def _flavor_matches(
        self, queue: QueueSpec, labels: Mapping[str, str]
    ) -> tuple[tuple[FailedExpression | None, ...], ...]:
        flavors = spec_of(self._policy).flavors
        # An undeclared flavor excludes no workload by labels: its whole queue is closed.
        return tuple(
            tuple(
                first_false(flavors[entry.flavor].selector, labels)
                if entry.flavor in flavors
                else None
                for entry in group.flavors
            )
            for group in queue.groups
        )


def first_rule(rules: RuleIndex, labels: Mapping[str, str], requested: int | None) -> Rule | None:
    """Return the rule that matches a workload with *labels* and this request, or None."""
    for rule in rules.holding(labels):
        if effective_priority(rule, requested).effective is not None:
            return rule
    return None


def effective_priority(rule: Rule, requested: int | None) -> PriorityStep:
    """
    Apply the rule's priority policy to a requested priority.

    Without a request the default applies, or 0 raised to the minimum. A request
    outside the range is moved to its nearer end by ``force_update`` and refused
    by ``reject``: then *effective* is None and the next rule is tried.
    """
    policy = rule.priority
    verdict: PriorityVerdict | None
    effective: int | None
    if requested is None:
        effective, verdict = _priority_without_request(policy)
    else:
        effective, verdict = requested, PriorityVerdict.REQUESTED
        nearest = _nearest(policy, requested)
        if nearest != requested:
            forced = policy.on_violation is OnViolation.FORCE_UPDATE
            effective, verdict = (nearest, PriorityVerdict.FORCED) if forced else (None, None)
    return PriorityStep(
        rule=rule.index,
        requested=requested,
        effective=effective,
        verdict=verdict,
        default=policy.default,
        minimum=policy.minimum,
        maximum=policy.maximum,
        origin=policy.origin or rule.origin,
    )


def with_rules(trace: Trace, policy: Policy, rule: int | None) -> Trace:
    """
    Return *trace* with the rules that *policy* tried, and their effect on the priority.

    *rule* is the index of the matching rule. Both follow from the policy and from the workload
    in the trace, so they need not be stored. A trace that has them, or whose workload was
    routed by no rule, is returned unchanged; so is one that *policy* would route
    otherwise, because another policy did.
    """
    if not lacks_rules(trace, rule):
        return trace
    rules, priorities = _judge(policy.rules, trace.labels, trace.requested_priority)
    took = rules[-1].index if rules and rules[-1].verdict is RuleVerdict.TOOK else None
    return replace(trace, rules=rules, priorities=priorities) if took == rule else trace


def lacks_rules(trace: Trace, rule: int | None) -> bool:
    """Say whether *trace* omits the rules that were tried; *rule* is the matching one."""
    if trace.rules or trace.local_queue is not None:
        return False
    return rule is not None or trace.outcome.reason is NO_RULE_MATCHED


def flavor_rejection(route: Route, queue: QueueSpec, requests: Mapping[str, int]) -> Reason | None:
    """
    Return NO_FLAVOR_MATCHED when the workload's labels exclude it from every flavor it could use.

    That is when no flavor of any group accepts it, whatever it requests, or no
    flavor of a group that covers a requested resource does.
    """
    if queue.is_passthrough:
        return None
    accepts = [any(failed is None for failed in group) for group in route.matches]
    if not any(accepts):
        return NO_FLAVOR_MATCHED
    for group, accepted in zip(queue.groups, accepts, strict=True):
        if not accepted and any(requests.get(resource) for resource in group.resources):
            return NO_FLAVOR_MATCHED
    return None


def _priority_without_request(policy: PriorityPolicy) -> tuple[int, PriorityVerdict]:
    if policy.default is not None:
        return policy.default, PriorityVerdict.DEFAULT
    if policy.minimum:
        return policy.minimum, PriorityVerdict.FORCED
    return 0, PriorityVerdict.ZERO


def _nearest(policy: PriorityPolicy, requested: int) -> int:
    if policy.minimum is not None and requested < policy.minimum:
        return policy.minimum
    if policy.maximum is not None and requested > policy.maximum:
        return policy.maximum
    return requested


def _judge(rules: Sequence[Rule], labels: Mapping[str, str], requested: int | None) -> _Judged:
    """Try rules in order until one matches the workload, and record the result of each."""
    tried: list[RuleTried] = []
    priorities: list[PriorityStep] = []
    for rule in rules:
        failed = first_false(rule.selector, labels)
        if failed is not None:
            tried.append(_tried(rule, RuleVerdict.SELECTOR_FALSE, failed))
            continue
        step = effective_priority(rule, requested)
        priorities.append(step)
        if step.effective is None:
            tried.append(_tried(rule, RuleVerdict.PRIORITY_OUT_OF_RANGE))
            continue
        tried.append(_tried(rule, RuleVerdict.TOOK))
        break
    return tuple(tried), tuple(priorities)


def _tried(rule: Rule, verdict: RuleVerdict, failed: FailedExpression | None = None) -> RuleTried:
    return RuleTried(
        index=rule.index, queue=rule.queue, verdict=verdict, failed=failed, origin=rule.origin
    )
