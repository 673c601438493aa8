"""Columns of the list of workloads: titles, sort links, and columns of its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from django.http import QueryDict

from console.exports import Row
from console.pages.presenters.lists.addresses import with_query
from console.workloads.columns import LABEL
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.listing import Order, may_order

ORDER_TITLES: Final[Mapping[Order, str]] = {
    Order.NEWEST: "newest first",
    Order.OLDEST: "oldest first",
    Order.PRIORITY: "highest priority first",
}

_NUMBERS = frozenset({"priority", "submitted"})
#: Column -> title, if it is not the name.
_TITLES = {"wants": "Requested"}

#: Column of the list -> columns of a file with chosen columns, if they have other names.
_IN_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "reason": ("reason", "message"),
    "wants": ("requests",),
    "flavor": ("flavors",),
    "priority": ("priority", "requested_priority"),
    "submitted": ("submitted_at",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column; *label* is the label key of a label column."""

    name: str
    title: str
    label: str
    is_number: bool
    #: Address of the list that is sorted by it; empty if no index has it in this order.
    sort_url: str = ""
    #: How the list is sorted by it, as in ``aria-sort``; empty if by another column.
    direction: str = ""


def columns_of(names: tuple[str, ...]) -> tuple[Column, ...]:
    """Return the columns with the given *names*."""
    return tuple(
        Column(
            name="label" if name.startswith(LABEL) else name,
            title=column_title(name),
            label=name.removeprefix(LABEL) if name.startswith(LABEL) else "",
            is_number=name in _NUMBERS,
        )
        for name in names
    )


def sorted_columns(
    path: str,
    query: QueryDict,
    columns: tuple[Column, ...],
    order: Order,
    conditions: WorkloadFilter,
) -> tuple[Column, ...]:
    """Return *columns* with the addresses of the lists that their heads sort."""

    def head(column: Column) -> Column:
        if column.name == "submitted":
            other = Order.NEWEST if order is Order.OLDEST else Order.OLDEST
            to = Order.NEWEST if order is Order.PRIORITY else other
            direction = {Order.NEWEST: "descending", Order.OLDEST: "ascending"}.get(order, "")
        elif column.name == "priority" and may_order(Order.PRIORITY, conditions):
            to, direction = Order.PRIORITY, "descending" if order is Order.PRIORITY else ""
        else:
            return column
        sort = None if to is Order.NEWEST else to.value
        return replace(
            column,
            sort_url=with_query(path, query, sort=sort, cursor=None),
            direction=direction,
        )

    return tuple(map(head, columns))


def column_title(name: str) -> str:
    """
    Return the title of a column.

    >>> column_title("wants"), column_title("label.team")
    ('Requested', 'team')
    """
    if name.startswith(LABEL):
        return name.removeprefix(LABEL)
    return _TITLES.get(name, name.capitalize())


def file_columns(names: Iterable[str]) -> tuple[str, ...]:
    """
    Return the columns of a CSV file of a list with the columns *names*.

    >>> file_columns(["wants", "label.team"])
    ('id', 'name', 'requests', 'label.team')
    """
    return ("id", "name", *(each for name in names for each in _IN_FILES.get(name, (name,))))


def with_label_columns(rows: Iterable[Row], names: Iterable[str]) -> Iterator[Row]:
    """Yield *rows*, with an entry for each label column among *names*."""
    keys = [name.removeprefix(LABEL) for name in names if name.startswith(LABEL)]
    if not keys:
        yield from rows
        return
    for row in rows:
        yield {**row, **{f"{LABEL}{key}": row["labels"].get(key) for key in keys}}
