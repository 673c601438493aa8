"""Forget recorded shapes of days that no look at history goes back to."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.utils import timezone

from console.retention.models import Kind
from console.retention.note import note
from console.workloads.models import RecordedShape
from console.workloads.queries.history import WINDOW

#: Rows of one statement, so that other writers need not wait long.
_ROWS = 1000


def forget_shapes() -> int:
    """Delete the shapes of days before the window of history; return how many there were."""
    first = timezone.now().date() - timedelta(days=WINDOW - 1)
    forgotten: Counter[int] = Counter()
    while True:
        rows = RecordedShape.objects.order_by("pk").values_list("pk", "org_id", "day")
        old = {pk: org_id for pk, org_id, day in rows[:_ROWS] if day < first}
        RecordedShape.objects.filter(pk__in=list(old)).delete()
        forgotten.update(old.values())
        if len(old) < _ROWS:
            return note(Kind.SHAPES, forgotten)
