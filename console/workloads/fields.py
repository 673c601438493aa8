"""A column for amounts that outgrow 64 bits: stored as text, so exact on every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    _Field = models.Field[int, int]
else:
    # Generic for type checkers alone.
    _Field = models.Field

#: Conditions that mean the same for a number and for its text.
_COMPARED: Final = frozenset({"exact", "in", "isnull"})


class ExactIntegerField(_Field):
    """
    An integer of any size.

    SQLite has no whole numbers beyond 64 bits, and a few petabytes of memory, in
    thousandths of a byte, are more than that. As text has another order than
    numbers have, nothing but equality can be asked of the column.
    """

    def get_internal_type(self) -> str:
        """Return the kind of column that it is kept in."""
        return "TextField"

    def from_db_value(
        self, value: str | None, expression: Any, connection: BaseDatabaseWrapper
    ) -> int | None:
        """Return what is stored as a number."""
        return self.to_python(value)

    def to_python(self, value: Any) -> int | None:
        """Return *value* as a number."""
        return None if value is None else int(value)

    def get_prep_value(self, value: Any) -> str | None:
        """Return *value* as it is stored: in decimal digits."""
        return None if value is None else str(int(value))

    def get_lookup(self, lookup_name: str) -> Any:
        """Return the condition of that name; there is none that compares by size."""
        return super().get_lookup(lookup_name) if lookup_name in _COMPARED else None
