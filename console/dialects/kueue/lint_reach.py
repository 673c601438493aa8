"""Lints of LocalQueues without a ClusterQueue, ClusterQueues without a LocalQueue, and stops."""

from __future__ import annotations

from console.dialects.findings import Edit, Findings, Place, Repair
from console.dialects.kueue.compile_routing import NAME_LABEL
from console.dialects.kueue.lint_codes import (
    NAMESPACE_NOT_SELECTED,
    NO_LOCAL_QUEUE,
    NO_NAMESPACES,
    STOPPED,
    UNKNOWN_QUEUE,
)
from console.dialects.kueue.schema import Document, LocalQueueDoc, QueueDoc
from console.dialects.kueue.words import Stop
from console.dialects.repairs import did_you_mean
from console.dialects.wording import shorten
from console.dialects.written import Read, Written, value_of
from console.engine.model.policy import Policy
from console.engine.routing.local_queues import LocalQueueRouting, local_routing_of


def lint_reach(document: Document, policy: Policy, findings: Findings) -> None:
    """Report LocalQueues and ClusterQueues that workloads cannot reach."""
    for local in document.local_queues:
        _lint_local_queue(local, policy, findings)
        _lint_stop(local.stop, "Nothing is admitted from this LocalQueue", findings)
    led_to = {value_of(local.queue) for local in document.local_queues} - {None}
    for queue in document.queues:
        _lint_stop(queue.stop, "Nothing is admitted in this queue", findings)
        _lint_selector(queue, findings)
        if isinstance(queue.name, Written) and led_to and queue.name.value not in led_to:
            findings.add(
                NO_LOCAL_QUEUE,
                queue.name.place,
                f'No LocalQueue refers to "{shorten(queue.name.value)}", so no workload ever '
                "reaches it.",
                "Add a LocalQueue that names it, or remove it.",
            )
    if document.queues and not document.local_queues:
        first = document.queues[0].name
        findings.add(
            NO_LOCAL_QUEUE,
            first.place if isinstance(first, Written) else document.queues[0].place,
            "There is no LocalQueue, so no workload ever reaches a queue.",
            "Add LocalQueues, such as those that kubectl get localqueues -A -o yaml prints.",
        )


def _lint_stop(stop: Read[Stop], what: str, findings: Findings) -> None:
    if isinstance(stop, Written) and stop.value is not Stop.NONE:
        drains = ", and running workloads are preempted" * (stop.value is Stop.HOLD_AND_DRAIN)
        findings.add(
            STOPPED,
            stop.place,
            f"{what}{drains}: stopPolicy is {stop.value}.",
            "Set it to None to resume.",
        )


def _lint_local_queue(local: LocalQueueDoc, policy: Policy, findings: Findings) -> None:
    target, namespace = local.queue, local.namespace
    if target is None and isinstance(local.name, Written):
        findings.add(
            UNKNOWN_QUEUE,
            local.name.place,
            f'LocalQueue "{shorten(local.name.value)}" names no ClusterQueue, so workloads '
            "submitted to it wait.",
            "Add spec.clusterQueue.",
        )
    if not isinstance(target, Written) or not isinstance(namespace, Written):
        return
    queue = policy.queues.get(target.value)
    if queue is None:
        hint, repairs = did_you_mean(findings, target.place, target.value, policy.queues)
        findings.add(
            UNKNOWN_QUEUE,
            target.place,
            f'ClusterQueue "{shorten(target.value)}" does not exist, so submitted workloads wait.',
            hint or "Add it, or use a ClusterQueue that exists.",
            repairs,
        )
        return
    routing = local_routing_of(policy) or LocalQueueRouting()
    described = namespace.value in routing.namespaces
    labels = routing.namespaces.get(namespace.value, {NAME_LABEL: namespace.value})
    failed = queue.namespaces.first_false(labels) if queue.namespaces is not None else None
    if failed is not None:
        actual = labels.get(failed.key)
        findings.add(
            NAMESPACE_NOT_SELECTED,
            namespace.place,
            f'"{shorten(queue.name)}" does not select namespace "{shorten(namespace.value)}": its '
            f"label {shorten(failed.key)} is {'absent' if actual is None else shorten(actual)}.",
            "Correct the label or the namespaceSelector."
            if described
            else f'Add the Namespace "{shorten(namespace.value)}" with its labels, which are '
            "not known here.",
        )


def _lint_selector(queue: QueueDoc, findings: Findings) -> None:
    name = queue.name
    if queue.namespaces is not None or not isinstance(name, Written):
        return
    findings.add(
        NO_NAMESPACES,
        name.place,
        f'"{shorten(name.value)}" has no namespaceSelector, so it admits no namespace.',
        "Write namespaceSelector: {} to admit all.",
        _admit_all(queue.spec, findings),
    )


def _admit_all(spec: Place | None, findings: Findings) -> tuple[Repair, ...]:
    """Return the repair that inserts an empty namespaceSelector at the start of a spec."""
    text = findings.positions.text
    if (
        spec is None
        or text[spec.start] == "{"
        or "namespaceSelector" in text[spec.start : spec.end]
    ):
        return ()
    line = max(text.rfind("\n", 0, spec.start), text.rfind("\r", 0, spec.start)) + 1
    indent = text[line : spec.start]
    if indent.strip():
        return ()
    added = f"namespaceSelector: {{}}\n{indent}"
    return (Repair("Admit all namespaces", (Edit(spec.start, spec.start, added),)),)
