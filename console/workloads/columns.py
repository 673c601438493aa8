"""Columns that lists offer: names, defaults, and parsing of the ``cols`` parameter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from console.errors import BadRequest, FieldError

LABEL: Final = "label."

#: Maximum number of columns in one list, and of characters in a label key.
MOST_COLUMNS: Final = 12
LONGEST_KEY: Final = 200

#: Query parameter with a comma-separated list of columns.
PARAMETER: Final = "cols"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListColumns:
    """The columns that one list offers after the name."""

    names: tuple[str, ...]
    #: Those that are shown without a choice.
    usual: tuple[str, ...]
    #: Whether ``label.KEY`` is the column of a label.
    has_labels: bool = False

    def read(self, text: str) -> tuple[str, ...]:
        """
        Return the columns in the query parameter *text*, or the usual ones if it is empty.

        Raises BadRequest with the name of an unknown column.

        >>> WORKLOADS.read("queue,label.team"), WORKLOADS.read("") == WORKLOADS.usual
        (('queue', 'label.team'), True)
        """
        return self.check(filter(None, (part.strip() for part in text.split(",")))) or self.usual

    def check(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return *names* without duplicates; raises BadRequest for an unknown one or too many."""
        found = tuple(dict.fromkeys(names))
        wrong = [name for name in found if name not in self.names and not self._is_label(name)]
        if wrong:
            known = f"{', '.join(self.names)}{' or label.KEY' if self.has_labels else ''}"
            message = f"{wrong[0][:80]!r} is not a column; a column is one of: {known}."
            raise BadRequest([FieldError(PARAMETER, "invalid_choice", message)])
        if len(found) > MOST_COLUMNS:
            message = f"At most {MOST_COLUMNS} columns; these are {len(found)}."
            raise BadRequest([FieldError(PARAMETER, "wrong_length", message)])
        return found

    def _is_label(self, name: str) -> bool:
        key = name.removeprefix(LABEL)
        is_key = key != name and 0 < len(key) <= LONGEST_KEY and "," not in key and "\0" not in key
        return self.has_labels and is_key


WORKLOADS: Final = ListColumns(
    names=(
        *("state", "reason", "queue", "wants", "flavor", "priority"),
        *("submitted", "user", "project", "type"),
    ),
    usual=("state", "reason", "queue", "wants", "priority", "submitted"),
    has_labels=True,
)

QUEUES: Final = ListColumns(
    names=(
        *("quota", "running", "pending", "wait", "reason", "used"),
        *("cohort", "state", "oldest", "pressure", "preemption"),
    ),
    usual=("quota", "running", "pending", "wait", "reason", "used"),
)
