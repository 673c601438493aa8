"""Recorded and running workloads, read within limits, to evaluate configs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import Max, Sum
from django.utils import timezone

from console.chunks import chunks
from console.engine.model.history import History, Live, Shape
from console.engine.model.workload import PodSet, Workload
from console.orgs.models import Organization
from console.workloads.models import LabelSet, QueueCount, RecordedShape
from console.workloads.queries.used import used_of
from console.workloads.retention import SHAPES_KEPT
from console.workloads.stored_facts import decode_facts, user_of
from console.workloads.stored_pod_sets import decode_pod_sets

#: Number of days of history.
WINDOW = SHAPES_KEPT

#: Maximum number of shapes in a history.
MAX_SHAPES = 20_000

#: Maximum number of rows that are read; a shape has one row for each day with a run.
MAX_ROWS = 200_000


def history_of(org: Organization, days: int = WINDOW) -> History:
    """
    Return the shapes of the last *days* days including today, last seen first.

    At most `MAX_SHAPES` shapes of the newest `MAX_ROWS` rows are returned.
    """
    first = timezone.now().date() - timedelta(days=days - 1)
    rows = RecordedShape.objects.filter(org=org, day__gte=first)
    newest = rows.order_by("-day", "digest").values("pk")[:MAX_ROWS]
    found = list(
        RecordedShape.objects.filter(pk__in=newest)
        .order_by()
        .values("digest")
        .annotate(last=Max("day"), total=Sum("runs"), one=Max("pk"))
        .order_by("-last", "-total", "digest")
        .values_list("one", "last", "total")[: MAX_SHAPES + 1]
    )
    kept = found[:MAX_SHAPES]
    contents = _contents([pk for pk, _, _ in kept])
    return History(
        window_days=days,
        shapes=tuple(
            Shape(workload=contents[pk], runs=runs, last_seen=last.isoformat())
            for pk, last, runs in kept
            # A shape that was deleted since the first read is expired anyway.
            if pk in contents
        ),
        is_complete=len(found) <= MAX_SHAPES and not rows[MAX_ROWS : MAX_ROWS + 1].exists(),
    )


def live_of(org: Organization) -> Live:
    """Return counts and usage of running and pending workloads of all queues, draining included."""
    counts = list(QueueCount.objects.filter(org=org).values_list("queue", "running", "pending"))
    return Live(
        running={queue: running for queue, running, _ in counts if running},
        pending={queue: pending for queue, _, pending in counts if pending},
        usage=used_of(org),
    )


def _contents(keys: list[int]) -> dict[int, Workload]:
    """Return one workload for each row; equal labels and requests share one object."""
    rows: list[tuple[Any, ...]] = []
    columns = ("pk", "digest", "label_set_id", "namespace", "requested_priority")
    for chunk in chunks(keys):
        found = RecordedShape.objects.filter(pk__in=chunk)
        rows += found.values_list(*columns, "requests", "pod_sets", "facts")
    labels: dict[int, dict[str, str]] = {}
    for chunk in chunks(sorted({row[2] for row in rows})):
        labels |= LabelSet.objects.filter(pk__in=chunk).values_list("pk", "labels")
    plain: dict[tuple[tuple[str, int], ...], tuple[PodSet, ...]] = {}

    def shared_pod_sets(requests: dict[str, int], pod_sets: list[Any]) -> tuple[PodSet, ...]:
        if pod_sets:
            return decode_pod_sets(pod_sets, requests)
        key = tuple(requests.items())
        if key not in plain:
            plain[key] = decode_pod_sets((), requests)
        return plain[key]

    return {
        pk: Workload(
            id=digest,
            sequence=pk,
            labels=labels[label_set],
            namespace=namespace,
            priority=priority,
            pod_sets=shared_pod_sets(requests, pod_sets),
            **_facts(facts),
        )
        for pk, digest, label_set, namespace, priority, requests, pod_sets, facts in rows
    }


def _facts(stored: dict[str, Any] | None) -> dict[str, Any]:
    """Return the optional fields of a workload."""
    user, groups = user_of(stored)
    return {"user": user, "groups": groups, **decode_facts(stored)._asdict()}
