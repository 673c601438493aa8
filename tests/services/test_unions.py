"""Unions of lists in one SQL statement: the first rows of each list, without duplicates."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.orgs.models import Organization
from console.unions import SIZE, union_querysets
from console.workloads.models import LabelSet, Workload


def numbered(org: Organization, count: int) -> list[int]:
    """Create *count* workloads with priorities from 0 up and return their keys."""
    labels = LabelSet.objects.create(org=org, digest="none", labels={})
    rows = (
        Workload(org=org, name=str(number), type="job", label_set=labels, priority=number)
        for number in range(count)
    )
    return [row.pk for row in Workload.objects.bulk_create(rows)]


def test_each_list_gives_its_first_rows_in_one_statement(org: Organization) -> None:
    keys = numbered(org, 9)
    lowest = Workload.objects.filter(priority__lt=5).order_by("priority")[:2]
    highest = Workload.objects.filter(priority__gte=5).order_by("-priority")[:3]
    both = Workload.objects.filter(priority__in=(1, 4))
    with CaptureQueriesContext(connection) as statements:
        (rows,) = union_querysets([lowest, highest, both])
        found = sorted(rows.values_list("pk", flat=True))
    assert found == [keys[number] for number in (0, 1, 4, 6, 7, 8)]
    assert len(statements) == 1
    (alone,) = union_querysets([highest])
    assert sorted(alone.values_list("pk", flat=True)) == [keys[number] for number in (6, 7, 8)]


def test_very_many_lists_are_read_in_parts(org: Organization) -> None:
    keys = numbered(org, SIZE + 2)
    one_each = [Workload.objects.filter(pk=key).order_by("priority")[:1] for key in keys]
    parts = [sorted(rows.values_list("pk", flat=True)) for rows in union_querysets(one_each)]
    assert parts == [keys[:SIZE], keys[SIZE:]]
    assert list(union_querysets([])) == []
