"""Running workloads of a queue, sorted by their request of one resource."""

from __future__ import annotations

from typing import Final

from django.db.models import BigIntegerField, Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from console.orgs.models import Organization
from console.paging import Page, read_cursor, write_cursor
from console.workloads.models import State, Workload
from console.workloads.queries.workloads import with_list_columns

#: Maximum number of workloads of one queue to sort; with more, the newest are shown first.
MOST_COMPARED: Final = 10_000

RUNNING: Final = (State.ADMITTED, State.PREEMPTING)


def running_by_size(
    org: Organization, queue: str, resource: str, limit: int, cursor: str | None = None
) -> Page[Workload]:
    """
    Return the workloads that use quota of *queue*, the largest requests of *resource* first.

    In the form of `workload_rows`. All running workloads of the queue are sorted, so call this only
    up to `MOST_COMPARED`.
    """
    requested = Coalesce(
        Cast(KeyTextTransform(resource, "requests"), BigIntegerField()),
        0,
        output_field=BigIntegerField(),
    )
    rows = Workload.objects.filter(org=org, queue=queue, state__in=RUNNING).annotate(
        requested=requested
    )
    after = read_cursor(cursor, size=2)
    if after is not None:
        amount, pk = after
        rows = rows.filter(Q(requested__lt=amount) | Q(requested=amount, pk__lt=pk))
    # Keys first: the other columns are read only for rows of the page.
    found = list(rows.order_by("-requested", "-pk").values_list("pk", "requested")[: limit + 1])
    page = found[:limit]
    rows_of_page = with_list_columns(
        Workload.objects.filter(pk__in=[pk for pk, _ in page])
    ).order_by()
    by_key = {each.pk: each for each in rows_of_page}
    results = [by_key[pk] for pk, _ in page if pk in by_key]
    if len(found) <= limit:
        return Page(results)
    pk, amount = page[-1]
    return Page(results, write_cursor(amount, pk))
