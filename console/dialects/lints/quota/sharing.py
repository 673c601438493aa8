"""Quota sharing in the trees of a policy: owners of quota, and limits that prevent all sharing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from typing import TypeAlias, TypeVar

from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.spec import Cohort, QueueSpec, Quota, spec_of, with_spec
from console.engine.model.amounts import UNLIMITED, FlavorResource
from console.engine.model.policy import Policy

Node = TypeVar("Node", QueueSpec, Cohort)

#: Number of queues and cohorts that own quota of a flavor-resource, by root of their tree.
Owners: TypeAlias = Counter[tuple[str, FlavorResource]]


class SharingBlock(Enum):
    """The limit that prevents all sharing of quota in a tree."""

    BORROWING = "borrowing"
    LENDING = "lending"


def nodes_below(policy: Policy, trees: Hierarchy, root: str) -> Iterator[QueueSpec | Cohort]:
    """Yield the root cohort and every queue and cohort below it."""
    yield spec_of(policy).cohorts[root]
    for member in trees.below(root):
        yield (spec_of(policy).cohorts if member.is_cohort else spec_of(policy).queues)[member.name]


def quotas_of(nodes: Iterable[QueueSpec | Cohort]) -> Iterator[tuple[FlavorResource, Quota]]:
    """Yield every quota of *nodes* with its flavor-resource."""
    for node in nodes:
        for group in node.groups:
            for entry in group.flavors:
                for resource, quota in entry.quotas.items():
                    yield (entry.flavor, resource), quota


def count_owners(policy: Policy, trees: Hierarchy) -> Owners:
    """Return the number of owners of each flavor-resource, by tree."""
    counted: Owners = Counter()
    for root in trees.roots:
        for key, quota in quotas_of(nodes_below(policy, trees, root)):
            counted[root, key] += quota.nominal > 0
    return counted


def without_lending_limits(policy: Policy) -> Policy:
    """Return *policy* without lending limits."""
    return with_spec(
        policy,
        queues={name: _lending_all(queue) for name, queue in spec_of(policy).queues.items()},
        cohorts={name: _lending_all(cohort) for name, cohort in spec_of(policy).cohorts.items()},
    )


def _lending_all(node: Node) -> Node:
    return replace(
        node,
        groups=tuple(
            replace(
                group,
                flavors=tuple(
                    replace(
                        entry,
                        quotas={
                            resource: replace(quota, lending_limit=UNLIMITED)
                            for resource, quota in entry.quotas.items()
                        },
                    )
                    for entry in group.flavors
                ),
            )
            for group in node.groups
        ),
    )


def sharing_block(policy: Policy, trees: Hierarchy, root: str) -> SharingBlock | None:
    """
    Return the limit that prevents all sharing below *root*, or None if quota can be shared.

    BORROWING if every queue has a borrowing limit of 0. LENDING if every queue has a lending limit
    of 0 and no cohort has quota itself.
    """
    nodes = list(nodes_below(policy, trees, root))
    quotas = [quota for _, quota in quotas_of(n for n in nodes if isinstance(n, QueueSpec))]
    if quotas and all(quota.borrowing_limit == 0 for quota in quotas):
        return SharingBlock.BORROWING
    is_pooled = any(isinstance(node, Cohort) and node.groups for node in nodes)
    if quotas and not is_pooled and all(quota.lending_limit == 0 for quota in quotas):
        return SharingBlock.LENDING
    return None
