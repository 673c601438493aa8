"""Rule index: finds the rules that may match a workload by its labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge

from console.engine.model.selectors import Operator
from console.engine.routing.rules import Rule


class RuleIndex:
    """
    The rules of one policy, indexed by the values of a label in their selectors.

    Each rule is indexed once, by the label that the most rules restrict to listed values;
    rules without such a label are tried for every workload.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        #: Number of rules tried so far.
        self.tried_count = 0
        listed = [_listed_values(rule) for rule in rules]
        counts = Counter(key for each in listed for key in each)
        #: The label by which most rules are indexed.
        self._main = max(counts, key=lambda key: (counts[key], key), default="")
        #: By rule: the listed values of that label; None: no list.
        self._main_values = [each.get(self._main) for each in listed]
        self._always: list[int] = []
        self._any_main_value: list[int] = []
        self._of_value: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for index, each in enumerate(listed):
            key = max(each, key=lambda key: (counts[key], key), default="")
            for value in each.get(key, ()):
                self._of_value[key, value].append(index)
            if not each:
                self._always.append(index)
            if self._main_values[index] is None:
                self._any_main_value.append(index)

    def matching(self, labels: Mapping[str, str]) -> Iterator[Rule]:
        """Yield the rules whose selectors match *labels*, in order."""
        filed = (self._of_value[item] for item in labels.items() if item in self._of_value)
        for index in merge(self._always, *filed):
            self.tried_count += 1
            if self._rules[index].selector.matches(labels):
                yield self._rules[index]

    def overlapping_before(self, index: int) -> Iterator[Rule]:
        """Yield the rules before *index* that may match some of the same workloads, in order."""
        values = self._main_values[index]
        if values is None:
            yield from self._rules[:index]
            return
        alike = {each for value in values for each in self._of_value[self._main, value]}
        for each in merge(self._any_main_value, sorted(alike)):
            if each >= index:
                return
            yield self._rules[each]


def _listed_values(rule: Rule) -> dict[str, frozenset[str]]:
    """Return the labels that a rule restricts to listed values, with these values."""
    listed: dict[str, frozenset[str]] = {}
    for expression in rule.selector.expressions:
        if expression.operator is Operator.IN:
            values = frozenset(expression.values)
            listed[expression.key] = listed.get(expression.key, values) & values
    return listed
