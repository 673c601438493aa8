"""Statements that update the aggregates read by pages: usage, counts and pending classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from console.bulk import Prepared, delete_rows, insert_rows
from console.engine.live.dirty_set import DirtySet
from console.engine.model.common_reasons import WAITING_FOR_PREEMPTED
from console.engine.pending.pending_class import PREEMPTOR, preemptor_key
from console.engine.state import State
from console.workloads.models import NodeUsage, PendingClass, QueueCount, Usage

_USAGE = ("org_id", "queue", "flavor", "resource", "used")
_COUNTS = ("org_id", "queue", "running", "pending")
_NODES = ("org_id", "key", "cluster", "node", "used")
_CLASSES = ("org_id", "key", "queue", "priority", "requests", "reason", "missing", "count")

#: SQL condition for the classes of single workloads that wait for preempted ones to stop.
_IS_PREEMPTOR = f"substr(key, 1, {len(PREEMPTOR)}) = '{PREEMPTOR}'"


def aggregates(org_id: int, state: State, changes: DirtySet) -> list[Prepared]:
    """
    Return the statements that rewrite the rows of the queues and classes in *changes*.

    They have to run in the transaction that writes the decisions.
    """
    queues = sorted(changes.queues)
    used = (
        (org_id, name, flavor, resource, str(amount))
        for name in queues
        for (flavor, resource), amount in sorted(state.usage(name).items())
    )
    keys = [key for _, key in changes.classes]
    return [
        delete_rows(Usage, org_id, "queue", queues),
        insert_rows(Usage, _USAGE, used),
        *_node_usage(org_id, state, changes),
        delete_rows(QueueCount, org_id, "queue", queues),
        insert_rows(QueueCount, _COUNTS, _counts(org_id, state, queues)),
        delete_rows(PendingClass, org_id, "key", keys),
        delete_rows(PendingClass, org_id, "queue", queues, where=_IS_PREEMPTOR),
        insert_rows(
            PendingClass,
            _CLASSES,
            [*_classes(org_id, state, changes), *_preemptors(org_id, state, queues)],
        ),
    ]


def _node_usage(org_id: int, state: State, changes: DirtySet) -> Iterable[Prepared]:
    """Yield the statements that rewrite the usage of nodes; none if no pods have a node."""
    if not changes.nodes:
        return
    keys = {f"{cluster}/{node}": (cluster, node) for cluster, node in sorted(changes.nodes)}
    yield delete_rows(NodeUsage, org_id, "key", keys)
    yield insert_rows(
        NodeUsage,
        _NODES,
        (
            (org_id, key, *place, dict(used))
            for key, place in keys.items()
            if (used := state.node_usage.of(place))
        ),
    )


def _counts(org_id: int, state: State, queues: Iterable[str]) -> Iterable[tuple[Any, ...]]:
    for name in queues:
        running, pending = len(state.queues[name].running), state.pending_count(name)
        if running or pending:
            yield org_id, name, running, pending


def _classes(org_id: int, state: State, changes: DirtySet) -> Iterable[tuple[Any, ...]]:
    for queue, key in sorted(changes.classes):
        cls = state.pending_class(queue, key)
        # A settle with a budget has not reached a class without a verdict; a later one will.
        if cls is not None and cls.verdict is not None:
            missing = {f"{f}/{r}": amount for (f, r), amount in sorted(cls.missing.items())}
            reason, requests = (
                cls.verdict.reason,
                state.demand(queue, cls.head.workload),
            )
            yield org_id, key, queue, cls.priority, requests, reason, missing, len(cls)


def _preemptors(org_id: int, state: State, queues: Iterable[str]) -> Iterable[tuple[Any, ...]]:
    """Yield a class row for each workload that waits for preempted ones to stop."""
    for queue in queues:
        reason = state.queues[queue].barrier or WAITING_FOR_PREEMPTED
        for preemptor in state.preemptors_in(queue):
            workload, priority = preemptor.pending.workload, preemptor.pending.priority
            key = preemptor_key(workload.id)
            requests = state.demand(queue, workload)
            yield org_id, key, queue, priority, requests, reason, {}, 1
