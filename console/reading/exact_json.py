"""JSON as RFC 8259 has it: exact numbers, and nothing that would be guessed at or lost."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from console.reading.fields import printable


def loads_exactly(text: str) -> Any:
    """
    Return the value of *text*, numbers with a point or an exponent as Decimal.

    Raises json.JSONDecodeError for what is not JSON, RecursionError for what is
    nested too deep, and ValueError for NaN, Infinity, the same key twice and
    numbers that no Decimal can hold.
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
