"""Routing by rules: the first rule that matches labels and priority determines the queue."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from console.engine.model.policy import Policy
from console.engine.model.route import Route, RulesTried
from console.engine.model.routing import Destination, NoRouting, Routing
from console.engine.model.trace import FailedExpression, PriorityStep, RuleTried, RuleVerdict, Trace
from console.engine.model.workload import Workload
from console.engine.routing.reasons import NO_RULE_MATCHED
from console.engine.routing.rule_index import RuleIndex
from console.engine.routing.rules import Rule, effective_priority
from console.engine.routing.selector_evaluation import first_false


@dataclass(frozen=True)
class RuleRouting:
    """
    Rules that are tried in order (native dialect, admission steps 1 and 3).

    A workload that no rule matches is rejected.
    """

    rules: tuple[Rule, ...]

    name = "rules"
    may_drain = False
    is_without_quota = False
    reads_users = False

    @cached_property
    def label_keys(self) -> frozenset[str]:
        """The label keys of all selectors."""
        return frozenset(each.key for rule in self.rules for each in rule.selector.expressions)

    @property
    def takes_everything(self) -> bool:
        """Whether a rule has no selector."""
        return any(not rule.selector.expressions for rule in self.rules)

    def attributes(self, workload: Workload) -> Hashable:
        """Return the requested priority."""
        return workload.priority

    def finder(self, queues: Mapping[str, Destination]) -> RuleFinder:
        """Return a finder that tries the rules; their queues always exist."""
        return RuleFinder(self.rules)

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """Return the labels and values of the rules up to the matching one."""
        found: dict[str, dict[str, None]] = {}
        for rule in self.rules if route.rule is None else self.rules[: route.rule + 1]:
            for each in rule.selector.expressions:
                found.setdefault(each.key, {}).update(dict.fromkeys(each.values))
        return found

    def entrances(self) -> Mapping[Hashable, str]:
        """Return the queue of the first rule for each distinct selector."""
        found: dict[Hashable, str] = {}
        for rule in self.rules:
            expressions = rule.selector.expressions
            asked = tuple((each.key, each.operator, each.values) for each in expressions)
            found.setdefault(asked, rule.queue)
        return found


class RuleFinder:
    """Routes workloads with an index of the rules."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = rules
        self._index = RuleIndex(rules)

    def route(self, workload: Workload) -> Route:
        """Return the route by the first matching rule, or a rejection."""
        labels, requested = workload.labels, workload.priority
        judge = partial(_try_rules, self._rules, labels, requested)
        rule = first_rule(self._index, labels, requested)
        if rule is None:
            return Route(rejection=NO_RULE_MATCHED, judge=judge)
        return Route(
            rule=rule.index,
            queue=rule.queue,
            priority=effective_priority(rule, requested).effective,
            judge=judge,
        )


def route_by(rules: Iterable[Rule]) -> Routing:
    """Return the routing strategy of a config with *rules*, or `NoRouting` without rules."""
    tried = tuple(rules)
    return RuleRouting(tried) if tried else NoRouting()


def rules_of(policy: Policy) -> tuple[Rule, ...]:
    """Return the rules of *policy* in order; empty under another routing strategy."""
    return policy.routing.rules if isinstance(policy.routing, RuleRouting) else ()


def routes_by_rules(policy: Policy) -> bool:
    """Return whether *policy* routes by rules, of which it may have none."""
    return isinstance(policy.routing, RuleRouting | NoRouting)


def first_rule(rules: RuleIndex, labels: Mapping[str, str], requested: int | None) -> Rule | None:
    """Return the rule that matches *labels* and the *requested* priority, or None."""
    for rule in rules.matching(labels):
        if effective_priority(rule, requested).effective is not None:
            return rule
    return None


def with_rules(trace: Trace, policy: Policy, rule: int | None) -> Trace:
    """
    Return *trace* with the rules that *policy* tried, and their effect on the priority.

    *rule* is the index of the matching rule. Rules and priorities are not stored, because they
    follow from the policy and the workload of the trace. A trace is returned unchanged if it has
    them, if rules did not route its workload, or if *policy* routes the workload by another rule,
    because then another policy was active.
    """
    if not lacks_rules(trace, rule):
        return trace
    rules, priorities = _try_rules(rules_of(policy), trace.labels, trace.requested_priority)
    took = rules[-1].index if rules and rules[-1].verdict is RuleVerdict.TOOK else None
    return replace(trace, rules=rules, priorities=priorities) if took == rule else trace


def lacks_rules(trace: Trace, rule: int | None) -> bool:
    """Return whether *trace* lacks the rules that were tried; *rule* is the matching one."""
    if trace.rules or trace.local_queue is not None:
        return False
    return rule is not None or trace.outcome.reason is NO_RULE_MATCHED


def _try_rules(
    rules: Sequence[Rule], labels: Mapping[str, str], requested: int | None
) -> RulesTried:
    """Try rules in order until one matches the workload, and return the result of each."""
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
