"""Forget recorded shapes of days that no look at history goes back to."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from console.workloads.models import RecordedShape
from console.workloads.queries.history import WINDOW

#: Rows of one statement, so that other writers need not wait long.
_ROWS = 1000


def forget_shapes() -> int:
    """Delete the shapes of days before the window of history; return how many there were."""
    first = timezone.now().date() - timedelta(days=WINDOW - 1)
    forgotten = 0
    while True:
        oldest = RecordedShape.objects.order_by("pk").values_list("pk", "day")[:_ROWS]
        old = [pk for pk, day in oldest if day < first]
        RecordedShape.objects.filter(pk__in=old).delete()
        forgotten += len(old)
        if len(old) < _ROWS:
            return forgotten
