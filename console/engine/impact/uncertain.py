"""
Doubts: labels and namespaces that a policy refers to and that no recorded workload has.

A rule that requires a label without any record matches no recorded workload. But its author
expects submitters to set the label, so the result for workloads that the rule may match is
unknown. A label that the former policy refers to, too, is not in doubt: submitters could have
set it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from console.engine.model.history import Shape
from console.engine.model.policy import Policy
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.model.workload import Workload
from console.engine.routing.local_queues import local_routing_of
from console.engine.routing.referenced_labels import referenced_labels
from console.engine.routing.rule_index import RuleIndex
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import Rule, effective_priority


class DoubtKind(StrEnum):
    """The kind of a missing fact."""

    LABEL = "label"
    NAMESPACE = "namespace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A missing fact, the rules and flavors that refer to it, and the recorded work in doubt."""

    kind: DoubtKind
    #: The label's key; empty for the namespace.
    key: str
    #: Indexes of the rules, from 0, and names of the flavors that refer to the label.
    rules: tuple[int, ...] = ()
    flavors: tuple[str, ...] = ()
    shapes: int = 0
    runs: int = 0


class Unrecorded:
    """The facts to which only *after* refers and that no shape has."""

    def __init__(self, before: Policy, after: Policy, shapes: Sequence[Shape]) -> None:
        recorded = {key for shape in shapes for key in shape.workload.labels}
        self._after = after
        self._label_keys = referenced_labels(after)
        self._open: dict[tuple[object, ...], tuple[Rule, ...]] = {}
        self.keys = referenced_labels(after) - referenced_labels(before) - recorded
        #: The rules without expressions about labels that were not recorded.
        self._rules = rules_of(after)
        self._recorded = RuleIndex([self._without_unrecorded(rule) for rule in self._rules])
        routes_anew = local_routing_of(after) is not None and local_routing_of(before) is None
        self.lacks_namespaces = routes_anew and not any(s.workload.namespace for s in shapes)

    @property
    def lacks_queue_names(self) -> bool:
        """Whether the label of the local queue was not recorded."""
        routing = local_routing_of(self._after)
        return routing is not None and routing.queue_label in self.keys

    def open_rules(self, workload: Workload) -> tuple[Rule, ...]:
        """Return the rules that may match *workload*; empty when its route is certain."""
        labels = frozenset(item for item in workload.labels.items() if item[0] in self._label_keys)
        key = (labels, workload.priority)
        found = self._open.get(key)
        if found is None:
            found = self._open[key] = self._find_open(workload)
        return found

    def _find_open(self, workload: Workload) -> tuple[Rule, ...]:
        possible: list[Rule] = []
        results: set[tuple[str, int] | None] = set()
        for recorded in self._recorded.matching(workload.labels):
            rule = self._rules[recorded.index]
            priority = effective_priority(rule, workload.priority).effective
            if priority is None:
                continue
            results.add((rule.queue, priority))
            if recorded is rule:
                break
            possible.append(rule)
        else:
            results.add(None)
        return tuple(possible) if len(results) > 1 else ()

    def _without_unrecorded(self, rule: Rule) -> Rule:
        """Return *rule* without expressions about labels that were not recorded."""
        recorded, others = self._split(rule.selector)
        return replace(rule, selector=Selector(tuple(recorded))) if others else rule

    def _split(self, selector: Selector) -> tuple[list[MatchExpression], list[MatchExpression]]:
        recorded: list[MatchExpression] = []
        others: list[MatchExpression] = []
        for each in selector.expressions:
            (others if each.key in self.keys else recorded).append(each)
        return recorded, others

    def keys_of(self, selector: Selector) -> frozenset[str]:
        """Return the keys in *selector* that were not recorded."""
        return self.keys.intersection(each.key for each in selector.expressions)

    def extremes(self) -> tuple[Policy, ...]:
        """
        Return *after* with the flavors in doubt accepting no workload, and with all open.

        Open flavors ignore labels that were not recorded. Empty if no flavor is in doubt.
        """
        if not any(map(self.keys_of, self._after.spec.selectors().values())):
            return ()
        return (
            self._with(_accepting_none),
            self._with(lambda selector: Selector(tuple(self._split(selector)[0]))),
        )

    def _with(self, change: Callable[[Selector], Selector]) -> Policy:
        """Return *after* with a *change* of the selectors with labels that were not recorded."""
        spec = self._after.spec.with_selectors(
            lambda selector: change(selector) if self.keys_of(selector) else selector
        )
        return replace(self._after, spec=spec)


def _accepting_none(selector: Selector) -> Selector:
    key = selector.expressions[0].key
    return Selector((MatchExpression(key, Operator.IN, ()), *selector.expressions))
