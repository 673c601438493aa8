"""
The registry of kinds of rows with their retention period and count.

An app registers its rows in its module `retention`, which is imported once all models are loaded.
So this package imports no app, and every app can import it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.db.models import QuerySet

from console.retention.models import Kind

#: Maximum number of rows that are counted, where the number is not stored.
MOST: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Number of rows and time of the oldest; None if unknown."""

    count: int | None
    #: Whether there are more rows than were counted.
    is_more: bool = False
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Retention of one kind of rows."""

    kind: Kind
    #: Returns the number of rows of an organization, given its key.
    rows: Callable[[int], Rows]
    #: The setting of the retention period in days, 0 for unlimited; empty if it is fixed.
    setting: str = ""
    #: The fixed retention period in days; None for unlimited.
    fixed_days: int | None = None
    #: The entry of the beat schedule that deletes expired rows; empty if there is none.
    job: str = ""

    @property
    def days(self) -> int | None:
        """Return the retention period in days; None for unlimited."""
        return (getattr(settings, self.setting) or None) if self.setting else self.fixed_days


_registered: Final[dict[Kind, Retention]] = {}


def register(*retentions: Retention) -> None:
    """Register kinds of rows; raises ValueError for a kind that is already registered."""
    for each in retentions:
        if each.kind in _registered:
            raise ValueError(f"{each.kind.value} is registered already")
        _registered[each.kind] = each


def registered() -> list[Retention]:
    """Return all registered kinds, in the order of `Kind`."""
    return [_registered[kind] for kind in Kind if kind in _registered]


def count_rows(rows: QuerySet[Any], order: str, column: str) -> Rows:
    """
    Count *rows* up to `MOST`, and find the oldest.

    *order* is the column by which the oldest row comes first, and *column* its time; if both are
    empty, the oldest row is not searched.
    """
    count = rows.order_by()[: MOST + 1].count()
    oldest: datetime | None = None
    if column:
        oldest = rows.order_by(order).values_list(column, flat=True).first()
    return Rows(count=min(count, MOST), is_more=count > MOST, oldest=oldest)
