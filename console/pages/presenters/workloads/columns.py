"""Columns of the list of workloads: their titles, and the form that chooses them."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from console.workloads.columns import COLUMNS, DEFAULT_COLUMNS, LABEL, MOST_COLUMNS, PARAMETER

_NUMBERS = frozenset({"priority", "submitted"})
#: Titles that are not the name of the column.
_TITLES = {"wants": "Requested"}

#: Places beyond those in use that the form offers.
_MORE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column; *label* is the key of the label that it shows."""

    name: str
    title: str
    label: str
    is_number: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One place of the form: its number, and what is chosen there."""

    number: int
    chosen: str
    options: tuple[tuple[str, str], ...]


def columns_of(names: tuple[str, ...]) -> tuple[Column, ...]:
    """Return the columns called *names*."""
    return tuple(
        Column(
            name="label" if name.startswith(LABEL) else name,
            title=column_title(name),
            label=name.removeprefix(LABEL) if name.startswith(LABEL) else "",
            is_number=name in _NUMBERS,
        )
        for name in names
    )


def column_title(name: str) -> str:
    """
    Return what stands above a column.

    >>> column_title("wants"), column_title("label.team")
    ('Requested', 'team')
    """
    if name.startswith(LABEL):
        return name.removeprefix(LABEL)
    return _TITLES.get(name, name.capitalize())


def choices_of(names: tuple[str, ...]) -> tuple[Place, ...]:
    """Return the places of the form, those in use first; each may have any column."""
    labels = tuple(name for name in names if name.startswith(LABEL))
    options = tuple((name, column_title(name)) for name in (*COLUMNS, *labels))
    used = (*names, *[""] * _MORE)[:MOST_COLUMNS]
    return tuple(
        Place(number=number, chosen=name, options=options)
        for number, name in enumerate(used, start=1)
    )


def with_columns(query: QueryDict) -> QueryDict:
    """
    Return *query* with what the form of columns sends as one parameter.

    It sends ``col`` for each place in order, and ``col_label`` for the key of a further label;
    the usual columns in their order need no parameter.
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
