"""Columns of the list of workloads: titles, and the form that selects them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from django.http import QueryDict

from console.pages.presenters.lists.addresses import with_query
from console.workloads.columns import COLUMNS, DEFAULT_COLUMNS, LABEL, MOST_COLUMNS, PARAMETER
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

#: Number of empty fields in the form.
_MORE = 2


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One field of the form: its position, and the chosen column."""

    number: int
    chosen: str
    options: tuple[tuple[str, str], ...]


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


def choices_of(names: tuple[str, ...]) -> tuple[Place, ...]:
    """Return the fields of the form, chosen columns first; each field offers all columns."""
    labels = tuple(name for name in names if name.startswith(LABEL))
    options = tuple((name, column_title(name)) for name in (*COLUMNS, *labels))
    used = (*names, *[""] * _MORE)[:MOST_COLUMNS]
    return tuple(
        Place(number=number, chosen=name, options=options)
        for number, name in enumerate(used, start=1)
    )


def with_columns(query: QueryDict) -> QueryDict:
    """
    Return *query* with the fields of the columns form combined into one parameter.

    The form sends ``col`` for each position in order, and ``col_label`` for the key of another
    label column. The default columns in their order need no parameter.
    """
    if "col" not in query and "col_label" not in query:
        return query
    found = query.copy()
    names = [name for name in found.getlist("col") if name]
    key = found.get("col_label", "").strip()
    if key:
        names.append(f"{LABEL}{key}")
    for name in ("col", "col_label", PARAMETER):
        found.pop(name, None)
    if names and tuple(names) != DEFAULT_COLUMNS:
        found[PARAMETER] = ",".join(dict.fromkeys(names))
    return found
