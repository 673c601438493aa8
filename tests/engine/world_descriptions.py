"""Text descriptions of random worlds, for notes of failing examples."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.disciplines.quota.spec import QueueSpec, spec_of
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.rule_routing import rules_of


def policy_lines(policy: Policy) -> Iterator[str]:
    """Yield a policy, one line for each setting and node."""
    yield f"{spec_of(policy).settings}"
    for rule in rules_of(policy):
        yield f"rule {rule.queue} {rule.selector.expressions} {rule.priority}"
    for each in spec_of(policy).flavors.values():
        yield f"flavor {each.name} {each.selector.expressions} {each.node_labels} {each.taints}"
    for node in [*spec_of(policy).cohorts.values(), *policy.queues.values()]:
        quotas = {
            (entry.flavor, resource): (quota.nominal, quota.borrowing_limit, quota.lending_limit)
            for group in node.groups
            for entry in group.flavors
            for resource, quota in entry.quotas.items()
        }
        yield f"{node.name} in {node.parent} weight {node.fair_weight}: {quotas}"
        if isinstance(node, QueueSpec):
            yield f"  {node.preemption}"
            yield f"  {node.fungibility}"
            yield f"  {node.strategy} {node.stop} passthrough {node.is_passthrough}"


def workload_line(workload: Workload) -> str:
    """Return a workload as one line."""
    labels = dict(workload.labels)
    pod_sets = ", ".join(_pod_set_text(each) for each in workload.pod_sets)
    limit = "" if workload.max_run_time is None else f" for {workload.max_run_time}"
    return f"{workload.id} {labels} priority {workload.priority}{limit}: {pod_sets}"


def _pod_set_text(pod_set: PodSet) -> str:
    words = [f"{pod_set.count} {pod_set.name}"]
    if pod_set.min_count is not None:
        words.append(f"(at least {pod_set.min_count})")
    words.append(f"of {dict(pod_set.requests)}")
    if pod_set.group is not None:
        words.append(f"together {pod_set.group}")
    if pod_set.node_selector:
        words.append(f"on {dict(pod_set.node_selector)}")
    if pod_set.tolerations:
        words.append("tolerating")
    return " ".join(words)
