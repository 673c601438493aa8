"""Clusters that the active config declares, beside those that report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from console.capacity.queries.clusters import clusters_of
from console.engine.disciplines import load_discipline
from console.orgs.models import Organization
from console.policies.queries import active_policy


def declared_labels(org: Organization) -> Mapping[str, Mapping[str, str]]:
    """Return the clusters that the active config declares, each with its labels."""
    policy = active_policy(org)
    return load_discipline(policy.discipline).declared_labels(policy)


def unreported(org: Organization, names: Iterable[str]) -> list[str]:
    """Return those of the declared clusters *names* that have never reported, in this order."""
    declared = list(names)
    if not declared:
        return []
    reported = set(clusters_of(org).values_list("name", flat=True))
    return [name for name in declared if name not in reported]
