"""Rules whose queue has no flavor that accepts the labels that the rule requires."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.codes import RULE_WITHOUT_FLAVOR
from console.dialects.lints.selectors import region_of_selector
from console.dialects.lints.wording import names, quoted
from console.dialects.place_finder import PlaceFinder
from console.engine.disciplines.quota.spec import QueueSpec, spec_of
from console.engine.model.policy import Policy
from console.engine.routing.regions import Region, region_of
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import Rule

#: Maximum number of pairs of a rule and a flavor that one check compares.
_MOST_COMPARED = 50_000


def lint_closed_flavors(policy: Policy, places: PlaceFinder, findings: Findings) -> None:
    """Report rules whose workloads are rejected because no flavor accepts their labels."""
    spec = spec_of(policy)
    flavors = {name: region_of_selector(each.selector) for name, each in spec.flavors.items()}
    compared = 0
    for rule in rules_of(policy):
        region = region_of(rule)
        queue = spec.queues[rule.queue]
        compared += sum(len(group.flavors) for group in queue.groups)
        if compared > _MOST_COMPARED:
            break
        if region is not None:
            _lint_rule(rule, region, queue, flavors, places, findings)


def _lint_rule(
    rule: Rule,
    region: Region,
    queue: QueueSpec,
    flavors: dict[str, Region | None],
    places: PlaceFinder,
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
        places.reference(rule.origin, rule.queue),
        f"No flavor of {quoted(queue.name)} accepts the labels that rule {rule.index + 1} "
        f"requires, so workloads that it matches{which} are rejected.",
        "Change the rule, its queue, or the selectors of the flavors.",
    )


def _meet(region: Region, flavor: Region | None) -> bool:
    return flavor is not None and region.intersection(flavor) is not None
