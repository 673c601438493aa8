"""Evaluation of filters and preferences on the labels of a cluster (SkyShift, spec 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from console.engine.disciplines.placement.spec import (
    MIN_WEIGHT,
    Criterion,
    Expression,
    Operator,
    Placement,
)
from console.engine.disciplines.placement.trace import FailedFilter
from console.engine.model.trace import FailedExpression
from console.engine.wording.words import expression

#: Operators in the words of traces.
_WORDS: Final = {Operator.IN: "in", Operator.NOT_IN: "not_in"}


def holds(condition: Expression, labels: Mapping[str, str]) -> bool:
    """Return whether *condition* holds; ``NotIn`` also holds without the label."""
    among = labels.get(condition.key) in condition.values
    return among if condition.operator is Operator.IN else not among


def failure(criterion: Criterion, labels: Mapping[str, str]) -> FailedExpression | None:
    """Return the first condition of *criterion* that does not hold; None: it is satisfied."""
    for key, value in criterion.labels.items():
        if labels.get(key) != value:
            return FailedExpression(
                key=key, operator=_WORDS[Operator.IN], values=(value,), actual=labels.get(key)
            )
    for each in criterion.expressions:
        if not holds(each, labels):
            return FailedExpression(
                key=each.key,
                operator=_WORDS[each.operator],
                values=each.values,
                actual=labels.get(each.key),
            )
    return None


def is_satisfied(criterion: Criterion, labels: Mapping[str, str]) -> bool:
    """Return whether all conditions of *criterion* hold."""
    return failure(criterion, labels) is None


def failures(filters: Iterable[Criterion], labels: Mapping[str, str]) -> tuple[FailedFilter, ...]:
    """Return why no filter is satisfied, for each of them; empty if one is, or if there is none."""
    found = []
    for each in filters:
        failed = failure(each, labels)
        if failed is None:
            return ()
        found.append(FailedFilter(name=each.name, failed=failed))
    return tuple(found)


def conditions(criterion: Criterion) -> tuple[Expression, ...]:
    """Return the conditions of *criterion* in order, its labels as expressions too."""
    labels = (
        Expression(key=key, operator=Operator.IN, values=(value,))
        for key, value in criterion.labels.items()
    )
    return (*labels, *criterion.expressions)


def without_condition(criterion: Criterion, number: int) -> Criterion:
    """Return *criterion* without the condition of this *number* in `conditions`."""
    keys = list(criterion.labels)
    if number < len(keys):
        del keys[number]
        return replace(criterion, labels={key: criterion.labels[key] for key in keys})
    place = number - len(keys)
    expressions = criterion.expressions[:place] + criterion.expressions[place + 1 :]
    return replace(criterion, expressions=expressions)


def in_words(condition: Expression) -> str:
    """
    Return a condition in words.

    >>> in_words(Expression(key="location", operator=Operator.NOT_IN, values=("eu",)))
    'location not in [eu]'
    """
    return expression(condition.key, _WORDS[condition.operator], condition.values)


def best_weight(placement: Placement, labels: Mapping[str, str]) -> int:
    """Return the largest weight of the satisfied preferences, or else `MIN_WEIGHT`."""
    return max(
        (each.weight for each in placement.preferences if is_satisfied(each, labels)),
        default=MIN_WEIGHT,
    )


def largest_weight(placement: Placement) -> int:
    """Return the largest weight of all preferences, satisfied or not; it scales the others."""
    return max((each.weight for each in placement.preferences), default=MIN_WEIGHT)
