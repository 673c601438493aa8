"""Columns of the workload list: names, defaults, and parsing of the ``cols`` parameter."""

from __future__ import annotations

from collections.abc import Iterable

from console.errors import BadRequest, FieldError

#: Columns after the name; ``label.KEY`` is the column of a label.
COLUMNS = (
    *("state", "reason", "queue", "wants", "flavor", "priority"),
    *("submitted", "user", "project", "type"),
)
DEFAULT_COLUMNS = ("state", "reason", "queue", "wants", "priority", "submitted")

LABEL = "label."

#: Maximum number of columns in one list, and of characters in a label key.
MOST_COLUMNS, LONGEST_KEY = 12, 200

#: Query parameter with a comma-separated list of columns.
PARAMETER = "cols"


def read_columns(text: str) -> tuple[str, ...]:
    """
    Return the columns in the query parameter *text*, or the default columns if it is empty.

    Raises BadRequest with the name of an unknown column.

    >>> read_columns("queue,label.team"), read_columns("") == DEFAULT_COLUMNS
    (('queue', 'label.team'), True)
    """
    return check_columns(filter(None, (part.strip() for part in text.split(",")))) or (
        DEFAULT_COLUMNS
    )


def check_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return *names* without duplicates; raises BadRequest for an unknown column or too many."""
    found = tuple(dict.fromkeys(names))
    wrong = [name for name in found if name not in COLUMNS and not _is_label(name)]
    if wrong:
        known = f"{', '.join(COLUMNS)} or label.KEY"
        message = f"{wrong[0][:80]!r} is not a column; a column is one of: {known}."
        raise BadRequest([FieldError(PARAMETER, "invalid_choice", message)])
    if len(found) > MOST_COLUMNS:
        message = f"At most {MOST_COLUMNS} columns; these are {len(found)}."
        raise BadRequest([FieldError(PARAMETER, "wrong_length", message)])
    return found


def _is_label(name: str) -> bool:
    key = name.removeprefix(LABEL)
    return key != name and 0 < len(key) <= LONGEST_KEY and "," not in key and "\0" not in key
