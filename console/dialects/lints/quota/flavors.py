"""Flavors that are never tried: an earlier flavor is unlimited and accepts all workloads."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.codes import FLAVOR_NEVER_TRIED
from console.dialects.lints.selectors import region_of_selector
from console.dialects.lints.wording import quoted
from console.dialects.place_finder import PlaceFinder
from console.engine.disciplines.quota.spec import (
    Flavor,
    FlavorQuotas,
    QueueSpec,
    ResourceGroup,
    spec_of,
)
from console.engine.model.amounts import UNLIMITED
from console.engine.model.nodes import untolerated
from console.engine.model.policy import Policy

#: Maximum number of unlimited flavors of one group with which later ones are compared.
_COMPARED = 20


def lint_flavors(policy: Policy, places: PlaceFinder, findings: Findings) -> None:
    """Report, queue by queue, flavors behind an unlimited one that accepts their workloads."""
    for queue in spec_of(policy).queues.values():
        for group in queue.groups:
            _lint_group(queue, group, policy, places, findings)


def _lint_group(
    queue: QueueSpec, group: ResourceGroup, policy: Policy, places: PlaceFinder, findings: Findings
) -> None:
    endless: list[FlavorQuotas] = []
    for entry in group.flavors:
        flavor = spec_of(policy).flavors.get(entry.flavor)
        before = next(
            (
                each
                for each in endless
                if _accepts_all_of(spec_of(policy).flavors[each.flavor], flavor)
            ),
            None,
        )
        if before is not None:
            findings.add(
                FLAVOR_NEVER_TRIED,
                places.name(entry.origin, entry.flavor),
                f"Flavor {quoted(entry.flavor)} is never tried in queue {quoted(queue.name)}: "
                f"{quoted(before.flavor)} before it has no limit and accepts every workload that "
                "it would.",
                f"Put {quoted(entry.flavor)} first, or give {quoted(before.flavor)} a quota.",
            )
        elif (
            len(endless) < _COMPARED
            and entry.flavor in spec_of(policy).flavors
            and _has_no_limit(entry, group)
        ):
            endless.append(entry)


def _has_no_limit(entry: FlavorQuotas, group: ResourceGroup) -> bool:
    return all(
        resource in entry.quotas and entry.quotas[resource].nominal is UNLIMITED
        for resource in group.resources
    )


def _accepts_all_of(one: Flavor, other: Flavor | None) -> bool:
    """Return whether *one* accepts every workload that *other* accepts."""
    if other is None or untolerated(one.taints, one.tolerations) is not None:
        return False
    # A pod is checked only against the labels that a flavor has: more labels reject more pods.
    if any(other.node_labels.get(key) != value for key, value in one.node_labels.items()):
        return False
    narrow, wide = region_of_selector(other.selector), region_of_selector(one.selector)
    return narrow is not None and wide is not None and not list(narrow.without(wide))
