"""Readers of lists of mappings, item by item."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from console.dialects.fields import Fields
from console.dialects.written import UNREAD, Read, Unread, Written

T = TypeVar("T")


def parse_each(
    read: Read[tuple[Fields | Unread, ...]], parse_one: Callable[[Fields], T]
) -> Read[tuple[T | Unread, ...]]:
    """Parse every mapping of a list; an item that is not a mapping stays UNREAD."""
    if not isinstance(read, Written):
        return read
    parsed = tuple(
        parse_one(fields) if isinstance(fields, Fields) else UNREAD for fields in read.value
    )
    return Written(parsed, read.place)


def valid_items(read: Read[tuple[T | Unread, ...]]) -> tuple[T, ...]:
    """Return the parsed items of a list, without UNREAD ones."""
    if not isinstance(read, Written):
        return ()
    return tuple(item for item in read.value if not isinstance(item, Unread))


def parse_valid(
    read: Read[tuple[Fields | Unread, ...]], parse_one: Callable[[Fields], T]
) -> Read[tuple[T, ...]]:
    """Parse every mapping of a list, and omit items that are not mappings."""
    parsed = parse_each(read, parse_one)
    return Written(valid_items(parsed), parsed.place) if isinstance(parsed, Written) else parsed
