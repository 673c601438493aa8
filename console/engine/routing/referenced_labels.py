"""Referenced labels: the workload labels in a config; no other label affects decisions."""

from __future__ import annotations

from console.engine.disciplines import load_discipline
from console.engine.model.policy import Policy


def referenced_labels(policy: Policy) -> frozenset[str]:
    """Return the keys of the labels that *policy* uses for routing and selectors of capacity."""
    selecting = load_discipline(policy.discipline).referenced_labels(policy)
    return policy.routing.label_keys | selecting.keys()
