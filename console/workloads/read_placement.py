"""
Validation of submitted placements: JSON objects whose meaning the config language defines.

Only size and values are checked here, so that every database can store a placement and every
reader gets the same values. The scheduler of the config checks the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from console.reading import LARGEST_INTEGER, Reader, join

#: Maximum number of levels of objects and lists in a placement, including itself.
DEEPEST: Final = 8

#: Maximum number of characters of a placement as JSON.
LONGEST: Final = 10_000

#: Maximum number of entries of one object or list.
MOST_ENTRIES: Final = 200

#: Maximum number of characters of one string, and of one key.
LONGEST_TEXT: Final = 1000
LONGEST_KEY: Final = 317


def read_placement(reader: Reader, value: Any, path: str) -> Mapping[str, object]:
    """Return the placement of one workload from *value*; numbers have to be whole numbers."""
    if not isinstance(value, dict):
        return reader.mapping(value, path, ())
    placement = _object(reader, value, path, 1)
    length = len(json.dumps(placement, ensure_ascii=False))
    if length > LONGEST:
        message = f"A placement has at most {LONGEST:,} characters as JSON; this has {length:,}."
        reader.refuse(path, "too_long", message)
    return placement


def _object(reader: Reader, value: Any, path: str, level: int) -> dict[str, object]:
    entries = reader.entries(value, path, MOST_ENTRIES, LONGEST_KEY)
    return {key: _value(reader, item, join(path, key), level + 1) for key, item in entries}


def _value(reader: Reader, value: Any, path: str, level: int) -> object:
    if isinstance(value, dict | list) and level > DEEPEST:
        reader.refuse(path, "too_deep", f"A placement has at most {DEEPEST} levels.")
        return None
    match value:
        case dict():
            return _object(reader, value, path, level)
        case list():
            items = reader.items(value, path, 0, MOST_ENTRIES)
            return [_value(reader, item, f"{path}[{i}]", level + 1) for i, item in enumerate(items)]
        case str():
            return reader.text(value, path, LONGEST_TEXT)
        case None | bool():
            return value
        case Decimal() if value != value.to_integral_value():
            message = "Numbers in a placement are whole numbers; write a fraction as a string."
            reader.refuse(path, "wrong_type", message)
            return 0
        case _:
            return reader.integer(_whole(value), path, -LARGEST_INTEGER)


def _whole(value: int | Decimal) -> int:
    """Return a whole number; one beyond `LARGEST_INTEGER` is replaced by another one beyond it."""
    return int(max(min(value, LARGEST_INTEGER + 1), -LARGEST_INTEGER - 1))
