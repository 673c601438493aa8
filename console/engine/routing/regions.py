"""Regions: exact sets of workloads by labels and requested priority, for comparing rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from console.engine.model.selectors import MatchExpression, Operator
from console.engine.routing.rules import OnViolation, Rule


@dataclass(frozen=True, slots=True)
class Values:
    """A set of label values: those *listed*, or all others if *is_all_but*; and absence."""

    listed: frozenset[str] = frozenset()
    is_all_but: bool = True
    may_be_absent: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether the set is empty."""
        return not (self.listed or self.is_all_but or self.may_be_absent)

    @property
    def is_anything(self) -> bool:
        """Whether the set has every value and absence."""
        return self.is_all_but and self.may_be_absent and not self.listed

    def has(self, actual: str | None) -> bool:
        """Return whether the set contains *actual*; None: absence."""
        if actual is None:
            return self.may_be_absent
        return (actual in self.listed) != self.is_all_but

    def overlaps(self, other: Values) -> bool:
        """Return whether the sets overlap."""
        if self.may_be_absent and other.may_be_absent:
            return True
        if self.is_all_but:
            return other.is_all_but or not other.listed <= self.listed
        if other.is_all_but:
            return not self.listed <= other.listed
        return not self.listed.isdisjoint(other.listed)

    def without(self, other: Values) -> Values:
        """Return the difference of the sets."""
        opposite = Values(other.listed, not other.is_all_but, not other.may_be_absent)
        return self.intersection(opposite)

    def intersection(self, other: Values) -> Values:
        """Return the intersection."""
        absent = self.may_be_absent and other.may_be_absent
        if self.is_all_but and other.is_all_but:
            return Values(self.listed | other.listed, True, absent)
        if self.is_all_but:
            return Values(other.listed - self.listed, False, absent)
        if other.is_all_but:
            return Values(self.listed - other.listed, False, absent)
        return Values(self.listed & other.listed, False, absent)


ANYTHING = Values()


@dataclass(frozen=True, slots=True)
class Priorities:
    """Requested priorities from *low* to *high* (None: unbounded), and absence of a request."""

    low: int | None = None
    high: int | None = None
    may_be_absent: bool = True

    @property
    def is_anything(self) -> bool:
        """Whether the set has every priority and absence."""
        return self.low is None and self.high is None and self.may_be_absent

    def has(self, requested: int | None) -> bool:
        """Return whether the set contains *requested*; None: no priority is requested."""
        if requested is None:
            return self.may_be_absent
        if self.low is not None and requested < self.low:
            return False
        return self.high is None or requested <= self.high


@dataclass(frozen=True, slots=True)
class Region:
    """
    A set of workloads by labels and requested priority; other labels are not restricted.

    Never empty: an empty region is represented by None or omitted.
    """

    labels: Mapping[str, Values] = field(default_factory=dict)
    priorities: Priorities = Priorities()

    def overlaps(self, other: Region) -> bool:
        """Return whether the regions overlap."""
        mine, theirs = self.labels, other.labels
        if len(theirs) < len(mine):
            mine, theirs = theirs, mine
        for key, values in mine.items():
            known = theirs.get(key)
            if known is not None and not values.overlaps(known):
                return False
        return _common(self.priorities, other.priorities) is not None

    def intersection(self, other: Region) -> Region | None:
        """Return the intersection, or None when it is empty."""
        labels = dict(self.labels)
        for key, values in other.labels.items():
            labels[key] = labels.get(key, ANYTHING).intersection(values)
            if labels[key].is_empty:
                return None
        priorities = _common(self.priorities, other.priorities)
        return None if priorities is None else Region(labels, priorities)

    def without(self, other: Region) -> Iterator[Region]:
        """Yield disjoint regions that together are the difference to *other*."""
        if not self.overlaps(other):
            yield self
            return
        rest = dict(self.labels)
        for key, values in other.labels.items():
            mine = rest.get(key, ANYTHING)
            outside = mine.without(values)
            if not outside.is_empty:
                yield replace(self, labels={**rest, key: outside})
            rest[key] = mine.intersection(values)
        for priorities in _outside(self.priorities, other.priorities):
            yield Region(rest, priorities)

    def has(self, labels: Mapping[str, str], priority: int | None) -> bool:
        """Return whether a workload with *labels* that requests *priority* is in the region."""
        if not self.priorities.has(priority):
            return False
        return all(values.has(labels.get(key)) for key, values in self.labels.items())


def region_of(rule: Rule) -> Region | None:
    """Return the region of workloads that *rule* alone would match; None: it never matches."""
    labels: dict[str, Values] = {}
    for expression in rule.selector.expressions:
        values = labels.get(expression.key, ANYTHING).intersection(values_of(expression))
        if values.is_empty:
            return None
        labels[expression.key] = values
    policy = rule.priority
    if policy.on_violation is not OnViolation.REJECT:
        return Region(labels)
    return Region(labels, Priorities(policy.minimum, policy.maximum))


def values_of(expression: MatchExpression) -> Values:
    """Return the values of a label for which *expression* is true."""
    listed = frozenset(expression.values)
    match expression.operator:
        case Operator.IN:
            return Values(listed, is_all_but=False, may_be_absent=False)
        case Operator.NOT_IN:
            return Values(listed)
        case Operator.EXISTS:
            return Values(may_be_absent=False)
        case Operator.DOES_NOT_EXIST:
            return Values(is_all_but=False)


#: An empty range of priorities, and absence.
_NOT_REQUESTED = Priorities(1, 0, may_be_absent=True)


def _common(one: Priorities, other: Priorities) -> Priorities | None:
    lows = [each.low for each in (one, other) if each.low is not None]
    highs = [each.high for each in (one, other) if each.high is not None]
    low, high = max(lows, default=None), min(highs, default=None)
    absent = one.may_be_absent and other.may_be_absent
    if low is not None and high is not None and low > high:
        return _NOT_REQUESTED if absent else None
    return Priorities(low, high, absent)


def _outside(one: Priorities, other: Priorities) -> Iterator[Priorities]:
    pieces = []
    if other.low is not None and other.high is not None and other.low > other.high:
        pieces.append(Priorities(may_be_absent=False))
    else:
        if other.low is not None:
            pieces.append(Priorities(None, other.low - 1, may_be_absent=False))
        if other.high is not None:
            pieces.append(Priorities(other.high + 1, None, may_be_absent=False))
    if not other.may_be_absent:
        pieces.append(_NOT_REQUESTED)
    for piece in pieces:
        found = _common(one, piece)
        if found is not None:
            yield found
