"""A model field for integers beyond 64 bits, stored exactly as text in every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    _Field = models.Field[int, int]
else:
    # The class is generic only for type checkers.
    _Field = models.Field

#: Lookups with the same result for a number and its text.
_COMPARED: Final = frozenset({"exact", "in", "isnull"})


class ExactIntegerField(_Field):
    """
    An integer of any size.

    SQLite has no integers beyond 64 bits, and a few petabytes of memory in thousandths of a byte
    exceed them. Text and numbers sort differently, so only lookups by equality are supported.
    """

    def get_internal_type(self) -> str:
        """Return the internal type of the column."""
        return "TextField"

    def from_db_value(
        self, value: str | None, expression: Any, connection: BaseDatabaseWrapper
    ) -> int | None:
        """Return the stored text as a number."""
        return self.to_python(value)

    def to_python(self, value: Any) -> int | None:
        """Return *value* as a number."""
        return None if value is None else int(value)

    def get_prep_value(self, value: Any) -> str | None:
        """Return *value* as it is stored, in decimal digits."""
        return None if value is None else str(int(value))

    def get_lookup(self, lookup_name: str) -> Any:
        """Return the lookup of that name; lookups that compare sizes are not supported."""
        return super().get_lookup(lookup_name) if lookup_name in _COMPARED else None
