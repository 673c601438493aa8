"""
Exact sums of accounted hours in SQL, whose parts fit 64 bits: SQLite refuses larger sums.

The rests of a row have up to 19 digits, so those of a few rows may exceed 64 bits. They are divided
by `_PART`, and quotients and remainders are summed up apart. A quotient is at most 10^6 for each
addition to a row, so the sums fit for 9 * 10^12 additions.
"""

from __future__ import annotations

from typing import Any, Final

from django.db.models import F, QuerySet, Sum

from console.accounting.amounts import joined

#: A divisor of `console.accounting.amounts.RADIX`.
_PART: Final = 10**6


def summed(rows: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    """Return *rows* of groups of accounted hours with three more columns: the parts of the sum."""
    with_parts: QuerySet[Any, Any] = rows.annotate(
        sum_of_high=Sum("high"),
        sum_of_quotients=Sum(F("low") / _PART),
        sum_of_remainders=Sum(F("low") % _PART),
    )
    return with_parts.order_by()


def sum_of(high: Any, quotients: Any, remainders: Any) -> int:
    """Return the amount of the three columns of `summed`; PostgreSQL returns them as Decimal."""
    return joined(int(high), int(quotients) * _PART + int(remainders))
