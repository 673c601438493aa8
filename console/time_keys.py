"""
Search for the primary keys of a time range, in tables whose keys follow creation time.

Keys are assigned in the order of time, except for rows of concurrent transactions. Therefore a
binary search in the index finds the key of any time, and a scan starts and ends there instead of
reading all later or earlier rows.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)

#: Maximum difference between the order of keys and of times: no transaction that writes such rows
#: lasts longer.
SLACK = timedelta(minutes=5)


def limit_to_times(
    rows: QuerySet[M], since: datetime | None, until: datetime | None
) -> QuerySet[M]:
    """
    Return *rows* without those far outside of *since* to *until*; None means no bound.

    The caller still has to filter by `created_at`: rows up to `SLACK` outside remain at both ends.
    """
    if since is not None:
        rows = rows.filter(pk__gte=first_key(rows, since - SLACK))
    if until is not None:
        rows = rows.filter(pk__lt=first_key(rows, until + SLACK))
    return rows


def first_key(rows: QuerySet[M], moment: datetime) -> int:
    """Return the lowest key that rows of *moment* or later can have."""
    in_order = rows.order_by("pk").values_list("pk", "created_at")
    first, last = in_order.first(), in_order.last()
    if first is None or last is None:
        return 0
    # Shortcuts for a time before or after all rows, as the bounds of many searches are.
    if moment <= first[1]:
        return int(first[0])
    if moment > last[1] + SLACK:
        return int(last[0]) + 1
    low, high = first[0], last[0] + 1
    while low < high:
        middle = (low + high) // 2
        found = in_order.filter(pk__gte=middle).first()
        if found is None or found[1] >= moment:
            high = middle
        else:
            low = found[0] + 1
    return int(low)
