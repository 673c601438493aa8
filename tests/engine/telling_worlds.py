"""Random worlds in lines that a person can read, for the note of a failure."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.policy import Policy, Queue
from console.engine.workload import Workload


def told_policy(policy: Policy) -> Iterator[str]:
    """Yield a policy in a line for each node."""
    yield f"{policy.settings.fair_sharing} {policy.settings.undeclared} {policy.settings.zeros_take_flavors}"
    for rule in policy.rules:
        yield f"rule {rule.queue} {rule.selector.expressions} {rule.priority}"
    for each in policy.flavors.values():
        yield f"flavor {each.name} {each.selector.expressions} {each.node_labels} {each.taints}"
    for node in [*policy.cohorts.values(), *policy.queues.values()]:
        quotas = [
            (
                entry.flavor,
                {
                    r: (q.nominal, q.borrowing_limit, q.lending_limit)
                    for r, q in entry.quotas.items()
                },
            )
            for group in node.groups
            for entry in group.flavors
        ]
        yield f"{node.name} in {node.parent} weight {node.fair_weight}: {quotas}"
        if isinstance(node, Queue):
            yield f"  {node.preemption} {node.fungibility} {node.strategy} {node.stop} {node.is_passthrough}"


def told(workload: Workload) -> str:
    """Return a workload in one line."""
    sets = [
        f"{each.name} {each.count}"
        + (f" (at least {each.min_count})" if each.min_count else "")
        + f" x {dict(each.requests)}"
        + (f" on {dict(each.node_selector)}" if each.node_selector else "")
        for each in workload.pod_sets
    ]
    labels = dict(workload.labels)
    return f"{workload.id} {labels} priority {workload.priority}: {', '.join(sets)}"
