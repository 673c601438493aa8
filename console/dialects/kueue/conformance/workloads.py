"""The workloads of a case: running ones at the start, and pending ones in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from console.dialects.conformance.parts import MalformedCase, choice, objects_in, part, quantities
from console.dialects.kueue.conformance.objects import read_toleration
from console.engine.model.amounts import Unlimited
from console.engine.model.decision import Assignment, PodSetAssignment
from console.engine.model.nodes import NodeExpression, NodeOperator, NodeTerm
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting

#: The namespace of a workload that names none.
DEFAULT_NAMESPACE = "default"

_QUEUE_LABEL = LocalQueueRouting().queue_label
_NODE_OPERATORS = {operator.value: operator for operator in NodeOperator}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningWorkload:
    """
    A workload that uses quota at the start of the case.

    It uses requests x count of each pod set in the flavors of *assignment*; a flavor for ``pods``,
    which is never in the requests, makes it use one unit per pod.
    """

    workload: Workload
    queue: str
    priority: int
    #: One entry for each pod set, in order.
    assignment: Assignment
    #: Unique number from 1 in the order of reservation.
    reservation: int
    #: Whether it is preempted and uses its quota until it has stopped.
    is_departing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingWorkload:
    """
    A workload that is pending at the start of the case.

    Its labels name a local queue of its namespace; `World` has one for each. A resource ``pods`` is
    not among its requests: the engine counts pods if the queue covers them (Kueue, spec 6.1).
    """

    workload: Workload
    #: False if it is deactivated, and therefore in no pending queue.
    is_active: bool = True
    #: Pod set -> resource -> index of the flavor at which its last scan ended; -1 for the last.
    last_assignment: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def read_workloads(
    case: Mapping[str, Any],
) -> tuple[tuple[RunningWorkload, ...], tuple[PendingWorkload, ...]]:
    """
    Return the running and the pending workloads of *case*, in the order written.

    The name is the id. ``sequence`` orders by ``created``, then ``uid``. Reservations are numbered
    by ``reserved_at``; of equal times the lower uid is the later one, because it is the first
    candidate to be preempted (Kueue, spec 7.1).

    Raises MalformedCase if a workload is invalid.
    """
    written = [*objects_in(case, "running"), *objects_in(case, "pending")]
    sequences = {
        name: sequence
        for sequence, (_, _, name) in enumerate(
            sorted((_time(each, "created"), _uid(each), _name(each)) for each in written), start=1
        )
    }
    holders = sorted(objects_in(case, "running"), key=_uid, reverse=True)
    holders.sort(key=lambda each: _time(each, "reserved_at"))
    reservations = {_name(each): number for number, each in enumerate(holders, start=1)}
    running = (
        _running(each, sequences[_name(each)], reservations[_name(each)])
        for each in objects_in(case, "running")
    )
    pending = (_pending(each, sequences[_name(each)]) for each in objects_in(case, "pending"))
    return tuple(running), tuple(pending)


def read_local_queues(case: Mapping[str, Any]) -> Iterable[LocalQueue]:
    """
    Yield a local queue for every queue that a workload of *case* names directly.

    A case can omit local queues; the engine always needs one.
    """
    for each in (*objects_in(case, "running"), *objects_in(case, "pending")):
        queue = part(each, "cluster_queue", str, "")
        if queue:
            yield LocalQueue(namespace=_namespace(each), name=_local_queue(queue), queue=queue)


def _local_queue(queue: str) -> str:
    """Return a name that no local queue among the objects can have."""
    return f"to/{queue}"


def _running(written: Mapping[str, Any], sequence: int, reservation: int) -> RunningWorkload:
    workload = _workload(written, sequence)
    flavors = [part(each, "flavors", dict) for each in objects_in(written, "pod_sets")]
    return RunningWorkload(
        workload=workload,
        queue=part(written, "cluster_queue", str),
        priority=workload.priority or 0,
        assignment=tuple(
            PodSetAssignment(name=pod_set.name, count=pod_set.count, flavors=each)
            for pod_set, each in zip(workload.pod_sets, flavors, strict=True)
        ),
        reservation=reservation,
        is_departing=part(written, "evicted", bool, False),
    )


def _pending(written: Mapping[str, Any], sequence: int) -> PendingWorkload:
    return PendingWorkload(
        workload=_workload(written, sequence),
        is_active=part(written, "active", bool, True),
        last_assignment=part(written, "last_assignment", dict, {}),
    )


def _workload(written: Mapping[str, Any], sequence: int) -> Workload:
    direct = part(written, "cluster_queue", str, "")
    local = _local_queue(direct) if direct else part(written, "local_queue", str)
    return Workload(
        id=_name(written),
        sequence=sequence,
        labels={_QUEUE_LABEL: local},
        namespace=_namespace(written),
        priority=part(written, "priority", int, 0),
        pod_sets=tuple(_pod_set(each) for each in objects_in(written, "pod_sets")),
    )


def _pod_set(written: Mapping[str, Any]) -> PodSet:
    return PodSet(
        name=part(written, "name", str, "main"),
        count=part(written, "count", int, 1),
        min_count=part(written, "min_count", int, 0) or None,
        requests=bounded_quantities(written, "requests"),
        node_selector=part(written, "node_selector", dict, {}),
        affinity=tuple(_term(term) for term in objects_in(written, "affinity")),
        tolerations=tuple(read_toleration(each) for each in objects_in(written, "tolerations")),
        group=part(written, "group", str, "") or None,
    )


def bounded_quantities(values: Mapping[str, Any], name: str) -> dict[str, int]:
    """
    Return the amounts in *name* by resource, in thousandths.

    Raises MalformedCase if one of them is not a quantity or is unlimited.
    """
    amounts = {}
    for resource, amount in quantities(values, name).items():
        if isinstance(amount, Unlimited):
            raise MalformedCase(f"{name} has no bound for {resource}")
        amounts[resource] = amount
    return amounts


def _term(written: Mapping[str, Any]) -> NodeTerm:
    return tuple(
        NodeExpression(
            part(expression, "key", str),
            choice(expression, "operator", _NODE_OPERATORS, ""),
            tuple(part(expression, "values", list, [])),
        )
        for expression in objects_in(written, "matchExpressions")
    )


def _name(written: Mapping[str, Any]) -> str:
    return part(written, "name", str)


def _namespace(written: Mapping[str, Any]) -> str:
    return part(written, "namespace", str, DEFAULT_NAMESPACE)


def _uid(written: Mapping[str, Any]) -> str:
    return part(written, "uid", str, _name(written))


def _time(written: Mapping[str, Any], name: str) -> float:
    """Return seconds since 1970, from a number or an ISO 8601 time; only the order matters."""
    value = written.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    time = datetime.fromisoformat(part(written, name, str))
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
