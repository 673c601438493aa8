"""Selector evaluation: the first false expression of a selector, or the result of every one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from console.engine.model.selectors import MatchExpression, Selector
from console.engine.model.trace import FailedExpression


@dataclass(frozen=True, slots=True)
class ExpressionResult:
    """One expression of a selector, the label's value (None: it is absent), and the result."""

    expression: MatchExpression
    actual: str | None
    holds: bool


def first_false(selector: Selector, labels: Mapping[str, str]) -> FailedExpression | None:
    """Return the first expression of *selector* that does not hold, with the label's value."""
    expression = selector.first_false(labels)
    if expression is None:
        return None
    return FailedExpression(
        key=expression.key,
        operator=expression.operator.value,
        values=expression.values,
        actual=labels.get(expression.key),
        origin=expression.origin,
    )


def evaluate_selector(
    selector: Selector, labels: Mapping[str, str]
) -> tuple[ExpressionResult, ...]:
    """Return every expression of *selector* with its result for *labels*."""
    return tuple(
        ExpressionResult(each, labels.get(each.key), each.matches(labels))
        for each in selector.expressions
    )
