"""Selectors that nothing can meet: alone, or together with what flavors of the queue ask."""

from __future__ import annotations

from collections.abc import Iterator

from console.dialects.findings import Findings
from console.dialects.lints.codes import CONTRADICTION, RULE_WITHOUT_FLAVOR
from console.dialects.lints.wording import names, quoted
from console.dialects.spots import Spots
from console.engine.model.policy import Policy, Queue, Rule
from console.engine.model.selectors import MatchExpression, Selector
from console.engine.routing.regions import ANYTHING, Region, region_of, values_of

#: Pairs of a rule and a flavor that one check compares.
_MOST_COMPARED = 50_000


def lint_selectors(policy: Policy, spots: Spots, findings: Findings) -> None:
    """Note contradictions within selectors, and between a rule and the flavors behind it."""
    for selector in _selectors(policy):
        culprit = _contradiction(selector)
        if culprit is not None:
            findings.add(
                CONTRADICTION,
                spots.whole(culprit.origin),
                "Nothing can match this together with the earlier expression on label "
                f"{quoted(culprit.key)}.",
                "Put alternatives into one list of values.",
            )
    flavors = {name: region_of_selector(each.selector) for name, each in policy.flavors.items()}
    compared = 0
    for rule in policy.rules:
        region = region_of(rule)
        compared += sum(len(group.flavors) for group in policy.queues[rule.queue].groups)
        if compared > _MOST_COMPARED:
            break
        if region is not None:
            _lint_flavors(rule, region, policy.queues[rule.queue], flavors, spots, findings)


def region_of_selector(selector: Selector) -> Region | None:
    """Return the workloads whose labels meet *selector*; None: none ever do."""
    return region_of(Rule(index=0, queue="", selector=selector))


def _selectors(policy: Policy) -> Iterator[Selector]:
    for flavor in policy.flavors.values():
        yield flavor.selector
    for rule in policy.rules:
        yield rule.selector
    for queue in policy.queues.values():
        if queue.namespaces is not None:
            yield queue.namespaces


def _contradiction(selector: Selector) -> MatchExpression | None:
    """Return the first expression that excludes those before it."""
    left = dict.fromkeys((expression.key for expression in selector.expressions), ANYTHING)
    for expression in selector.expressions:
        left[expression.key] = left[expression.key].common(values_of(expression))
        if left[expression.key].is_empty:
            return expression
    return None


def _lint_flavors(
    rule: Rule,
    region: Region,
    queue: Queue,
    flavors: dict[str, Region | None],
    spots: Spots,
    findings: Findings,
) -> None:
    closed = [
        group
        for group in queue.groups
        if not any(_meet(region, flavors.get(entry.flavor, Region())) for entry in group.flavors)
    ]
    if not closed:
        return
    every = len(closed) == len(queue.groups)
    resources = names((resource for group in closed for resource in group.resources), "or")
    which = "" if every else f" and that request {resources}"
    findings.add(
        RULE_WITHOUT_FLAVOR,
        spots.reference(rule.origin, rule.queue),
        f"No flavor of {quoted(queue.name)} accepts the labels that rule {rule.index + 1} "
        f"requires, so workloads that it matches{which} are rejected.",
        "Change the rule, its queue, or the selectors of the flavors.",
    )


def _meet(region: Region, flavor: Region | None) -> bool:
    return flavor is not None and region.common(flavor) is not None
