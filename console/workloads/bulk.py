"""
Bulk updates: one statement for thousands of rows that get different values.

`UPDATE ... FROM` a JSON parameter is an order of magnitude faster than Django's
`bulk_update`, and the payload is the same for SQLite and PostgreSQL.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import Field, Model

#: Rows per statement, so that one parameter stays below a few megabytes.
_ROWS = 2000

_POSTGRES_TYPES = {
    "CharField": "text",
    "BigIntegerField": "bigint",
    "IntegerField": "integer",
    "PositiveIntegerField": "integer",
    "DateTimeField": "timestamptz",
    "JSONField": "jsonb",
}


def update_rows(
    model: type[Model], key: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, Any]]
) -> None:
    """
    Set *columns* of the rows of *model* whose text column *key* is a key of *rows*.

    Each value of *rows* has all *columns*. Call inside a transaction.
    """
    fields = [_field(model, name) for name in columns]
    payload = [
        [row, *(_plain(field, values[field.name]) for field in fields)]
        for row, values in rows.items()
    ]
    statement = _statement(model, key, fields)
    with connection.cursor() as cursor:
        for start in range(0, len(payload), _ROWS):
            cursor.execute(statement, [json.dumps(payload[start : start + _ROWS])])


def _field(model: type[Model], name: str) -> Field[Any, Any]:
    field = model._meta.get_field(name)
    assert isinstance(field, Field)
    return field


def _plain(field: Field[Any, Any], value: Any) -> Any:
    """Return *value* as JSON; JSON columns travel as text on SQLite, where they are stored so."""
    if value is None:
        return None
    kind = field.get_internal_type()
    if kind == "JSONField":
        return json.dumps(value) if connection.vendor == "sqlite" else value
    if kind == "DateTimeField":
        adapted = connection.ops.adapt_datetimefield_value(value)
        return adapted if isinstance(adapted, str) else value.isoformat()
    return value


def _statement(model: type[Model], key: str, fields: Sequence[Field[Any, Any]]) -> str:
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    key_column = quote(_field(model, key).column or key)
    names = [quote(field.column or field.name) for field in fields]
    assignments = ", ".join(f"{name} = j.c{i}" for i, name in enumerate(names, 1))
    if connection.vendor == "sqlite":
        values = ", ".join(f"json_extract(value, '$[{i}]') AS c{i}" for i in range(len(names) + 1))
        source = f"SELECT {values} FROM json_each(%s)"  # noqa: S608
    else:
        types = ["text", *(_POSTGRES_TYPES[field.get_internal_type()] for field in fields)]
        values = ", ".join(
            f"(value -> {i}) AS c{i}" if kind == "jsonb" else f"(value ->> {i})::{kind} AS c{i}"
            for i, kind in enumerate(types)
        )
        source = f"SELECT {values} FROM jsonb_array_elements(%s::jsonb)"  # noqa: S608
    return (
        f"UPDATE {table} SET {assignments} FROM ({source}) AS j "  # noqa: S608
        f"WHERE {table}.{key_column} = j.c0"
    )
