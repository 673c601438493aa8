"""
The registry of retention: what each app keeps, for how long, and how its rows are counted.

An app registers what it keeps in its module `retention`, which is imported once all models are
loaded. So this package knows none of the apps, and each of them may use it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.db.models import QuerySet

from console.retention.models import Kind

#: Rows that are counted of anything whose number is not stored.
MOST: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """How many rows there are, and when the oldest is from; None when it is not known."""

    count: int | None
    #: Whether there are more than were counted.
    is_more: bool = False
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How one kind of rows is kept."""

    kind: Kind
    #: Returns what an organization has, by the key of the organization.
    rows: Callable[[int], Rows]
    #: The setting that says how many days they are kept, 0 for ever; empty when none does.
    setting: str = ""
    #: Days that they are kept where no setting says it; None for ever.
    fixed_days: int | None = None
    #: The entry of the beat schedule that deletes them; empty when none does.
    job: str = ""

    @property
    def days(self) -> int | None:
        """Return how many days they are kept; None for ever."""
        return (getattr(settings, self.setting) or None) if self.setting else self.fixed_days


_registered: Final[dict[Kind, Retention]] = {}


def register(*retentions: Retention) -> None:
    """Register what an app keeps; raises ValueError for a kind that is already registered."""
    for each in retentions:
        if each.kind in _registered:
            raise ValueError(f"{each.kind.value} is registered already")
        _registered[each.kind] = each


def registered() -> list[Retention]:
    """Return all that is registered, in the order of `Kind`."""
    return [_registered[kind] for kind in Kind if kind in _registered]


def count_rows(rows: QuerySet[Any], order: str, column: str) -> Rows:
    """
    Count *rows* up to `MOST`, and find the oldest.

    *order* is the column by which the oldest comes first, and *column* is when each is from; both
    are empty to find none.
    """
    count = rows.order_by()[: MOST + 1].count()
    oldest: datetime | None = None
    if column:
        oldest = rows.order_by(order).values_list(column, flat=True).first()
    return Rows(count=min(count, MOST), is_more=count > MOST, oldest=oldest)
