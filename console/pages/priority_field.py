"""The field of forms for another priority."""

from __future__ import annotations

import re
from typing import Final

from django.http import QueryDict

from console.errors import BadRequest, FieldError

#: Twenty digits are more than any priority has.
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,20}")


def read_priority(sent: QueryDict) -> int:
    """Return the priority in the sent fields; raises BadRequest unless it is a whole number."""
    text = sent.get("priority", "").strip()
    if not _NUMBER.fullmatch(text):
        message = "Enter the new priority as a whole number."
        raise BadRequest([FieldError("priority", "invalid_number", message)], message)
    return int(text)
