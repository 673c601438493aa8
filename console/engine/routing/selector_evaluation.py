"""Selector evaluation: the first false expression of a selector, or all results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from console.engine.model.selectors import MatchExpression, Selector
from console.engine.model.trace import FailedExpression


@dataclass(frozen=True, slots=True)
class ExpressionResult:
    """One expression of a selector, the label's value (None: absent), and the result."""

    expression: MatchExpression
    actual: str | None
    holds: bool


def first_false(selector: Selector, labels: Mapping[str, str]) -> FailedExpression | None:
    """Return the first false expression of *selector*, with the label's value, or None."""
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
    """Return the result of every expression of *selector* for *labels*."""
    return tuple(
        ExpressionResult(each, labels.get(each.key), each.matches(labels))
        for each in selector.expressions
    )
