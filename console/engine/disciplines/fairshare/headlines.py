"""Headlines of the reasons of the discipline."""

from __future__ import annotations

from collections.abc import Iterable

from console.engine.disciplines.fairshare.trace import GateStep, facts_of
from console.engine.explain import exceeded, pods_on_nodes
from console.engine.explain.pods_on_nodes import placed_pods, preempted_lead, shortages
from console.engine.explain.sentences import ExplainContext
from console.engine.model.amounts import Amount
from console.engine.model.exceeded import BoundKind
from console.engine.model.trace import QueueUse
from console.engine.wording.words import amount, listed, quantity


def over_limit(context: ExplainContext) -> str:
    """Return the limits that refuse the start, with their numbers."""
    refusal = facts_of(context.trace).refusal
    if refusal is None:
        return f"Waiting in {context.queue}: a limit does not allow it to start."
    refused = _refused(context, refusal)
    numbers = [
        f"{_limit(context, gate)} {amount(gate.bound, gate.resource)}, of which {_used(gate)} "
        f"used, and it requests {amount(gate.requested, gate.resource)}."
        for gate in refused
    ]
    return " ".join(
        [
            f"Waiting in {context.queue}: {numbers[0]}",
            *(f"Also, {each}" for each in numbers[1:]),
        ]
    )


def _refused(context: ExplainContext, refusal: GateStep) -> list[GateStep]:
    """Return *refusal*, and the first gate of the same kind that refuses each other resource."""
    found = {refusal.resource: refusal}
    for gate in facts_of(context.trace).gates:
        if gate.gate is refusal.gate and not gate.is_open:
            found.setdefault(gate.resource, gate)
    return list(found.values())


def _limit(context: ExplainContext, refusal: GateStep) -> str:
    return "its limit is" if refusal.queue == context.queue else f"the limit of {refusal.queue} is"


def _used(gate: GateStep) -> str:
    return f"{amount(gate.used, gate.resource)} are" if gate.used else "nothing is"


def over_quota(context: ExplainContext) -> str:
    """Return the quota that refuses a workload that cannot be preempted, with its numbers."""
    refusal = facts_of(context.trace).refusal
    lead = f"Waiting in {context.queue}: it cannot be preempted, so it has to fit within quota"
    if refusal is None:
        return f"{lead}."
    refused = _refused(context, refusal)
    return " ".join([f"{lead}.", *(_quota(context, gate) for gate in refused)])


def _quota(context: ExplainContext, gate: GateStep) -> str:
    whose = "" if gate.queue == context.queue else f" of {gate.queue}"
    return (
        f"The quota{whose} is {amount(gate.bound, gate.resource)}. Workloads that cannot be "
        f"preempted use {amount(gate.used, gate.resource)} of it, and it requests "
        f"{amount(gate.requested, gate.resource)}."
    )


def can_never_start(context: ExplainContext) -> str:
    """Return the bounds that the request exceeds, with their numbers, and what is possible."""
    facts = facts_of(context.trace)
    text = exceeded.can_never_start(facts.exceeded)
    if any(each.kind is BoundKind.QUOTA for each in facts.exceeded):
        return f"{text} It cannot be preempted, so that it has to fit within quota."
    return text


def no_node(context: ExplainContext) -> str:
    """Return what is short on how many nodes."""
    return pods_on_nodes.no_node(context, facts_of(context.trace).nodes)


def no_room_for_gang(context: ExplainContext) -> str:
    """Return how many of the pods that start together have room."""
    facts = facts_of(context.trace)
    lead = (
        f"Waiting in {context.queue}: nodes have room for {placed_pods(facts.placed, facts.pods)}"
    )
    return f"{lead}, and {shortages(facts.nodes)}." if facts.nodes else f"{lead}."


def has_children(context: ExplainContext) -> str:
    """Return that workloads are considered in other queues only."""
    if facts_of(context.trace).lacks_parent:
        return f"Cannot run: {context.queue} has no parent, and workloads run below a parent only."
    return (
        f"Cannot run: {context.queue} has child queues, and workloads run in queues without "
        "children only."
    )


def queue_missing(context: ExplainContext) -> str:
    """Return the name that no queue has."""
    step = context.trace.local_queue
    if step is None or not step.name:
        return "Cannot run: the config does not define its queue."
    near = f" Did you mean {step.nearest}?" if step.nearest else ""
    return f"Cannot run: the config does not define the queue {step.name}.{near}"


def misconfigured(context: ExplainContext) -> str:
    """Return the parent that the config lacks."""
    missing = facts_of(context.trace).missing_parent
    if not missing:
        return f"Waiting: {context.queue} is misconfigured and admits nothing."
    return (
        f"Waiting: {context.queue} admits nothing, because the config does not define the queue "
        f"{missing} above it."
    )


def unsupported(context: ExplainContext) -> str:
    """Return why the request is not supported."""
    problem = facts_of(context.trace).problem
    return f"Rejected: {problem}" if problem else "Rejected: its request is not supported."


def reclaimed(context: ExplainContext) -> str:
    """Return the workload and the numbers of both queues."""
    step = context.trace.preempted
    if step is None:
        return f"{preempted_lead(context)}: another queue reclaims capacity."
    uses = by_queue(step.uses)
    figures = f" {' '.join(queue_sentence(each) for each in uses)}" if uses else ""
    return (
        f"{preempted_lead(context)}: {step.queue} reclaims capacity for "
        f"{context.name(step.preemptor)}.{figures}"
    )


def preempted(context: ExplainContext) -> str:
    """Return the workload with the higher priority."""
    step = context.trace.preempted
    if step is None:
        return f"{preempted_lead(context)}: a workload of its queue has a higher priority."
    return (
        f"{preempted_lead(context)}: {context.name(step.preemptor)} of the same queue has a higher "
        f"priority, {step.preemptor_priority}."
    )


def consolidated(context: ExplainContext) -> str:
    """Return for which workload it moves."""
    step = context.trace.preempted
    whom = context.name(step.preemptor) if step is not None else "another workload"
    return f"{preempted_lead(context)}: it starts again on another node, so that {whom} has room."


def stale(context: ExplainContext) -> str:
    """Return why a gang is evicted."""
    return (
        "Preempted: fewer pods than its minimum were running for longer than the scheduler allows."
    )


def by_queue(uses: Iterable[QueueUse]) -> list[list[QueueUse]]:
    """Return the uses of each queue together, in order."""
    found: dict[str, list[QueueUse]] = {}
    for each in uses:
        found.setdefault(each.queue, []).append(each)
    return list(found.values())


def queue_sentence(uses: list[QueueUse]) -> str:
    """Return what one queue used and was entitled to."""
    parts = listed(
        f"{amount(each.used, each.resource)} with a quota of {_bare(each, each.guaranteed)} and a "
        f"fair share of {_bare(each, each.fair_share)}"
        for each in uses
    )
    return f"{uses[0].queue} used {parts}."


def _bare(use: QueueUse, value: Amount) -> str:
    return quantity(value, use.resource)
