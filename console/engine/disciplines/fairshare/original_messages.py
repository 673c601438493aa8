"""The messages of KAI about the same results, so that they can be found by a search for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from console.engine.disciplines.fairshare.gates import Gate
from console.engine.disciplines.fairshare.headlines import by_queue
from console.engine.disciplines.fairshare.reasons import (
    CONSOLIDATED,
    EXCEEDS_LIMIT,
    EXCEEDS_NODES,
    EXCEEDS_QUOTA,
    GANG_HAS_NO_ROOM,
    NO_NODE_HAS_ROOM,
    NO_NODE_MATCHES,
    NO_NODES,
    NON_PREEMPTIBLE_OVER_QUOTA,
    OVER_LIMIT,
    PREEMPTED,
    QUEUE_HAS_CHILDREN,
    QUEUE_MISSING,
    RECLAIMED,
)
from console.engine.disciplines.fairshare.resources import RESOURCES
from console.engine.disciplines.fairshare.trace import GateStep, facts_of
from console.engine.explain.sentences import ExplainContext
from console.engine.model.amounts import SCALE, Amount, Unlimited
from console.engine.model.common_reasons import QUEUE_MISCONFIGURED
from console.engine.model.reasons import Reason
from console.engine.model.trace import QueueUse

#: The bytes of a GB.
_GB: Final = 10**9

#: What a limit is a limit of, and the unit of its amounts.
_LIMITS: Final = {
    RESOURCES.cpu: ("CPU cores", "cores"),
    RESOURCES.memory: ("memory", "GB"),
    RESOURCES.gpu: ("GPUs", "GPUs"),
}
#: The unit of a request that is compared with a quota.
_REQUESTS: Final = {
    RESOURCES.cpu: "CPU cores",
    RESOURCES.memory: "GB memory",
    RESOURCES.gpu: "GPUs",
}


def number(value: Amount, resource: str) -> str:
    """
    Return an amount in cores, GB or devices with at most three decimals.

    >>> number(1500, "cpu"), number(4_294_967_296_000, "memory"), number(2000, "gpu")
    ('1.5', '4.295', '2')
    """
    if isinstance(value, Unlimited):
        return "Unlimited"
    units = value / SCALE / (_GB if resource == RESOURCES.memory else 1)
    text = f"{units:.3f}"
    return text.rstrip("0").rstrip(".")


def original_message(context: ExplainContext) -> str:
    """Return the message of KAI about the outcome; "" if it reports nothing about it."""
    found = _MESSAGES.get(context.trace.outcome.reason)
    return found(context) if found is not None else ""


def _over_limit(context: ExplainContext) -> str:
    gate = facts_of(context.trace).refusal
    return f"OverLimit: {limit_message(gate)}." if gate is not None else ""


def limit_message(gate: GateStep) -> str:
    """Return the message about a limit that refuses a start."""
    of, unit = _LIMITS[gate.resource]
    return (
        f"{gate.title} quota has reached the allowable limit of {of}. Limit is "
        f"{number(gate.bound, gate.resource)} {unit}, currently "
        f"{number(gate.used, gate.resource)} {unit} allocated and workload requested "
        f"{number(gate.requested, gate.resource)} {unit}"
    )


def _over_quota(context: ExplainContext) -> str:
    gate = facts_of(context.trace).refusal
    if gate is None or gate.gate is not Gate.QUOTA:
        return ""
    return f"NonPreemptibleOverQuota: {quota_message(gate)}."


def quota_message(gate: GateStep) -> str:
    """Return the message about a quota that refuses a workload that cannot be preempted."""
    unit = _LIMITS[gate.resource][1]
    return (
        "Non-preemptible workload is over quota. Workload requested "
        f"{number(gate.requested, gate.resource)} {_REQUESTS[gate.resource]}, but {gate.title} "
        f"quota is {number(gate.bound, gate.resource)} {unit}, while "
        f"{number(gate.used, gate.resource)} {unit} are already allocated for non-preemptible "
        "pods. Use a preemptible workload to go over quota."
    )


def _no_resources(context: ExplainContext) -> str:
    facts = facts_of(context.trace)
    counts = sorted(
        f"{each.nodes} node(s) didn't have enough resources: {_LIMITS[each.cause][0]}"
        for each in facts.nodes
        if each.cause in _LIMITS
    )
    cause = "no nodes with enough resources were found"
    if counts:
        cause = f"{cause}: {'. '.join(counts)}"
    if facts.pods > 1:
        return (
            f"PodSchedulingErrors: Resources were found for {facts.placed} pods while {facts.pods} "
            "are required for gang scheduling. Additional pods cannot be scheduled due to: "
            f"{cause}.."
        )
    return (
        f"PodSchedulingErrors: Resources were not found for pod {_own(context)} due to: {cause}.."
    )


def _present(context: ExplainContext) -> str:
    """Return the message about what refuses the start now: KAI does not tell what lasts."""
    if facts_of(context.trace).refusal is None:
        return _no_resources(context)
    return _over_quota(context) or _over_limit(context)


def _no_queue(context: ExplainContext) -> str:
    step = context.trace.local_queue
    name = step.name if step is not None else ""
    return f"QueueDoesNotExist: Queue '{name}' does not exist." if name else ""


def _no_parent(context: ExplainContext) -> str:
    missing = facts_of(context.trace).missing_parent
    return f"QueueDoesNotExist: Queue '{missing}' does not exist." if missing else ""


def _reclaimed(context: ExplainContext) -> str:
    step = context.trace.preempted
    if step is None:
        return ""
    lines = [f"Pod {_own(context)} was preempted by workload {_named(context, step.preemptor)}."]
    # KAI names the queue of the victim first.
    lines += [_uses(each) for each in reversed(by_queue(step.uses))]
    return " ".join(lines)


def _uses(uses: list[QueueUse]) -> str:
    used = _all({each.resource: each.used for each in uses})
    quota = _all({each.resource: each.guaranteed for each in uses})
    share = _all({each.resource: each.fair_share for each in uses})
    return (
        f"{uses[0].queue} uses <{used}> with a quota of <{quota}>, fair-share of <{share}> and "
        f"queue priority of <{uses[0].priority}>."
    )


def _all(values: Mapping[str, Amount]) -> str:
    def of(resource: str) -> str:
        return number(values.get(resource, 0), resource)

    return (
        f"GPU: {of(RESOURCES.gpu)}, CPU: {of(RESOURCES.cpu)} (cores), "
        f"memory: {of(RESOURCES.memory)} (GB)"
    )


def _preempted(context: ExplainContext) -> str:
    step = context.trace.preempted
    if step is None:
        return ""
    whom = _named(context, step.preemptor)
    return f"Pod {_own(context)} was preempted by higher priority workload {whom}"


def _consolidated(context: ExplainContext) -> str:
    return (
        f"Pod {_own(context)} was preempted and rescheduled due to bin packing (resource "
        "consolidation) procedure"
    )


def _own(context: ExplainContext) -> str:
    return _named(context, context.trace.workload)


def _named(context: ExplainContext, workload: str) -> str:
    return f"{context.trace.namespace}/{context.name(workload)}".lstrip("/")


_MESSAGES: Final[dict[Reason, Callable[[ExplainContext], str]]] = {
    OVER_LIMIT: _over_limit,
    NON_PREEMPTIBLE_OVER_QUOTA: _over_quota,
    NO_NODES: _no_resources,
    NO_NODE_HAS_ROOM: _no_resources,
    GANG_HAS_NO_ROOM: _no_resources,
    EXCEEDS_LIMIT: _present,
    EXCEEDS_QUOTA: _present,
    EXCEEDS_NODES: _present,
    NO_NODE_MATCHES: _present,
    QUEUE_MISSING: _no_queue,
    QUEUE_MISCONFIGURED: _no_parent,
    QUEUE_HAS_CHILDREN: lambda _: "Unable to schedule podgroup",
    RECLAIMED: _reclaimed,
    PREEMPTED: _preempted,
    CONSOLIDATED: _consolidated,
}
