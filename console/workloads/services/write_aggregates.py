"""Aggregates that pages read instead of counting: usage, queue counts and pending classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from console.chunks import chunks
from console.engine.decision import Reason
from console.engine.pending import PREEMPTOR, preemptor_key
from console.engine.state import State
from console.engine.touched import Changes
from console.workloads.models import PendingClass, QueueCount, Usage


def write_aggregates(org_id: int, state: State, changes: Changes) -> None:
    """Write anew what *changes* names; call inside the transaction that writes the decisions."""
    queues = sorted(changes.queues)
    _delete(Usage.objects.filter(org_id=org_id), "queue", queues)
    Usage.objects.bulk_create(
        Usage(org_id=org_id, queue=name, flavor=flavor, resource=resource, used=used)
        for name in queues
        for (flavor, resource), used in sorted(state.usage(name).items())
    )
    _delete(QueueCount.objects.filter(org_id=org_id), "queue", queues)
    QueueCount.objects.bulk_create(_counts(org_id, state, queues))
    _delete(PendingClass.objects.filter(org_id=org_id), "key", [key for _, key in changes.classes])
    waiting = PendingClass.objects.filter(org_id=org_id, key__startswith=PREEMPTOR)
    _delete(waiting, "queue", queues)
    PendingClass.objects.bulk_create(
        [*_classes(org_id, state, changes), *_preemptors(org_id, state, queues)]
    )


def _counts(org_id: int, state: State, queues: Iterable[str]) -> Iterable[QueueCount]:
    for name in queues:
        running, pending = len(state.queues[name].running), state.pending_count(name)
        if running or pending:
            yield QueueCount(org_id=org_id, queue=name, running=running, pending=pending)


def _classes(org_id: int, state: State, changes: Changes) -> Iterable[PendingClass]:
    for queue, key in sorted(changes.classes):
        cls = state.pending_class(queue, key)
        # One without a verdict is one that a settle with a budget has not come to; it will.
        if cls is not None and cls.verdict is not None:
            yield PendingClass(
                org_id=org_id,
                key=key,
                queue=queue,
                priority=cls.priority,
                requests=dict(cls.requests),
                reason=cls.verdict.reason.value,
                missing={f"{f}/{r}": amount for (f, r), amount in sorted(cls.missing.items())},
                count=len(cls),
            )


def _preemptors(org_id: int, state: State, queues: Iterable[str]) -> Iterable[PendingClass]:
    """Yield a class of one for each workload that waits for others to stop."""
    for queue in queues:
        reason = state.queues[queue].barrier or Reason.WAITING_FOR_PREEMPTED
        for preemptor in state.preemptors_in(queue):
            workload = preemptor.pending.workload
            yield PendingClass(
                org_id=org_id,
                key=preemptor_key(workload.id),
                queue=queue,
                priority=preemptor.pending.priority,
                requests=workload.total(),
                reason=reason.value,
                count=1,
            )


def _delete(rows: QuerySet[Any], column: str, values: list[str]) -> None:
    for some in chunks(values):
        rows.filter(Q(**{f"{column}__in": some})).delete()
