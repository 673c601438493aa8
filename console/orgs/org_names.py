"""Names of organizations, as people choose them."""

from __future__ import annotations

from typing import Any, Final

from console.reading import Reader

#: Maximum number of characters of a name.
LONGEST_NAME: Final = 200


def read_org_name(reader: Reader, value: Any) -> str:
    """Return the name *value* without spaces around it; line breaks and controls are refused."""
    name = reader.text(value, "name", LONGEST_NAME, blank=False).strip()
    if not name.isprintable():
        message = "A name has no line breaks, control characters or invisible characters."
        reader.refuse("name", "invalid_name", message)
    return name
