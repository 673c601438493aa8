"""Delete unused label sets."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef

from console.chunks import chunks
from console.workloads.models import LabelSet, RecordedShape, Workload


def forget_label_sets(keys: Iterable[int]) -> None:
    """
    Delete the label sets *keys* without workloads and recorded shapes, in the caller's transaction.

    A concurrent submission of the same labels creates the set again.
    """
    workloads = Workload.objects.filter(label_set=OuterRef("pk"))
    shapes = RecordedShape.objects.filter(label_set=OuterRef("pk"))
    for some in chunks(sorted(set(keys))):
        unused = LabelSet.objects.filter(~Exists(workloads), ~Exists(shapes), pk__in=some)
        LabelSet.objects.filter(pk__in=list(unused.values_list("pk", flat=True))).delete()
