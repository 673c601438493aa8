"""
Nearest miss: the smallest change to a workload with which another rule matches it.

A rule matches when its selector holds, its priority policy accepts the request, and no
earlier rule matches. So the search first changes labels and the priority until the rule
itself accepts the workload, and then until no earlier rule matches. All values that occur
in no selector are equivalent, so one value represents them, and one priority represents all
between two bounds. This makes the search complete: a rule that it cannot reach is
unreachable, and no smaller change than the returned one is sufficient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from console.engine.model.policy import Policy
from console.engine.model.selectors import MatchExpression
from console.engine.model.workload import Workload
from console.engine.routing.router import Router
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import Rule, effective_priority

#: Maximum changes in one answer.
MOST_CHANGES = 6

#: Maximum number of rule evaluations, over all label sets tried: for one rule, and for all rules
#: and one workload. Without a limit, rules that can be avoided in many ways would take too long.
BUDGET, BUDGET_OF_ALL = 20_000, 100_000
#: Additional cost of each label set tried, in rule evaluations.
_TRIAL_COST = 10

#: Stands for every value that no selector names; stored text never has a NUL.
_OTHER = "\x00"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChange:
    """One label to set, to change, or to remove."""

    key: str
    #: Its current value; None: it is absent.
    before: str | None
    #: Its new value; None: it is absent, or has any value where *is_any* is set.
    after: str | None
    is_any: bool = False
    #: Where *is_any* is set, the values that are not sufficient.
    but_not: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """The change with which a workload reaches a rule, or a queue by its local queues."""

    queue: str
    #: Index of the rule; None under routing by local queues.
    rule: int | None = None
    labels: tuple[LabelChange, ...] = ()
    changes_priority: bool = False
    #: If *changes_priority*, the priority to request; None: no priority.
    priority: int | None = None
    #: The namespace to use; None: the present one.
    namespace: str | None = None
    #: False: unreachable, whatever the labels and the priority.
    is_possible: bool = True
    #: Whether the search stopped at its limit without a result.
    is_cut: bool = False


#: A label and its value, or the priority to request.
_Step: TypeAlias = "tuple[str, str | None] | _PriorityChange"


@dataclass(frozen=True, slots=True)
class _PriorityChange:
    priority: int | None


@dataclass(frozen=True, slots=True)
class _Trial:
    """The changes of one branch of the search."""

    labels: Mapping[str, str | None] = field(default_factory=dict)
    priority_change: _PriorityChange | None = None

    def __len__(self) -> int:
        return len(self.labels) + (self.priority_change is not None)

    def has(self, step: _Step) -> bool:
        """Return whether the label or the priority of *step* is already changed."""
        return (
            self.priority_change is not None
            if isinstance(step, _PriorityChange)
            else step[0] in self.labels
        )

    def then(self, step: _Step) -> _Trial:
        """Return these changes and *step*."""
        if isinstance(step, _PriorityChange):
            return replace(self, priority_change=step)
        return replace(self, labels={**self.labels, step[0]: step[1]})

    def of(self, workload: Workload) -> Workload:
        """Return *workload* with these changes."""
        return replace(
            workload,
            labels=changed_labels(workload.labels, self.labels),
            priority=workload.priority
            if self.priority_change is None
            else self.priority_change.priority,
        )


class NearestRules:
    """Finds the nearest miss of rules for one workload; *router* must be one of the same policy."""

    def __init__(self, policy: Policy, workload: Workload, router: Router | None = None) -> None:
        self._rules = rules_of(policy)
        self._workload = workload
        self._router = router or Router(policy)
        self._left = BUDGET_OF_ALL
        #: Label key -> the values in selectors, in order.
        self._values_by_key: dict[str, dict[str, None]] = {}
        bounds: set[int] = set()
        for rule in self._rules:
            for each in rule.selector.expressions:
                self._values_by_key.setdefault(each.key, {}).update(dict.fromkeys(each.values))
            for bound in (rule.priority.minimum, rule.priority.maximum):
                if bound is not None:
                    bounds |= {bound - 1, bound, bound + 1}
        here = workload.priority or 0
        #: Priorities that represent all others, the nearest to the requested one first.
        self._priorities = sorted(
            (each for each in bounds if each >= 0), key=lambda each: (abs(each - here), each)
        )

    def nearest_miss(self, index: int) -> NearMiss:
        """
        Return the fewest changes with which rule *index* matches the workload.

        All calls share the budget `BUDGET_OF_ALL`.
        """
        rule = self._rules[index]
        granted = min(BUDGET, self._left)
        budget = _Budget(granted)
        try:
            return self._find(rule, budget)
        except _BudgetExhausted:
            return NearMiss(queue=rule.queue, rule=index, is_cut=True)
        finally:
            self._left -= granted - max(budget.left, 0)

    def _find(self, rule: Rule, budget: _Budget) -> NearMiss:
        for most in range(MOST_CHANGES + 1):
            search = _Search(self, rule, most, budget)
            found = search.run(_Trial())
            if found is not None:
                return self._near_miss(rule, found)
            if not search.was_bounded:
                return NearMiss(queue=rule.queue, rule=rule.index, is_possible=False)
        return NearMiss(queue=rule.queue, rule=rule.index, is_cut=True)

    def changed(self, trial: _Trial) -> Workload:
        """Return the workload with the changes of *trial*."""
        return trial.of(self._workload)

    def next_steps(self, rule: Rule, changed: Workload) -> tuple[int, Iterator[_Step] | None]:
        """
        Return the number of rules evaluated, and the steps after which *rule* may match *changed*.

        No steps mean that the rule cannot match; None means that it matches.
        """
        labels, requested = changed.labels, changed.priority
        false = rule.selector.first_false(labels)
        if false is not None:
            return 1, self._steps_to_match(rule, false)
        if effective_priority(rule, requested).effective is None:
            return 1, self._other_priorities(rule, accepted=True)
        for other in self._rules[: rule.index]:
            if other.selector.matches(labels) and (
                effective_priority(other, requested).effective is not None
            ):
                return other.index + 1, self._steps_to_avoid(other)
        return rule.index + 1, None

    def _steps_to_match(self, rule: Rule, false: MatchExpression) -> Iterator[_Step]:
        """Yield the values of one label for which all its expressions in *rule* are true."""
        about = [each for each in rule.selector.expressions if each.key == false.key]
        for value in self._values(false.key):
            if all(_holds(each, value) for each in about):
                yield false.key, value

    def _steps_to_avoid(self, other: Rule) -> Iterator[_Step]:
        """Yield the steps after which *other* does not match."""
        for each in other.selector.expressions:
            for value in self._values(each.key):
                if not _holds(each, value):
                    yield each.key, value
        yield from self._other_priorities(other, accepted=False)

    def _other_priorities(self, rule: Rule, *, accepted: bool) -> Iterator[_Step]:
        for each in self._priorities:
            if (effective_priority(rule, each).effective is not None) is accepted:
                yield _PriorityChange(each)
        if accepted:
            yield _PriorityChange(None)

    def _values(self, key: str) -> tuple[str | None, ...]:
        return (_OTHER, *self._values_by_key[key], None)

    def _near_miss(self, rule: Rule, found: _Trial) -> NearMiss:
        assert self._router.route(found.of(self._workload)).rule == rule.index
        return NearMiss(
            queue=rule.queue,
            rule=rule.index,
            labels=tuple(self._change(rule, key, found) for key in found.labels),
            changes_priority=found.priority_change is not None,
            priority=found.priority_change.priority if found.priority_change is not None else None,
        )

    def _change(self, rule: Rule, key: str, found: _Trial) -> LabelChange:
        value = found.labels[key]
        is_any = value == _OTHER
        but_not = [
            each
            for each in (self._values_by_key[key] if is_any else ())
            if self._router.route(found.then((key, each)).of(self._workload)).rule != rule.index
        ]
        return LabelChange(
            key=key,
            before=self._workload.labels.get(key),
            after=None if is_any else value,
            is_any=is_any,
            but_not=tuple(but_not),
        )


class _BudgetExhausted(Exception):
    """The budget is exhausted."""


@dataclass(slots=True)
class _Budget:
    """The number of rule evaluations left."""

    left: int

    def spend(self, evaluated: int) -> None:
        """Subtract *evaluated* evaluations; raise _BudgetExhausted if fewer are left."""
        self.left -= evaluated
        if self.left < 0:
            raise _BudgetExhausted


class _Search:
    """One search with a maximum number of changes."""

    def __init__(self, nearest: NearestRules, rule: Rule, most: int, budget: _Budget) -> None:
        self._nearest = nearest
        self._rule = rule
        self._most = most
        self._budget = budget
        self._seen: set[tuple[frozenset[tuple[str, str | None]], _PriorityChange | None]] = set()
        #: Whether the maximum number of changes cut the search.
        self.was_bounded = False

    def run(self, trial: _Trial) -> _Trial | None:
        """Return *trial* with the further changes after which the rule matches, or None."""
        key = (frozenset(trial.labels.items()), trial.priority_change)
        if key in self._seen:
            return None
        self._seen.add(key)
        evaluated, steps = self._nearest.next_steps(self._rule, self._nearest.changed(trial))
        self._budget.spend(evaluated + _TRIAL_COST)
        if steps is None:
            return trial
        for step in steps:
            if trial.has(step):
                continue
            if len(trial) == self._most:
                self.was_bounded = True
                return None
            found = self.run(trial.then(step))
            if found is not None:
                return found
        return None


def changed_labels(labels: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """Return *labels* with *changes* applied: None removes a label."""
    left = {key: value for key, value in labels.items() if key not in changes}
    return left | {key: value for key, value in changes.items() if value is not None}


def _holds(expression: MatchExpression, value: str | None) -> bool:
    return expression.matches({} if value is None else {expression.key: value})
