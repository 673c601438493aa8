"""Reads the numbers of objects of a config, such as the quota of a queue, from a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.configs.services.propose_numbers import NumberChange
from console.dialects.editable_numbers import NumberKey
from console.reading import Reader

#: Maximum number of characters of a name in a config.
LONGEST_NAME: Final = 500
#: Maximum number of numbers of one request.
_MOST_NUMBERS: Final = 1_000
_LONGEST_NUMBER: Final = 100


def read_numbers(reader: Reader, value: Any, *, least: int) -> list[NumberChange]:
    """Return the numbers in the field ``numbers`` of a request: at least *least*."""
    items = reader.items(value, "numbers", least, _MOST_NUMBERS)
    return [_number(reader, item, f"numbers[{place}]") for place, item in enumerate(items)]


def _number(reader: Reader, value: Any, path: str) -> NumberChange:
    required = ("field", "value")
    fields: Mapping[str, Any] = reader.mapping(
        value, path, ("field", "flavor", "resource", "value"), required
    )
    field, flavor, resource = (
        reader.text(fields.get(name, ""), f"{path}.{name}", LONGEST_NAME)
        for name in ("field", "flavor", "resource")
    )
    number = reader.text(fields.get("value", ""), f"{path}.value", _LONGEST_NUMBER)
    return NumberChange(key=NumberKey(field, flavor, resource), value=number)
