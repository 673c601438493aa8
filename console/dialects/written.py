"""Values that were written: each with its place, or unread because something is wrong with it."""

from __future__ import annotations

from enum import Enum
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from console.dialects.findings import Place

T = TypeVar("T")


class Unread(Enum):
    """The value of a field that is there and could not be read; it was reported."""

    UNREAD = "unread"


UNREAD: Final = Unread.UNREAD


class Written(NamedTuple, Generic[T]):
    """A value and the place where it was written."""

    value: T
    place: Place


#: A field's value; None when the field is absent.
Read: TypeAlias = Written[T] | Unread | None


def value_of(read: Read[T]) -> T | None:
    """Return the value that was read, or None when it is absent or unread."""
    return read.value if isinstance(read, Written) else None


def written_items(items: Read[tuple[Read[str], ...]]) -> list[Written[str]]:
    """Return the items of a list that could be read."""
    if not isinstance(items, Written):
        return []
    return [item for item in items.value if isinstance(item, Written)]
