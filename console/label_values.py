"""The value of one label in a JSON column of labels, as an expression of a query."""

from __future__ import annotations

import json

from django.db import connection
from django.db.models import F, Func, TextField, Value


def label_value(column: str, key: str) -> Func:
    """Return the value of a label; Django's key lookup would use the key 0 as an array index."""
    text = TextField()
    if connection.vendor == "postgresql":
        return Func(
            F(column),
            Value(key),
            template="(%(expressions)s)",
            arg_joiner=" ->> ",
            output_field=text,
        )
    # The path is compared with keys as they are written in the stored JSON, including escapes.
    return Func(
        F(column), Value(f"$.{json.dumps(key)}"), function="JSON_EXTRACT", output_field=text
    )
