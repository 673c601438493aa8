"""Selectors that no workload can match."""

from __future__ import annotations

from collections.abc import Iterator

from console.dialects.findings import Findings
from console.dialects.lints.codes import CONTRADICTION
from console.dialects.lints.wording import quoted
from console.dialects.place_finder import PlaceFinder
from console.engine.model.policy import Policy
from console.engine.model.selectors import MatchExpression, Selector
from console.engine.routing.regions import ANYTHING, Region, region_of, values_of
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import Rule


def lint_selectors(policy: Policy, places: PlaceFinder, findings: Findings) -> None:
    """Report selectors whose expressions contradict each other."""
    for selector in _selectors(policy):
        culprit = _contradiction(selector)
        if culprit is not None:
            findings.add(
                CONTRADICTION,
                places.whole(culprit.origin),
                "Nothing can match this together with the earlier expression on label "
                f"{quoted(culprit.key)}.",
                "Put alternatives into one list of values.",
            )


def region_of_selector(selector: Selector) -> Region | None:
    """Return the region of workloads whose labels match *selector*; None if none can match."""
    return region_of(Rule(index=0, queue="", selector=selector))


def _selectors(policy: Policy) -> Iterator[Selector]:
    yield from policy.spec.selectors().values()
    for rule in rules_of(policy):
        yield rule.selector
    for queue in policy.queues.values():
        if queue.namespaces is not None:
            yield queue.namespaces


def _contradiction(selector: Selector) -> MatchExpression | None:
    """Return the first expression that contradicts the earlier ones."""
    left = dict.fromkeys((expression.key for expression in selector.expressions), ANYTHING)
    for expression in selector.expressions:
        left[expression.key] = left[expression.key].intersection(values_of(expression))
        if left[expression.key].is_empty:
            return expression
    return None
