"""The workload labels that a config refers to: no other label affects its result."""

from __future__ import annotations

from console.engine.model.policy import Policy


def referenced_labels(policy: Policy) -> frozenset[str]:
    """Return the keys of the labels by which *policy* routes workloads and selects flavors."""
    selectors = [rule.selector for rule in policy.rules]
    selectors += policy.spec.selectors().values()
    asked = {expression.key for each in selectors for expression in each.expressions}
    if policy.local_routing is not None:
        asked |= {policy.local_routing.queue_label, policy.local_routing.priority_label}
    return frozenset(asked)
