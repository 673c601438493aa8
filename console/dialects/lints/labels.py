"""Lints of referenced labels that no recorded workload has: misspelled, or not used yet."""

from __future__ import annotations

from collections.abc import Iterator

from console.dialects.findings import Findings
from console.dialects.lints.codes import KEY_NEVER_SEEN, VALUE_NEVER_SEEN
from console.dialects.lints.wording import names, quoted, window
from console.dialects.place_finder import PlaceFinder
from console.dialects.repairs import did_you_mean
from console.dialects.routed_history import RoutedHistory
from console.dialects.wording import shorten
from console.engine.model.policy import Policy
from console.engine.model.selectors import MatchExpression, Operator
from console.engine.routing.rule_routing import rules_of

#: Minimum number of recorded workloads; with fewer, a missing label means little.
_ENOUGH = 20
#: Maximum number of values of one expression that are reported one by one.
_EACH = 3


def lint_labels(
    policy: Policy, past: RoutedHistory, places: PlaceFinder, findings: Findings
) -> None:
    """Report label keys and values that no recorded workload had, with the nearest recorded one."""
    if past.history.runs < _ENOUGH:
        return
    for expression in _expressions(policy):
        if expression.key not in past.keys:
            # An expression on the absence of a label is often intended for a future label.
            if expression.operator is not Operator.DOES_NOT_EXIST:
                _lint_key(expression, past, places, findings)
            continue
        seen = past.values[expression.key]
        unseen = [value for value in dict.fromkeys(expression.values) if value not in seen]
        if len(unseen) > _EACH:
            _lint_many(expression, unseen, past, places, findings)
        else:
            for value in unseen:
                _lint_value(expression, value, past, places, findings)


def _expressions(policy: Policy) -> Iterator[MatchExpression]:
    for selector in policy.spec.selectors().values():
        yield from selector.expressions
    for rule in rules_of(policy):
        yield from rule.selector.expressions


def _lint_key(
    expression: MatchExpression, past: RoutedHistory, places: PlaceFinder, findings: Findings
) -> None:
    place = places.key(expression.origin, expression.key)
    hint, repairs = did_you_mean(findings, place, expression.key, past.seen_keys)
    findings.add(
        KEY_NEVER_SEEN,
        place,
        f"No workload of {window(past)} had label {quoted(expression.key)}.",
        hint or f"Labels seen: {names(past.seen_keys)}.",
        repairs,
    )


def _lint_value(
    expression: MatchExpression,
    value: str,
    past: RoutedHistory,
    places: PlaceFinder,
    findings: Findings,
) -> None:
    place = places.item(expression.origin, value)
    seen = past.seen(expression.key)
    hint, repairs = did_you_mean(findings, place, value, seen)
    findings.add(
        VALUE_NEVER_SEEN,
        place,
        f"Label {quoted(expression.key)} was never {quoted(value)} in {window(past)}.",
        hint or f"Values seen: {names(seen)}.",
        repairs,
    )


def _lint_many(
    expression: MatchExpression,
    unseen: list[str],
    past: RoutedHistory,
    places: PlaceFinder,
    findings: Findings,
) -> None:
    key = shorten(expression.key)
    findings.add(
        VALUE_NEVER_SEEN,
        places.head(expression.origin),
        f'{len(unseen)} of {len(expression.values)} values of label "{key}" were never seen in '
        f"{window(past)}: {names(unseen)}.",
        f"Values seen: {names(past.seen(expression.key))}.",
    )
