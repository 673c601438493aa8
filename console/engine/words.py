"""Words that several sentences share: amounts, lists, counts, expressions and ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from console.engine.amounts import Amount, format_amount
from console.engine.trace import FailedExpression, PriorityStep


def amount(value: Amount, resource: str) -> str:
    """Return an amount with its resource: "8 gpu"."""
    return f"{format_amount(value)} {resource}"


def amounts(requests: Mapping[str, int]) -> str:
    """Return all amounts of a request, sorted by resource."""
    return ", ".join(amount(value, resource) for resource, value in sorted(requests.items()))


def listed(words: Iterable[str]) -> str:
    """Return *words* as "a", "a and b" or "a, b and c"."""
    items = list(words)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, which takes an s unless it is one."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def sentence_case(text: str) -> str:
    """Return *text* with a capital first letter."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """Return *text* with a small first letter."""
    return text[:1].lower() + text[1:]


def out_of_range(step: PriorityStep) -> str:
    """Return why a rule refuses a requested priority."""
    accepted = priority_range(step)
    return f"rule {step.rule + 1} accepts {accepted}, and priority {step.requested} is outside"


def priority_range(step: PriorityStep) -> str:
    """Return the priorities that a rule accepts."""
    if step.minimum is None:
        return f"priorities up to {step.maximum}"
    if step.maximum is None:
        return f"priorities from {step.minimum}"
    return f"priorities from {step.minimum} to {step.maximum}"


def failed_expression(failed: FailedExpression) -> str:
    """Return what a selector asks for, and what the label is instead."""
    operator = failed.operator.replace("_", " ")
    asked = f"{failed.key} {operator} {_values(failed)}".strip()
    actual = "the label is absent" if failed.actual is None else f"it is {failed.actual!r}"
    return f"{asked}, and {actual}"


def _values(failed: FailedExpression) -> str:
    shown = ", ".join(failed.values[:5])
    more = len(failed.values) - 5
    return f"[{shown}{f', and {more} more' if more > 0 else ''}]" if shown else ""
