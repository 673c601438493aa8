"""Which columns the list of workloads has, and in what order, as addresses and views hold it."""

from __future__ import annotations

from collections.abc import Iterable

from console.errors import BadRequest, FieldError

#: Columns behind the name; ``label.KEY`` is one for a label.
COLUMNS = (
    *("state", "reason", "queue", "wants", "flavor", "priority"),
    *("submitted", "user", "project", "type"),
)
DEFAULT_COLUMNS = ("state", "reason", "queue", "wants", "priority", "submitted")

LABEL = "label."

#: Columns of one list, and characters of a label's key.
MOST_COLUMNS, LONGEST_KEY = 12, 200

#: The parameter of an address, a list with commas.
PARAMETER = "cols"


def read_columns(text: str) -> tuple[str, ...]:
    """
    Return the columns that the text of an address names; the usual ones when it is empty.

    Raises BadRequest that says which name is not known.

    >>> read_columns("queue,label.team"), read_columns("") == DEFAULT_COLUMNS
    (('queue', 'label.team'), True)
    """
    return check_columns(filter(None, (part.strip() for part in text.split(",")))) or (
        DEFAULT_COLUMNS
    )


def check_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return *names* without repetitions; raises BadRequest when one is not a column."""
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
