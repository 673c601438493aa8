"""What a policy's quota trees cannot share, whatever language they were written in."""

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

#: How many queues and cohorts own any of a flavor-resource, by the root of their tree.
Owners: TypeAlias = Counter[tuple[str, FlavorResource]]


class Shut(Enum):
    """Which limit keeps all quota of a tree where it is."""

    BORROWING = "borrowing"
    LENDING = "lending"


def nodes_below(policy: Policy, trees: Hierarchy, root: str) -> Iterator[QueueSpec | Cohort]:
    """Yield the root and every queue and cohort below it."""
    yield spec_of(policy).cohorts[root]
    for member in trees.below(root):
        yield (spec_of(policy).cohorts if member.is_cohort else spec_of(policy).queues)[member.name]


def quotas_of(nodes: Iterable[QueueSpec | Cohort]) -> Iterator[tuple[FlavorResource, Quota]]:
    """Yield every quota of *nodes* with what it is of."""
    for node in nodes:
        for group in node.groups:
            for entry in group.flavors:
                for resource, quota in entry.quotas.items():
                    yield (entry.flavor, resource), quota


def owners(policy: Policy, trees: Hierarchy) -> Owners:
    """Count the owners of quota, tree by tree."""
    counted: Owners = Counter()
    for root in trees.roots:
        for key, quota in quotas_of(nodes_below(policy, trees, root)):
            counted[root, key] += quota.nominal > 0
    return counted


def lent_freely(policy: Policy) -> Policy:
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


def shut(policy: Policy, trees: Hierarchy, root: str) -> Shut | None:
    """
    Say why no quota changes hands below *root*, or None when some may.

    When every queue has a borrowing limit of 0, or every one a lending limit of 0
    and no cohort owns anything itself.
    """
    nodes = list(nodes_below(policy, trees, root))
    quotas = [quota for _, quota in quotas_of(n for n in nodes if isinstance(n, QueueSpec))]
    if quotas and all(quota.borrowing_limit == 0 for quota in quotas):
        return Shut.BORROWING
    is_pooled = any(isinstance(node, Cohort) and node.groups for node in nodes)
    if quotas and not is_pooled and all(quota.lending_limit == 0 for quota in quotas):
        return Shut.LENDING
    return None
