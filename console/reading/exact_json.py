"""A strict JSON parser (RFC 8259): exact numbers, no duplicate keys, no NaN or Infinity."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from console.reading.fields import printable


def loads_exactly(text: str) -> Any:
    """
    Return the value of *text*, with Decimal for numbers with a point or an exponent.

    Raise json.JSONDecodeError for invalid JSON, RecursionError for too deep nesting, and
    ValueError for NaN, Infinity, duplicate keys and numbers that no Decimal can represent.
    """
    return json.loads(text, parse_float=_number, parse_constant=_constant, object_pairs_hook=_pairs)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"the key {printable(twice)} is there twice")
    return found


def _number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise ValueError(f"the exponent of {printable(text)} is too large") from error


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
