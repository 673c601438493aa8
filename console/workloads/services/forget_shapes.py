"""Delete recorded shapes older than the window of history."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from console.retention.models import Kind
from console.retention.record_deletions import record_deletions
from console.retention.write_pauses import pause_after
from console.workloads.models import RecordedShape
from console.workloads.queries.history import WINDOW
from console.workloads.services.forget_label_sets import forget_label_sets

#: Maximum number of rows per statement, so that other writers wait only briefly.
_ROWS = 1000


def forget_shapes() -> int:
    """Delete the shapes of days before the window of history, and return their number."""
    first = timezone.now().date() - timedelta(days=WINDOW - 1)
    forgotten: Counter[int] = Counter()
    while True:
        rows = RecordedShape.objects.order_by("pk")
        found = rows.values_list("pk", "org_id", "label_set_id", "day")[:_ROWS]
        old = {pk: (org_id, label_set) for pk, org_id, label_set, day in found if day < first}
        with pause_after(), transaction.atomic():
            RecordedShape.objects.filter(pk__in=list(old)).delete()
            forget_label_sets(label_set for _, label_set in old.values())
        forgotten.update(org_id for org_id, _ in old.values())
        if len(old) < _ROWS:
            return record_deletions(Kind.SHAPES, forgotten)
