"""The workload labels that a config refers to: no other label affects its result."""

from __future__ import annotations

from console.engine.disciplines import load_discipline
from console.engine.model.policy import Policy


def referenced_labels(policy: Policy) -> frozenset[str]:
    """Return the keys of the labels by which *policy* routes and selects capacity."""
    selecting = load_discipline(policy.discipline).referenced_labels(policy)
    return policy.routing.label_keys | selecting.keys()
