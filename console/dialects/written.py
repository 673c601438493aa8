"""Values of fields: each with its place, or UNREAD if it was invalid."""

from __future__ import annotations

from enum import Enum
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from console.dialects.findings import Place

T = TypeVar("T")


class Unread(Enum):
    """The type of UNREAD, a present but invalid value that has been reported."""

    UNREAD = "unread"


UNREAD: Final = Unread.UNREAD


class Written(NamedTuple, Generic[T]):
    """A valid value and its place."""

    value: T
    place: Place


#: A field's value; None if the field is absent.
Read: TypeAlias = Written[T] | Unread | None


def value_of(read: Read[T]) -> T | None:
    """Return the value, or None if it is absent or unread."""
    return read.value if isinstance(read, Written) else None


def written_items(items: Read[tuple[Read[str], ...]]) -> list[Written[str]]:
    """Return the valid items of a list."""
    if not isinstance(items, Written):
        return []
    return [item for item in items.value if isinstance(item, Written)]
