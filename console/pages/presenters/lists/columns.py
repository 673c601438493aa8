"""The form that chooses and orders the columns of a list, and its address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.http import QueryDict

from console.workloads.columns import LABEL, MOST_COLUMNS, PARAMETER, ListColumns

#: Fields of the form: a column for each place, and the key of another label.
FIELDS: Final = ("col", "col_label")

#: Number of empty fields in the form.
_MORE: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One field of the form: its position, and the chosen column."""

    number: int
    chosen: str
    options: tuple[tuple[str, str], ...]


def choices_of(
    columns: ListColumns, names: tuple[str, ...], title: Callable[[str], str]
) -> tuple[Place, ...]:
    """Return the fields of the form, chosen columns first; each field offers all columns."""
    labels = tuple(name for name in names if name.startswith(LABEL))
    options = tuple((name, title(name)) for name in (*columns.names, *labels))
    used = (*names, *[""] * _MORE)[:MOST_COLUMNS]
    return tuple(
        Place(number=number, chosen=name, options=options)
        for number, name in enumerate(used, start=1)
    )


def with_columns(query: QueryDict, columns: ListColumns) -> QueryDict:
    """
    Return *query* with the fields of the columns form combined into one parameter.

    The form sends ``col`` for each position in order, and ``col_label`` for the key of another
    label column. The usual columns in their order need no parameter.
    """
    if not any(name in query for name in FIELDS):
        return query
    found = query.copy()
    names = [name for name in found.getlist("col") if name]
    key = found.get("col_label", "").strip()
    if key:
        names.append(f"{LABEL}{key}")
    for name in (*FIELDS, PARAMETER):
        found.pop(name, None)
    if names and tuple(names) != columns.usual:
        found[PARAMETER] = ",".join(dict.fromkeys(names))
    return found
