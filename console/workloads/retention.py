"""Retention of workloads, decisions, events, recorded shapes and idempotent answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from console.retention.models import Kind
from console.retention.partitions.tables import Numbered, register_numbered
from console.retention.registry import Retention, Rows, count_rows, register
from console.workloads.models import (
    Decision,
    Engine,
    Event,
    IdempotentAnswer,
    RecordedShape,
    Workload,
)

#: How long a request with an idempotency key may be repeated.
ANSWERS_KEPT: Final = timedelta(days=7)

#: Number of days for which recorded shapes are kept.
SHAPES_KEPT: Final = 30


def _events(org_id: int) -> Rows:
    return count_rows(Event.objects.filter(org=org_id), "id", "created_at")


def _decisions(org_id: int) -> Rows:
    return count_rows(Decision.objects.filter(org=org_id), "id", "created_at")


def _answers(org_id: int) -> Rows:
    return count_rows(IdempotentAnswer.objects.filter(org=org_id), "id", "created_at")


def _workloads(org_id: int) -> Rows:
    """Return the number of workloads that the engine has counted, and the oldest one."""
    counts = Engine.objects.values_list("counts", flat=True).filter(pk=org_id).first() or {}
    oldest = Workload.objects.filter(org=org_id).order_by("submitted_at")
    first = oldest.values_list("submitted_at", flat=True).first()
    return Rows(count=sum(counts.values()), oldest=first)


def _shapes(org_id: int) -> Rows:
    found = count_rows(RecordedShape.objects.filter(org=org_id), "day", "day")
    return replace(found, oldest=_midnight(found.oldest) if found.oldest else None)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


register(
    Retention(kind=Kind.EVENTS, setting="EVENT_RETENTION_DAYS", job="forget events", rows=_events),
    Retention(
        kind=Kind.DECISIONS,
        setting="WORKLOAD_RETENTION_DAYS",
        job="forget workloads",
        rows=_decisions,
    ),
    Retention(
        kind=Kind.WORKLOADS,
        setting="WORKLOAD_RETENTION_DAYS",
        job="forget workloads",
        rows=_workloads,
    ),
    Retention(kind=Kind.SHAPES, fixed_days=SHAPES_KEPT, job="tidy", rows=_shapes),
    Retention(kind=Kind.ANSWERS, fixed_days=ANSWERS_KEPT.days, job="tidy", rows=_answers),
)
register_numbered(
    Numbered(
        rows=Decision.objects,
        kind=Kind.DECISIONS,
        setting="WORKLOAD_RETENTION_DAYS",
        kept_rows=(
            f"JOIN {Workload._meta.db_table} AS w ON w.id = p.workload_id "
            "WHERE w.ended_at IS NULL OR w.ended_at >= %s"
        ),
    ),
    Numbered(
        rows=Event.objects,
        kind=Kind.EVENTS,
        setting="EVENT_RETENTION_DAYS",
        kept_rows="WHERE p.created_at >= %s",
    ),
)
