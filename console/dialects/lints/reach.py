"""Reach: queues that no rule ever fills, and recorded workloads that come to no queue."""

from __future__ import annotations

from collections.abc import Collection

from console.dialects.findings import Findings, Place
from console.dialects.lints.codes import (
    QUEUE_UNREACHED,
    RECORDED_WITHOUT_FLAVOR,
    RECORDED_WITHOUT_RULE,
)
from console.dialects.lints.past import Kind, Past
from console.dialects.lints.spots import START, Spots
from console.dialects.lints.wording import quoted, window, workloads
from console.dialects.wording import shorten
from console.engine.policy import Policy
from console.engine.regions import region_of


def lint_queues(
    policy: Policy, shadowed: Collection[int], spots: Spots, findings: Findings
) -> None:
    """Note queues that no rule names, or only rules that never take anything."""
    if not policy.rules:
        return
    named = {rule.queue for rule in policy.rules}
    filled = {
        rule.queue
        for rule in policy.rules
        if rule.index not in shadowed and region_of(rule) is not None
    }
    for queue in policy.queues.values():
        if queue.name not in filled:
            what = "No rule that leads to" if queue.name in named else "No rule leads to"
            ever = " ever takes any" if queue.name in named else ""
            findings.add(
                QUEUE_UNREACHED,
                spots.name(queue.origin, queue.name),
                f"{what} queue {quoted(queue.name)}{ever}, so it gets no workload.",
                "Add a rule that leads to it, or remove it.",
            )


def lint_lost(policy: Policy, past: Past, spots: Spots, findings: Findings) -> None:
    """Note how many recorded workloads nothing would take."""
    lost = past.lost()
    if not lost:
        return
    runs = sum(kind.runs for kind in lost)
    share = f"{runs:,} of the {workloads(past.history.runs)} of {window(past)}"
    example = _labels(max(lost, key=lambda kind: kind.runs))
    if policy.rules:
        last = policy.rules[-1]
        findings.add(
            RECORDED_WITHOUT_RULE,
            spots.reference(last.origin, last.queue),
            f"No rule takes {share}: another one like them would be rejected. "
            f"Most of them had {example}.",
            "Add a last rule that has no selector, or a rule for them.",
        )
        return
    findings.add(
        RECORDED_WITHOUT_RULE,
        _first_door(policy, spots),
        f"No local queue leads {share} to a queue that admits them: another one like them "
        f"would wait for ever. Most of them had {example}.",
        "Add the local queues that they name.",
    )


def lint_refused(policy: Policy, past: Past, spots: Spots, findings: Findings) -> None:
    """Note queues whose flavors all refuse recorded workloads by their labels."""
    for name, kinds in past.by_queue().items():
        queue = policy.queues[name]
        refused = [
            kind
            for kind in kinds
            if queue.groups
            and not any(
                entry.flavor not in policy.flavors
                or policy.flavors[entry.flavor].selector.matches(kind.workload.labels)
                for group in queue.groups
                for entry in group.flavors
            )
        ]
        if refused:
            runs = sum(kind.runs for kind in refused)
            example = _labels(max(refused, key=lambda kind: kind.runs))
            findings.add(
                RECORDED_WITHOUT_FLAVOR,
                spots.name(queue.origin, name),
                f"No flavor of {quoted(name)} accepts {workloads(runs)} of {window(past)} that "
                f"would come here: another one like them would be rejected. "
                f"Most of them had {example}.",
                "Add a flavor for them, widen a selector, or lead them elsewhere.",
            )


def _first_door(policy: Policy, spots: Spots) -> Place:
    routing = policy.local_routing
    for local in routing.local_queues.values() if routing is not None else ():
        return spots.name(local.origin, local.name)
    return START


def _labels(kind: Kind) -> str:
    """Return what a config can tell a kind by."""
    shown = ", ".join(f"{key}={value}" for key, value in sorted(kind.labels.items()))
    place = f" in namespace {shorten(kind.workload.namespace)}" if kind.workload.namespace else ""
    return f"{shorten(shown, 120) or 'no label that is asked about'}{place}"
