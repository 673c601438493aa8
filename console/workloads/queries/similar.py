"""Admitted workloads that are similar to a given one, to compare their decisions."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from console.orgs.models import Organization
from console.workloads.models import Decision, State, Workload
from console.workloads.queries.workloads import with_list_columns

#: Maximum number of workloads that are read in each state, the newest.
MOST_LOOKED = 200

_ADMITTED = (State.ADMITTED, State.PREEMPTING, State.FINISHED)


def similar_admitted(org: Organization, workload: Workload, limit: int) -> list[Workload]:
    """
    Return admitted workloads of the same queue, the most similar first.

    For a workload without a queue, they may be of any queue. Only the newest `MOST_LOOKED` of
    each state are read, so the cost does not grow with the number of workloads.
    """
    rows = Workload.objects.filter(org=org).exclude(pk=workload.pk)
    if workload.queue is not None:
        rows = rows.filter(queue=workload.queue)
    columns = ("pk", "requests", "priority", "label_set_id", "type")
    seen = chain.from_iterable(
        rows.filter(state=state).order_by("-pk").values_list(*columns)[:MOST_LOOKED]
        for state in _ADMITTED
    )
    labels = workload.label_set_id
    nearest = sorted(
        seen,
        key=lambda row: (
            # A workload has no queue because of its labels, and is pending because of its request.
            workload.queue is None and row[3] != labels,
            _distance(workload.requests, row[1]),
            abs((row[2] or 0) - (workload.priority or 0)),
            row[3] != labels,
            row[4] != workload.type,
            -row[0],
        ),
    )
    keys = [row[0] for row in nearest[:limit]]
    found = {each.pk: each for each in with_list_columns(Workload.objects.filter(pk__in=keys))}
    return [found[key] for key in keys if key in found]


def admission_of(workload: Workload) -> Decision | None:
    """Return the latest decision that admitted *workload*, or None."""
    admitted = Decision.objects.filter(workload=workload, outcome=State.ADMITTED.value)
    return admitted.order_by("-pk").first()


def _distance(one: Mapping[str, int], other: Mapping[str, int]) -> tuple[int, int]:
    """Return the number of resources in only one request, and the percentages of difference."""
    percent = 0
    for resource in one.keys() & other.keys():
        here, there = one[resource], other[resource]
        percent += 100 * abs(here - there) // max(here, there, 1)
    return len(one.keys() ^ other.keys()), percent
