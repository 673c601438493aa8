"""
From moments to keys: where a list that is walked by its keys has the rows of a time.

Keys are given out in the order of time, but for rows whose transactions ran side by side.
So a few looks into the index find the place of any moment, however long the list is, and a
walk begins and ends there instead of going through all that came later or earlier.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)

#: No transaction that writes such rows lasts longer: so far may both orders differ.
SLACK = timedelta(minutes=5)


def around(rows: QuerySet[M], since: datetime | None, until: datetime | None) -> QuerySet[M]:
    """
    Return *rows* without those that are far outside of *since* to *until*; None leaves a side open.

    The condition on `created_at` itself stays with the caller: near both ends there are others.
    """
    if since is not None:
        rows = rows.filter(pk__gte=first_key(rows, since - SLACK))
    if until is not None:
        rows = rows.filter(pk__lt=first_key(rows, until + SLACK))
    return rows


def first_key(rows: QuerySet[M], moment: datetime) -> int:
    """Return a key that divides *rows*: those of *moment* and later have it, or higher ones."""
    in_order = rows.order_by("pk").values_list("pk", "created_at")
    first, last = in_order.first(), in_order.last()
    if first is None or last is None:
        return 0
    # Before or after all there is, as the end of many a search is: nothing to look for.
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
