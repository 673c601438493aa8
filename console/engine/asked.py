"""The labels of workloads that a config asks about: all others make no difference to it."""

from __future__ import annotations

from console.engine.policy import Policy


def asked_labels(policy: Policy) -> frozenset[str]:
    """Return the keys of the labels by which *policy* routes and opens its flavors."""
    selectors = [rule.selector for rule in policy.rules]
    selectors += [flavor.selector for flavor in policy.flavors.values()]
    asked = {expression.key for each in selectors for expression in each.expressions}
    if policy.local_routing is not None:
        asked |= {policy.local_routing.queue_label, policy.local_routing.priority_label}
    return frozenset(asked)
