"""Aggregates that pages read instead of counting: usage, queue counts and pending classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from console.engine.decision import Reason
from console.engine.pending import PROMISE, promise_key
from console.engine.state import Changes, State
from console.workloads.models import PendingClass, QueueCount, Usage

#: Names or keys per IN list; SQLite takes 999 parameters in one statement.
_CHUNK = 500


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
    promised = PendingClass.objects.filter(org_id=org_id, key__startswith=PROMISE)
    _delete(promised, "queue", queues)
    PendingClass.objects.bulk_create(
        [*_classes(org_id, state, changes), *_promises(org_id, state, queues)]
    )


def _counts(org_id: int, state: State, queues: Iterable[str]) -> Iterable[QueueCount]:
    for name in queues:
        running, pending = len(state.queues[name].running), state.pending_count(name)
        if running or pending:
            yield QueueCount(org_id=org_id, queue=name, running=running, pending=pending)


def _classes(org_id: int, state: State, changes: Changes) -> Iterable[PendingClass]:
    for queue, key in sorted(changes.classes):
        cls = state.pending_class(queue, key)
        # An awake class is one that a settle with a budget has not come to; it will.
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


def _promises(org_id: int, state: State, queues: Iterable[str]) -> Iterable[PendingClass]:
    """Yield a class of one for each workload whose room is being made."""
    for queue in queues:
        held = state.queues[queue].held
        reason = Reason.QUEUE_HELD if held else Reason.WAITING_FOR_PREEMPTED
        for promise in state.promises_in(queue):
            yield PendingClass(
                org_id=org_id,
                key=promise_key(promise.pending.workload.id),
                queue=queue,
                priority=promise.pending.route.priority or 0,
                requests=dict(promise.pending.requests),
                reason=reason.value,
                count=1,
            )


def _delete(rows: QuerySet[Any], column: str, values: list[str]) -> None:
    for start in range(0, len(values), _CHUNK):
        rows.filter(Q(**{f"{column}__in": values[start : start + _CHUNK]})).delete()
