"""Workloads of some states, in one queue or in all, newest first."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet

from console.orgs.models import Organization
from console.paging import Page, merged_newest_first
from console.workloads.models import Workload
from console.workloads.queries.workloads import workload_rows


def list_of_states(
    org: Organization,
    states: Collection[str],
    limit: int,
    cursor: str | None = None,
    *,
    queue: str | None = None,
) -> Page[Workload]:
    """
    Return the newest workloads that are in one of *states*, like `workload_rows`.

    With *queue*, only those of this queue.
    """
    rows: QuerySet[Any] = workload_rows(org)
    if queue is not None:
        rows = rows.filter(queue=queue)
    return merged_newest_first(rows, [rows.filter(state=each) for each in states], limit, cursor)
